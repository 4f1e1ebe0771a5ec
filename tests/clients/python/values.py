"""Values of every type in every place of a row, and the ways to write and read them. Argument: the server's URL."""

import datetime
import decimal
import ipaddress
import math
import uuid

from astrapy.api_options import APIOptions, SerdesOptions
from astrapy.constants import MapEncodingMode
from astrapy.data_types import (
    DataAPIDate,
    DataAPIDuration,
    DataAPIMap,
    DataAPISet,
    DataAPITime,
    DataAPITimestamp,
    DataAPIVector,
)
from astrapy.exceptions import DataAPIResponseException
from astrapy.ids import uuid6, uuid7

from steps import connect, step

VALUES = {
    "ascii": ["", "~\x00\x7f"],
    "bigint": [-(2**63), 2**53 + 1, 2**63 - 1],
    "blob": [b"", bytes(range(256))],
    "boolean": [True, False],
    "date": [DataAPIDate(-44, 3, 15), DataAPIDate(9999, 12, 31), DataAPIDate(5881580, 7, 11), datetime.date(1999, 12, 31)],
    "decimal": [decimal.Decimal("12.3456789012345678901234567890123456789"), decimal.Decimal("1.10"), int(decimal.Decimal("1E+30"))],
    "double": [-0.0, 5e-324, 1e308, math.inf, -math.inf],
    "duration": [DataAPIDuration(-1, 14, 25, 18367008009010), DataAPIDuration.from_string("PT0S"), datetime.timedelta(seconds=90)],
    "float": [-0.0, 0.1, 1e-45, 3.4028235e38, math.inf],
    "inet": [ipaddress.ip_address("127.0.0.1"), ipaddress.ip_address("2001:db8:85a3::8a2e:370:7334")],
    "int": [-(2**31), 2**31 - 1],
    "smallint": [-(2**15), 2**15 - 1],
    "text": ["", "Łódź\u0000", "😀", '"\\\b\u2028'],
    "time": [DataAPITime(0), DataAPITime(23, 59, 59, 999999999), datetime.time(1, 2, 3, 4)],
    "timestamp": [
        DataAPITimestamp(-63549322647000),
        DataAPITimestamp(253402300800000),
        datetime.datetime(2024, 7, 13, 12, 55, 30, 500000, tzinfo=datetime.timezone(datetime.timedelta(hours=5, minutes=30))),
    ],
    "tinyint": [-128, 127],
    "uuid": [uuid.uuid1(), uuid.uuid3(uuid.NAMESPACE_DNS, "a"), uuid.uuid4(), uuid6(), uuid7(), uuid.UUID(int=2**128 - 1)],
    "varint": [-(10**98), 10**99, 2**200],
}
READ_AS = {
    datetime.date: DataAPIDate.from_date,
    datetime.time: DataAPITime.from_time,
    datetime.datetime: DataAPITimestamp.from_datetime,
    datetime.timedelta: DataAPIDuration.from_timedelta,
}


def main() -> None:
    database = connect()
    columns = {"id": "int", "v": {"type": "vector", "dimension": 3}}
    for kind in VALUES:
        columns[kind] = kind
        columns[f"{kind}s"] = {"type": "list", "valueType": kind}
        columns[f"{kind}_set"] = {"type": "list" if kind == "duration" else "set", "valueType": kind}
        columns[f"{kind}_map"] = {"type": "map", "keyType": "text", "valueType": kind}
    table = database.create_table("values", definition={"columns": columns, "primaryKey": "id"})
    rows = [row_of(at, kind, value) for at, (kind, value) in enumerate((k, v) for k in VALUES for v in VALUES[k])]
    inserted = table.insert_many(rows)
    step("insertMany", inserted.inserted_id_tuples == [(row["id"],) for row in rows])
    for row in rows:
        kind = list(row)[1]
        found = table.find_one({"id": row["id"], kind: row[kind]}, projection=list(row))
        wanted = {name: expected(value) for name, value in row.items()}
        step(f"{kind} {row[kind]!r}"[:60], found == wanted or f"{found} instead of {wanted}")
    keys(database)
    reading(table)
    maps(table)
    refused(table)
    database.drop_table("values")


def row_of(at: int, kind: str, value: object) -> dict:
    several = [value] if kind == "duration" else {value}
    return {"id": at, kind: value, f"{kind}s": [value, value], f"{kind}_set": several, f"{kind}_map": {"": value, "k": value}}


def expected(value: object) -> object:
    """The value as it is read by default: in astrapy's classes."""
    if isinstance(value, dict):
        return DataAPIMap({key: expected(one) for key, one in value.items()})
    if isinstance(value, set):
        return DataAPISet(map(expected, value))
    if isinstance(value, list):
        return [*map(expected, value)]
    return READ_AS.get(type(value), lambda same: same)(value)


