"""The extended dialect through astrapy: types, maps, members, words, services, frozen and static columns.

Arguments: the server's URL, that of its operations service.
"""

import datetime
import ipaddress
import json
import sys
import urllib.request

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
    words(table)
    services(database)
    native_columns(database)
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


def services(database) -> None:
    service = {"provider": "colonnade", "modelName": "hashed-ngrams"}
    columns = {
        "id": "int",
        "title": {"type": "vector", "dimension": 128, "service": service},
        "body": {"type": "vector", "dimension": 256, "service": service},
    }
    definition = CreateTableDefinition.coerce({"columns": columns, "primaryKey": "id"})
    table = database.create_table("astrapy_articles", definition=definition)
    table.create_vector_index("by_title", column="title")
    table.create_vector_index("by_body", column="body")
    table.insert_many(
        [
            {"id": 1, "title": "red foxes", "body": "penguins walk on ice"},
            {"id": 2, "title": "penguins", "body": "a fox in the snow"},
        ]
    )
    found = [table.find_one(sort={column: "penguin"})["id"] for column in ["title", "body"]]
    step("services per column", found == [2, 1] or str(found))
    sizes = [len(table.find_one({"id": 1})[column]) for column in ["title", "body"]]
    step("dimensions per column", sizes == [128, 256] or str(sizes))
    database.drop_table("astrapy_articles")


def native_columns(database) -> None:
    cql("CREATE TYPE default_keyspace.box (width int, height int)")
    cql(
        "CREATE TABLE default_keyspace.astrapy_parts (p int, c int, b frozen<box>, l frozen<list<int>>,"
        " m frozen<map<int, text>>, s text STATIC, PRIMARY KEY (p, c))"
    )
    table = database.get_table("astrapy_parts")
    step("frozen columns", sorted(table.definition().columns) == ["b", "c", "l", "m", "p", "s"])
    box = DataAPIDictUDT({"width": 2, "height": 5})
    row = {"p": 1, "c": 1, "b": DataAPIDictUDT({"width": 2}), "l": [3, 4], "m": DataAPIMap([(1, "one")]), "s": "first"}
    table.insert_many([row, {"p": 1, "c": 2, "b": box, "s": "last"}], ordered=True)
    found = table.find_one({"p": 1, "c": 1})
    step("frozen values", dict(found["b"]) == {"width": 2, "height": None} and list(found["l"]) == [3, 4] or str(found))
    step("frozen maps", list(found["m"].items()) == [(1, "one")] or str(found["m"]))
    step("static values", found["s"] == "last" or str(found))
    filters = [
        ({"b": {"$in": [DataAPIDictUDT({"width": 2})]}}, [1]),
        ({"l": {"$all": [4, 3]}}, [1]),
        ({"m": {"$keys": {"$nin": [1]}}}, [2]),
        ({"s": "last"}, [1, 2]),
    ]
    ids = [sorted(each["c"] for each in table.find(clause)) for clause, _ in filters]
    step("filters on them", ids == [wanted for _, wanted in filters] or str(ids))
    table.update_one({"p": 1, "c": 2}, {"$set": {"s": "set", "l": [9]}})
    changed = [(each["s"], list(each["l"])) for each in table.find({"p": 1})]
    step("updates of them", changed == [("set", [3, 4]), ("set", [9])] or str(changed))
    database.drop_table("astrapy_parts")
    database.drop_type("box")


def cql(query: str) -> None:
    body = json.dumps({"query": query}).encode()
    headers = {"content-type": "application/json"}
    request = urllib.request.Request(f"{sys.argv[2]}/local/cql", data=body, headers=headers)
    urllib.request.urlopen(request).close()


main()
