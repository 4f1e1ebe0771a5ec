"""Drives collections of documents with astrapy: creation, values, cursors, updates, searches, errors."""

import datetime
import uuid
from decimal import Decimal

from astrapy.constants import DefaultIdType, ReturnDocument, VectorMetric
from astrapy.data_types import DataAPITimestamp, DataAPIVector
from astrapy.exceptions import (
    CollectionDeleteManyException,
    CollectionInsertManyException,
    DataAPIResponseException,
    TooManyDocumentsToCountException,
)
from astrapy.ids import ObjectId
from astrapy.info import CollectionDefinition
from astrapy.utils.api_options import APIOptions, SerdesOptions

from steps import connect, step


def code_of(work) -> object:
    """The code of the error with which a call fails."""
    try:
        return work()
    except DataAPIResponseException as failure:
        return failure.error_descriptors[0].error_code
    except CollectionDeleteManyException as failure:
        return failure.cause.error_descriptors[0].error_code


def main() -> None:
    database = connect()
    definition = (
        CollectionDefinition.builder()
        .with_vector_dimension(2)
        .with_vector_metric(VectorMetric.COSINE)
        .with_indexing("deny", ["secret"])
        .build()
    )
    people = database.create_collection("people", definition=definition)
    step("createCollection again", database.create_collection("people", definition=definition).name == "people")
    options = people.options()
    step("options", options.vector.dimension == 2 and options.indexing == {"deny": ["secret"]})
    step("rerank is on", options.rerank.enabled and options.rerank.service.provider == "colonnade")
    step("lexical is on", options.lexical.enabled and options.lexical.analyzer == "standard")
    step("listCollections", [one.name for one in database.list_collections()] == ["people"])
    other = CollectionDefinition.builder().with_vector_dimension(3).build()
    step(
        "other options",
        code_of(lambda: database.create_collection("people", definition=other))
        == "EXISTING_COLLECTION_DIFFERENT_SETTINGS",
    )

    born = datetime.datetime(1815, 12, 10, tzinfo=datetime.timezone.utc)
    whole = {
        "_id": uuid.UUID("f47ac10b-58cc-4372-a567-0e02b2c3d479"),
        "born": born,
        "object": ObjectId("507f1f77bcf86cd799439011"),
        "nothing": None,
        "nested": {"list": [1, "two", {"three": True}], "empty": {}},
        "$vector": DataAPIVector([0.5, 0.25]),
    }
    step("insertOne", people.insert_one(whole).inserted_id == whole["_id"])
    found = people.find_one({"_id": whole["_id"]}, projection={"*": True})
    step("vector", found["$vector"] == DataAPIVector([0.5, 0.25]))
    step("date", found["born"] == DataAPITimestamp.from_datetime(born))
    step("values", all(found[name] == whole[name] for name in ("_id", "object", "nothing", "nested")))
    step("filter on a date", people.find_one({"born": born})["_id"] == whole["_id"])
    step("filter on an element", people.find_one({"nested.list": "two"})["_id"] == whole["_id"])
    step("projection of $vector", len(people.find_one({}, projection={"$vector": True})) == 6)

    for whole_number in (10**60, 1 - 10**98):
        people.insert_one({"_id": "integer", "n": whole_number})
        read = people.find_one({"n": whole_number})["n"]
        step("integer of many digits", isinstance(read, int) and read == whole_number)
        people.delete_one({"_id": "integer"})
    exact = people.with_options(
        api_options=APIOptions(serdes_options=SerdesOptions(use_decimals_in_collections=True))
    )
    number = Decimal("12345678901234567890.1234567890123456789")
    exact.insert_one({"_id": "decimal", "n": number})
    step("decimal", exact.find_one({"_id": "decimal"})["n"] == number)
    people.delete_many({})

    documents = [{"_id": at, "even": at % 2 == 0, "tags": [f"t{at % 3}"], "$vector": [1, at]} for at in range(1000)]
    step("insertMany", len(people.insert_many(documents).inserted_ids) == 1000)
    step("find all", len(people.find({}).to_list()) == 1000)
    step("limit over pages", len(people.find({"even": True}, limit=58).to_list()) == 58)
    step("sorted page", len(people.find({}, sort={"_id": -1}, limit=500).to_list()) == 50)
    step("skip", people.find({}, sort={"_id": 1}, skip=7, limit=1).to_list()[0]["_id"] == 7)
    step("count", people.count_documents({"tags": "t1"}, upper_bound=1000) == 333)
    step("estimated count", people.estimated_document_count() == 1000)
    people.insert_one({"_id": "one more"})
    try:
        people.count_documents({}, upper_bound=1000)
        step("count of more than 1000", "no exception")
    except TooManyDocumentsToCountException as failure:
        step("count of more than 1000", failure.server_max_count_exceeded)
    step("distinct", sorted(people.distinct("tags")) == ["t0", "t1", "t2"])
    cursor = people.find({"even": False}, sort={"$vector": [1, 500]}, limit=3, include_similarity=True, include_sort_vector=True)
    near = cursor.to_list()
    step("search by vector", len(near) == 3 and all(one["$similarity"] > 0.9 for one in near))
    step("sort vector", cursor.get_sort_vector() == DataAPIVector([1, 500]))
    updated = people.update_many({"_id": {"$lt": 120}}, {"$set": {"touched": True}, "$inc": {"n": 1}})
    step("updateMany", updated.update_info["n"] == 120 and updated.update_info["nModified"] == 120)
    step("deleteMany", people.delete_many({"touched": True}).deleted_count == 120)
    step("delete all", people.delete_many({}).deleted_count == -1)

    people.insert_many([{"_id": 1, "n": 1}, {"_id": 2, "n": 5}])
    after = people.find_one_and_update({}, {"$inc": {"n": 10}}, sort={"n": -1}, return_document=ReturnDocument.AFTER)
    step("findOneAndUpdate", after == {"_id": 2, "n": 15})
    step("no change", people.find_one_and_update({"_id": 1}, {"$set": {"n": 1}}) == {"_id": 1, "n": 1})
    step("findOneAndReplace", people.find_one_and_replace({"_id": 1}, {}, return_document=ReturnDocument.AFTER) == {"_id": 1})
    step("findOneAndDelete", people.find_one_and_delete({"_id": 1}) == {"_id": 1})
    step("findOneAndDelete of nothing", people.find_one_and_delete({"_id": 1}) is None)
    step("replaceOne", people.replace_one({"_id": 2}, {"n": 3}).update_info["nModified"] == 1)
    upserted = people.update_one({"_id": "new"}, {"$setOnInsert": {"$vector": DataAPIVector([1, 2])}}, upsert=True)
    step("upsert", upserted.update_info["upserted"] == "new")
    step("no upsert", "upserted" not in people.update_one({"_id": "none"}, {"$set": {"a": 1}}).update_info)
    step("deleteOne", people.delete_one({"_id": "new"}).deleted_count == 1)
    people.delete_many({})

    try:
        people.insert_many([{"_id": 3 if at == 15 else at} for at in range(20)], ordered=True)
        step("duplicates", "no exception")
    except CollectionInsertManyException as failure:
        step("duplicates", len(failure.inserted_ids) == 15 and len(failure.exceptions) == 1)
    step("duplicate", code_of(lambda: people.insert_one({"_id": 1})) == "DOCUMENT_ALREADY_EXISTS")
    step("skip without a sort", code_of(lambda: people.find({}, skip=1).to_list()) == "COMMAND_FIELD_VALUE_INVALID")
    step("not indexed", code_of(lambda: people.find_one({"secret": 1})) == "FILTER_PATH_UNINDEXED")
    unknown = database.get_collection("nowhere")
    for name, work in (
        ("find", lambda: unknown.find({}).to_list()),
        ("deleteMany", lambda: unknown.delete_many({})),
        ("count", lambda: unknown.count_documents({}, upper_bound=10)),
    ):
        step(f"{name} of no collection", code_of(work) == "UNKNOWN_COLLECTION_OR_TABLE")

    for kind, version in ((DefaultIdType.UUID, 4), (DefaultIdType.UUIDV6, 6), (DefaultIdType.UUIDV7, 7)):
        made = database.create_collection(
            f"ids_{version}", definition=CollectionDefinition.builder().with_default_id(kind).build()
        )
        inserted = made.insert_one({}).inserted_id
        step(f"ids of version {version}", (inserted.bytes[6] >> 4) == version)
        step("dropCollection", database.drop_collection(made.name) is None)

    notes = database.create_collection(
        "notes",
        definition=CollectionDefinition.builder().with_vector_service("colonnade", "hashed-ngrams").build(),
    )
    notes.insert_many(
        [
            {"_id": 1, "$hybrid": "a boiler was repaired"},
            {"_id": 2, "$vectorize": "an invoice for the new roof", "$lexical": "invoice"},
            {"_id": 3, "$hybrid": "sunshine in the south"},
        ]
    )
    step("$vectorize", notes.find_one({}, sort={"$vectorize": "repairing boilers"})["_id"] == 1)
    step("$match", notes.count_documents({"$lexical": {"$match": "invoice"}}, upper_bound=10) == 1)
    step("$lexical", notes.find_one({}, sort={"$lexical": "sunshine"})["_id"] == 3)
    ranked = notes.find_and_rerank(
        sort={"$hybrid": "a boiler"}, limit=2, include_scores=True, include_sort_vector=True
    )
    first = ranked.to_list()[0]
    step("findAndRerank", first.document["_id"] == 1 and first.scores["$rrf"] > 0.03)
    step("findAndRerank: the vector", len(ranked.get_sort_vector()) == 384)
    providers = database.get_database_admin().find_reranking_providers().reranking_providers
    step("findRerankingProviders", providers["colonnade"].is_default and "nvidia" in providers)
    step("end", True)


main()
