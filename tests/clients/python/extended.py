"""The extended dialect through astrapy: types, maps, members, words. Arguments: the server's URL, `words` or nothing."""

import datetime
import ipaddress
import sys

from astrapy.data_types import DataAPIDictUDT, DataAPIMap, DataAPISet, DataAPITimestamp
from astrapy.exceptions import DataAPIResponseException
from astrapy.info import (
    AlterTypeAddFields,
    AlterTypeRenameFields,
    CreateTableDefinition,
    CreateTypeDefinition,
    TableTextIndexOptions,
)

from steps import connect, step

ADDRESS = {"type": "userDefined", "udtName": "place"}
COLUMNS = {
    "id": "int",
    "home": ADDRESS,
    "others": {"type": "list", "valueType": ADDRESS},
    "by_year": {"type": "map", "keyType": "int", "valueType": "text"},
    "tags": {"type": "set", "valueType": "text"},
    "note": "text",
    "seen": "timestamp",
    "host": "inet",
}


def main() -> None:
    database = connect()
    database.create_type("place", definition=CreateTypeDefinition.coerce({"fields": {"street": "text", "zip": "int"}}))
    step("createType", database.list_type_names() == ["place"])
    (listed,) = database.list_types()
    step("listTypes", sorted(listed.definition.fields) == ["street", "zip"] or str(listed))

    definition = CreateTableDefinition.coerce({"columns": COLUMNS, "primaryKey": "id"})
    table = database.create_table("astrapy_people", definition=definition)
    described = table.definition().columns
    kinds = {name: str(column) for name, column in described.items()}
    step("listTables", kinds == {name: str(column) for name, column in definition.columns.items()} or str(kinds))

    home = DataAPIDictUDT({"street": "Main St", "zip": 12345})
    row = {"id": 1, "home": home, "others": [home, DataAPIDictUDT({"zip": 2})], "note": "The quick brown fox."}
    table.insert_one({**row, "by_year": DataAPIMap([(2001, "moved"), (-5, "before")]), "tags": DataAPISet(["b", "a"])})
    table.insert_many(
        [
            {"id": 2, "by_year": DataAPIMap([(2001, "born")]), "tags": {"b"}, "note": "a lazy fox"},
            {"id": 3, "note": "A fox, a fox, a fox"},
        ]
    )
    found = table.find_one({"id": 1})
    step("user-defined types", found["home"] == home or str(found["home"]))
    step("their lists", [each["zip"] for each in found["others"]] == [12345, 2] or str(found["others"]))
    step("maps", list(found["by_year"].items()) == [(-5, "before"), (2001, "moved")] or str(found["by_year"]))

    table.update_one({"id": 2}, {"$push": {"by_year": [1999, "first"]}})
    table.update_one({"id": 2}, {"$pullAll": {"by_year": [2001]}})
    step("updates", dict(table.find_one({"id": 2})["by_year"].items()) == {1999: "first"})
    members(table)

    database.alter_type("place", operation=AlterTypeRenameFields(fields={"zip": "code"}))
    database.alter_type("place", operation=AlterTypeAddFields(fields={"town": "text"}))
    changed = table.find_one({"id": 1})["home"]
    step("alterType", dict(changed) == {"street": "Main St", "code": 12345, "town": None} or str(changed))
    try:
        database.drop_type("place")
        step("dropType", False)
    except DataAPIResponseException as error:
        step("dropType", error.error_descriptors[0].error_code == "CANNOT_DROP_TYPE_USED_BY_TABLE")

    moment = datetime.datetime(2024, 2, 29, 12, 30, 0, 123456, tzinfo=datetime.timezone.utc)
    table.update_one({"id": 3}, {"$set": {"seen": moment, "host": "127.1"}})
    values = table.find_one({"id": 3})
    step("timestamps", values["seen"] == DataAPITimestamp.from_string("2024-02-29T12:30:00.123Z") or str(values["seen"]))
    step("addresses", values["host"] == ipaddress.ip_address("127.0.0.1"))
    if sys.argv[2:] == ["words"]:
        words(table)
    database.drop_table("astrapy_people")
    database.drop_type("place")
    step("end", database.list_type_names() == [])


def members(table) -> None:
    filters = [
        ({"tags": {"$in": ["a", "x"]}}, [1]),
        ({"tags": {"$all": ["a", "b"]}}, [1]),
        ({"by_year": {"$keys": {"$in": [2001, 1999]}}}, [1, 2]),
        ({"by_year": {"$values": {"$in": ["first"]}}}, [2]),
        ({"by_year": {"$in": [[-5, "before"]]}}, [1]),
        ({"$not": {"tags": {"$in": ["a"]}}}, [2, 3]),
    ]
    for kind in ["members", "members with indexes"]:
        found = [sorted(row["id"] for row in table.find(each)) for each, _ in filters]
        step(kind, found == [ids for _, ids in filters] or str(found))
        if kind == "members":
            table.create_index("by_tag", column="tags")
            table.create_index("by_key", column={"by_year": "$keys"})
            table.create_index("by_value", column={"by_year": "$values"})
    listed = {index.name: index.definition.column for index in table.list_indexes()}
    wanted = {"by_tag": {"tags": "$values"}, "by_key": {"by_year": "$keys"}, "by_value": {"by_year": "$values"}}
    step("listIndexes", listed == wanted or str(listed))


def words(table) -> None:
    analyzer = {"tokenizer": {"name": "standard", "args": {}}, "filters": [{"name": "lowercase"}], "charFilters": []}
    table.create_text_index("by_word", column="note", options=TableTextIndexOptions(analyzer=analyzer))
    (index,) = [each for each in table.list_indexes() if each.name == "by_word"]
    step("createTextIndex", index.definition.options.analyzer == analyzer or str(index))
    found = sorted(row["id"] for row in table.find({"note": {"$match": "FOX"}}))
    step("match", found == [1, 2, 3] or str(found))
    best = [row["id"] for row in table.find(sort={"note": "fox"}, limit=2)]
    step("sort by words", best == [3, 2] or str(best))


main()
