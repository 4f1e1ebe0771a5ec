"""Every command once through astrapy, the official Python client. Argument: the server's URL."""

import datetime
import decimal
import ipaddress
import uuid

from astrapy.constants import VectorMetric
from astrapy.data_types import DataAPIDate, DataAPIDuration, DataAPITime, DataAPITimestamp, DataAPIVector
from astrapy.exceptions import DataAPIResponseException
from astrapy.info import CreateTableDefinition, TableVectorIndexOptions, VectorServiceOptions

from steps import connect, step

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


def main() -> None:
    database = connect()
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
    search(database)
    search_by_text(database)
    database.drop_table("astrapy_rows")
    step("dropTable", "astrapy_rows" not in database.list_table_names())


def search(database) -> None:
    columns = {"id": "int", "shape": {"type": "vector", "dimension": 3}}
    definition = CreateTableDefinition.coerce({"columns": columns, "primaryKey": "id"})
    table = database.create_table("astrapy_vectors", definition=definition)
    options = TableVectorIndexOptions(metric=VectorMetric.COSINE)
    table.create_vector_index("by_shape", column="shape", options=options)
    listed = [(index.name, index.definition.options.metric) for index in table.list_indexes()]
    step("createVectorIndex", listed == [("by_shape", "cosine")])

    table.insert_many([{"id": 1, "shape": DataAPIVector([0.1, 0.2, 0.3])}, {"id": 2, "shape": [3, -2.5, 0.1]}, {"id": 3}])
    step("vectors", table.find_one({"id": 1})["shape"] == DataAPIVector([0.1, 0.2, 0.3]))
    cursor = table.find(sort={"shape": DataAPIVector([1, 0, 0])}, include_similarity=True, include_sort_vector=True)
    found = [(row["id"], row["$similarity"]) for row in cursor]
    step("search", found == [(2, 0.88398474), (1, 0.63363063)] or str(found))
    step("sortVector", cursor.get_sort_vector() == DataAPIVector([1, 0, 0]))
    database.drop_table("astrapy_vectors")


def search_by_text(database) -> None:
    service = VectorServiceOptions(provider="colonnade", model_name="hashed-ngrams")
    definition = (
        CreateTableDefinition.builder()
        .add_column("id", "int")
        .add_vector_column("meaning", dimension=384, service=service)
        .add_partition_by(["id"])
        .build()
    )
    table = database.create_table("astrapy_texts", definition=definition)
    described = table.definition().columns["meaning"]
    step("vectorize", (described.dimension, described.service) == (384, service) or str(described))
    table.create_vector_index("by_meaning", column="meaning")

    texts = {1: "a recipe for apple pie", 2: "how to repair a bicycle", 3: "the history of Poland"}
    table.insert_many([{"id": number, "meaning": text} for number, text in texts.items()])
    stored = table.find_one({"id": 1})["meaning"]
    step("embedded texts", isinstance(stored, DataAPIVector) and len(stored) == 384)
    cursor = table.find(sort={"meaning": "repairing bicycles"}, limit=2, include_sort_vector=True)
    step("search by text", [row["id"] for row in cursor][:1] == [2])
    step("sortVector of a text", len(cursor.get_sort_vector()) == 384)

    table.update_one({"id": 3}, {"$set": {"meaning": "bicycles and how one repairs them"}})
    nearest = table.find_one(sort={"meaning": "bicycles and how one repairs them"}, include_similarity=True)
    step("updated text", (nearest["id"], nearest["$similarity"]) == (3, 1.0) or str(nearest))
    database.drop_table("astrapy_texts")


def differences(found: dict) -> str:
    return str({name: (value, found.get(name)) for name, value in ROW.items() if found.get(name) != value})


main()
