"""Drives a running server with astrapy, the official Python client. Arguments: the server's URL. Prints one line per step."""

import datetime
import decimal
import ipaddress
import sys
import uuid

from astrapy import DataAPIClient
from astrapy.constants import Environment
from astrapy.data_types import DataAPIDate, DataAPIDuration, DataAPITime, DataAPITimestamp
from astrapy.exceptions import DataAPIResponseException
from astrapy.info import CreateTableDefinition

ROW = {
    "id": uuid.UUID("f47ac10b-58cc-4372-a567-0e02b2c3d479"),
    "place": "Łódź\u0000",
    "small": -128,
    "big": 9223372036854775807,
    "huge": 123456789012345678901234567890123456789012,
    "exact": decimal.Decimal("12.3456789012345678901234567890123456789"),
    "half": 0.5,
    "endless": float("inf"),
    "active": True,
    "bytes": b"\x00\x01\xff",
    "day": DataAPIDate.from_string("2024-02-29"),
    "at": DataAPITime.from_string("12:34:56.789"),
    "seen": DataAPITimestamp.from_string("2021-11-21T15:34:44.123Z"),
    "lasted": DataAPIDuration.from_string("P1Y2M3DT4H5M6.5S"),
    "address": ipaddress.ip_address("2001:db8:85a3::8a2e:370:7334"),
}
TYPES = {
    "id": "uuid",
    "place": "text",
    "small": "tinyint",
    "big": "bigint",
    "huge": "varint",
    "exact": "decimal",
    "half": "float",
    "endless": "double",
    "active": "boolean",
    "bytes": "blob",
    "day": "date",
    "at": "time",
    "seen": "timestamp",
    "lasted": "duration",
    "address": "inet",
}


def main(url: str) -> None:
    database = DataAPIClient(environment=Environment.OTHER).get_database(url, keyspace="default_keyspace")
    definition = CreateTableDefinition.coerce(
        {"columns": TYPES, "primaryKey": {"partitionBy": ["id"], "partitionSort": {"small": -1}}}
    )
    table = database.create_table("astrapy_rows", definition=definition)
    step("createTable", "astrapy_rows" in database.list_table_names())
    described = next(each for each in database.list_tables() if each.name == "astrapy_rows")
    step("listTables", {name: column.as_dict()["type"] for name, column in described.definition.columns.items()} == TYPES)

    inserted = table.insert_one(ROW)
    step("insertOne", inserted.inserted_id_tuple == (ROW["id"], -128))
    key = {"id": ROW["id"], "small": -128}
    found = table.find_one(key)
    step("findOne", found == ROW or differences(found))

    table.update_one(key, {"$set": {"place": "Kraków"}, "$unset": {"bytes": ""}})
    updated = table.find_one(key)
    step("updateOne", updated["place"] == "Kraków" and updated["bytes"] is None)

    table.insert_many([{"id": ROW["id"], "small": number} for number in range(100)])
    rows = list(table.find({"id": ROW["id"]}, projection={"small": True}))
    step("insertMany, find", [row["small"] for row in rows] == [*range(99, -1, -1), -128])

    table.delete_many({"id": ROW["id"], "small": {"$gte": 50}})
    table.delete_one(key)
    step("deleteMany, deleteOne", len(list(table.find({"id": ROW["id"]}))) == 50)

    try:
        table.insert_one({"id": ROW["id"], "small": 128})
        step("errors", False)
    except DataAPIResponseException as error:
        step("errors", error.error_descriptors[0].error_code == "INVALID_COLUMN_VALUES")
    database.drop_table("astrapy_rows")
    step("dropTable", "astrapy_rows" not in database.list_table_names())


def differences(found: dict) -> str:
    return str({name: (value, found.get(name)) for name, value in ROW.items() if found.get(name) != value})


def step(name: str, outcome: object) -> None:
    if outcome is not True:
        sys.exit(f"{name}: {outcome}")
    print(name, flush=True)


main(sys.argv[1])
