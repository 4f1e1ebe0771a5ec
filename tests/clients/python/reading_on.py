"""Cursors, pages, errors, warnings and the asynchronous interface. Argument: the server's URL."""

import asyncio

from astrapy.api_options import APIOptions
from astrapy.cursors import CursorState
from astrapy.event_observers import ObservableWarning, Observer
from astrapy.exceptions import DataAPIResponseException, TableInsertManyException
from astrapy.info import AlterTableAddColumns, AlterTableDropColumns, TableIndexOptions

from steps import connect, step

DEFINITION = {
    "columns": {"part": "int", "place": "int", "word": "text", "v": {"type": "vector", "dimension": 2}},
    "primaryKey": {"partitionBy": ["part"], "partitionSort": {"place": 1}},
}
ROWS = [{"part": at % 2, "place": at, "word": f"w{at % 7}", "v": [at + 1, 1]} for at in range(260)]


class Warnings(Observer):
    def __init__(self) -> None:
        self.warned = []

    def receive(self, event, sender=None, function_name=None, request_id=None) -> None:
        if isinstance(event, ObservableWarning):
            self.warned.append(event.warning)


def main() -> None:
    database = connect()
    table = database.create_table("places", definition=DEFINITION)
    inserted = table.insert_many(ROWS, chunk_size=20)
    step("keys in order", inserted.inserted_id_tuples == [(row["part"], row["place"]) for row in ROWS])
    cursors(table)
    pages(table)
    sorts(table)
    errors(table)
    database.drop_table("places")
    asyncio.run(asynchronous(database.to_async()))


def cursors(table) -> None:
    cursor = table.find({"part": 1}, projection=["place"]).map(lambda row: row["place"])
    taken = []
    cursor.for_each(lambda place: taken.append(place) or len(taken) < 60)
    step("for_each", (taken[-1], cursor.state, cursor.consumed) == (119, CursorState.STARTED, 60))
    step("to_list", cursor.to_list() == [*range(121, 260, 2)] and cursor.state == CursorState.CLOSED)
    cursor.rewind()
    step("rewind, has_next", (cursor.has_next(), next(cursor)) == (True, 1))
    step("limit", len(table.find({}, limit=120).to_list()) == 120)
    found = table.distinct("word", filter={"part": {"$in": [0, 1]}})
    step("distinct", sorted(found) == [f"w{at}" for at in range(7)])
    step("nothing found", table.find_one({"part": 9}) is None and not table.find({"part": 9}).has_next())


def pages(table) -> None:
    state, counts, rows = {}, [], []
    while True:
        page = table.find({}, limit=130, **state).fetch_next_page()
        counts.append(len(page.results))
        rows += page.results
        if page.next_page_state is None:
            break
        state = {"initial_page_state": page.next_page_state}
    keys = [(row["part"], row["place"]) for row in rows]
    # An engine decides which partition comes first.
    first = keys[0][0]
    step("pages", counts == [50, 50, 30] and keys == [(first, 2 * at + first) for at in range(130)])
    table.create_vector_index("places_v", "v")
    page = table.find(sort={"v": [1, 0]}, include_sort_vector=True, include_similarity=True).fetch_next_page()
    step("page of a search", (len(page.results), page.next_page_state, page.sort_vector.data) == (260, None, [1, 0]))


def sorts(table) -> None:
    warnings = Warnings()
    watched = table.with_options(api_options=APIOptions(event_observers={"warnings": warnings}))
    places = [row["place"] for row in watched.find({"part": 1}, sort={"place": -1})]
    step("sort by the key", places == [*range(259, 0, -2)] and warnings.warned == [])
    found = watched.find({"part": 1}, sort={"word": 1, "place": 1}, limit=200).to_list()
    warned = warnings.warned[0]
    step("sort in memory", (len(found), warned.error_code) == (50, "IN_MEMORY_SORTING_DUE_TO_NON_PARTITION_SORTING"))
    step("warned that there are more", "at most 50 rows" in warned.message or warned.message)
    rest = watched.find({"part": 1}, sort={"word": 1, "place": 1}, skip=50).to_list()
    order = sorted((row["word"], row["place"]) for row in ROWS if row["part"] == 1)
    step("skip", [(row["word"], row["place"]) for row in found + rest] == order[:100])


def errors(table) -> None:
    rows = [{"part": 3, "place": 1}, {"part": 3, "place": "x"}, {"part": 3}, {"part": 3, "place": 2}]
    for ordered, keys, codes in (
        (False, [(3, 1), (3, 2)], ["INVALID_COLUMN_VALUES", "MISSING_PRIMARY_KEY_COLUMNS"]),
        (True, [(3, 1)], ["INVALID_COLUMN_VALUES"]),
    ):
        try:
            table.insert_many(rows, ordered=ordered)
            step("insertMany with bad rows", "was done")
        except TableInsertManyException as error:
            found = [warned.error_code for one in error.exceptions for warned in one.error_descriptors]
            step(f"insertMany with bad rows, ordered {ordered}", (error.inserted_id_tuples, found) == (keys, codes))
    cases = {
        "COMMAND_FIELD_VALUE_INVALID": lambda: table.find({}, initial_page_state="nonsense").to_list(),
        "UNKNOWN_TABLE_COLUMNS": lambda: table.find_one({"nobody": 1}),
        "INVALID_FILTER_EXPRESSION": lambda: table.find_one({"v": [1, 2]}),
        "UNSUPPORTED_TABLE_COMMAND": lambda: table.count_documents({}, upper_bound=10),
        "CANNOT_VECTOR_SORT_WITH_SKIP_OPTION": lambda: table.find(sort={"v": [1, 0]}, skip=1).to_list(),
    }
    for code, work in cases.items():
        try:
            step(code, str(work()))
        except DataAPIResponseException as error:
            step(code, error.error_descriptors[0].error_code == code or str(error))


async def asynchronous(database) -> None:
    async with await database.create_table("places", definition=DEFINITION, if_not_exists=True) as table:
        await table.create_index("places_word", "word", options=TableIndexOptions(case_sensitive=False))
        await table.insert_many(ROWS, concurrency=5, chunk_size=10)
        read = await asyncio.gather(*[table.find_one(row, projection=["place"]) for row in key_filters()])
        step("async at once", read == [{"place": row["place"]} for row in ROWS[:40]])
        found = [row["place"] async for row in table.find({"word": "W3", "part": 1}, limit=60)]
        step("async find", sorted(found) == [row["place"] for row in ROWS if row["word"] == "w3" and row["part"] == 1])
        added = await table.alter(AlterTableAddColumns({"seen": {"type": "boolean"}}))
        await added.update_one({"part": 0, "place": 0}, {"$set": {"seen": True}})
        step("async alter, update", (await added.find_one({"part": 0, "place": 0}))["seen"] is True)
        left = await added.alter(AlterTableDropColumns("seen"))
        await left.delete_many({"part": 0, "place": {"$lt": 100}})
        step("async delete", len(await left.find({"part": 0}).to_list()) == 80)
        step("async definition", (await left.definition()).as_dict()["primaryKey"] == DEFINITION["primaryKey"])
        await left.drop()


def key_filters() -> list:
    return [{"part": row["part"], "place": row["place"]} for row in ROWS[:40]]


main()