def keys(database) -> None:
    kinds = [kind for kind in VALUES if kind != "duration"]
    names = ["id", *kinds]
    definition = {
        "columns": {"id": "int", "n": "int"} | {kind: kind for kind in kinds},
        "primaryKey": {"partitionBy": ["id", *kinds[:8]], "partitionSort": {kind: -1 for kind in kinds[8:]}},
    }
    table = database.create_table("keys", definition=definition)
    key = {"id": 1} | {kind: VALUES[kind][-1] for kind in kinds}
    inserted = table.insert_one(key | {"n": 1})
    wanted = {name: expected(value) for name, value in key.items()}
    step("key of every type", inserted.inserted_id == wanted and list(inserted.inserted_id) == names)
    table.update_one(key, {"$set": {"n": 2}})
    step("found by it", table.find_one(key, projection=["n"]) == {"n": 2})
    table.delete_one(key)
    step("deleted by it", table.find_one(key) is None)
    database.drop_table("keys")


def reading(table) -> None:
    stdlib = table.with_options(api_options=APIOptions(serdes_options=SerdesOptions(custom_datatypes_in_reading=False)))
    row = {
        "id": 900,
        "v": [0.1, -2.5, 3.0],
        "date": datetime.date(2024, 2, 29),
        "time": datetime.time(1, 2, 3, 4),
        "timestamp": datetime.datetime(2024, 7, 13, 12, 55, 30, 500000, tzinfo=datetime.timezone.utc),
        "duration": datetime.timedelta(days=2, hours=3),
        "int_set": {3, 1, 2},
        "text_map": {"b": "2", "a": "1"},
    }
    stdlib.insert_one(row)
    step("types of the standard library", stdlib.find_one({"id": 900}, projection=list(row)) == row)
    found = table.find_one({"id": 900})
    step("missing values", (found["int"], found["ints"], found["float_set"]) == (None, [], DataAPISet()))
    step("order of sets and maps", (list(found["int_set"]), list(found["text_map"])) == ([1, 2, 3], ["a", "b"]))
    table.insert_one(found)
    step("a row as it was read", table.find_one({"id": 900}) == found)
    zeros = table.find_one({"double": -0.0}, projection=["double", "doubles"])
    step("-0.0", [math.copysign(1, zero) for zero in (zeros["double"], *zeros["doubles"])] == [-1, -1, -1])
    table.insert_one({"id": 901, "float": math.nan, "double": decimal.Decimal("NaN"), "doubles": [math.nan]})
    found = table.find_one({"double": math.nan})
    step("NaN", found["id"] == 901 and all(map(math.isnan, [found["float"], found["double"], *found["doubles"]])))
    unrolled = SerdesOptions(unroll_iterables_to_lists=True, binary_encode_vectors=False)
    table.with_options(api_options=APIOptions(serdes_options=unrolled)).insert_one(
        {"id": 902, "v": DataAPIVector([0.1, 0.2, 0.3]), "ints": range(3), "texts": (text for text in "ab")}
    )
    table.insert_one({"id": 902, "decimal": float(decimal.Decimal("1.5E-7"))})
    found = table.find_one({"id": 902})
    step("a small decimal by way of float", found["decimal"] == decimal.Decimal("1.5E-7"))
    step("iterables", (found["v"], found["ints"], found["texts"]) == (DataAPIVector([0.1, 0.2, 0.3]), [0, 1, 2], ["a", "b"]))


def maps(table) -> None:
    for mode in MapEncodingMode:
        options = APIOptions(serdes_options=SerdesOptions(encode_maps_as_lists_in_tables=mode))
        table.with_options(api_options=options).insert_one(
            {"id": 903, "int_map": DataAPIMap({"b": 1, "a": 2}), "text_map": {"x": "y"}, "uuid_map": DataAPIMap()}
        )
        found = table.find_one({"id": 903})
        pairs = [list(found[name].items()) for name in ("int_map", "text_map", "uuid_map")]
        step(f"maps encoded {mode.value}", pairs == [[("a", 2), ("b", 1)], [("x", "y")], []])


def refused(table) -> None:
    now = datetime.datetime(2024, 7, 13, 12, 55, 30, 889, tzinfo=datetime.timezone.utc)
    cases = {
        "timestamp": (now, "is more precise than a millisecond"),
        "decimal": (decimal.Decimal("NaN"), "expected a number"),
        "int": (2**31, "2147483648 is outside"),
        "v": (DataAPIVector([1, math.nan, 2]), "element 2 is NaN"),
        "text_map": ({"a": None}, "null is not allowed in a map"),
    }
    for name, (value, cause) in cases.items():
        try:
            table.insert_one({"id": 904, name: value})
            step(f"refused {name}", "was stored")
        except DataAPIResponseException as error:
            refusal = error.error_descriptors[0]
            step(f"refused {name}", refusal.error_code == "INVALID_COLUMN_VALUES" and cause in refusal.message or str(error))


main()
