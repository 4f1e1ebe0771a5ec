"""The quick start of langchain-astradb: a vector store of documents. Argument: the server's URL."""

import sys

from astrapy.info import VectorServiceOptions
from langchain_astradb import AstraDBVectorStore
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding

URL = sys.argv[1]
DOCUMENTS = [
    Document(page_content="I had chocolate chip pancakes for breakfast.", metadata={"source": "tweet"}),
    Document(page_content="The weather forecast for tomorrow is cloudy.", metadata={"source": "news"}),
    Document(page_content="Building an exciting new project with LangChain!", metadata={"source": "tweet"}),
    Document(page_content="Robbers broke into the city bank.", metadata={"source": "news"}),
    Document(page_content="LangGraph is the best framework for stateful agents!", metadata={"source": "tweet"}),
]
IDS = [f"doc_{at}" for at in range(len(DOCUMENTS))]
CONNECTION = {"api_endpoint": URL, "token": "token", "namespace": "default_keyspace", "environment": "other"}


def use(store):
    """Adds, searches, changes and deletes documents, as the quick start does."""
    assert store.add_documents(documents=DOCUMENTS, ids=IDS) == IDS
    found = store.similarity_search("LangChain project", k=2, filter={"source": "tweet"})
    assert len(found) == 2 and all(each.metadata == {"source": "tweet"} for each in found), found
    scored = store.similarity_search_with_score("Robbers broke into the city bank.", k=1)
    assert scored[0][0].page_content == "Robbers broke into the city bank.", scored
    assert 0.9 < scored[0][1] <= 1.0001, scored
    retriever = store.as_retriever(search_type="mmr", search_kwargs={"k": 2, "fetch_k": 4})
    assert len(retriever.invoke("Stealing from the bank is a crime")) == 2
    assert store.get_by_document_id("doc_1").metadata == {"source": "news"}
    assert store.update_metadata({"doc_1": {"source": "radio", "year": 2024}}) == 1
    assert store.metadata_search(filter={"year": 2024})[0].metadata["source"] == "radio"
    assert len(store.metadata_search(filter={"$or": [{"source": "radio"}, {"source": "news"}]})) == 2
    # The same id again replaces the document.
    store.add_texts(["Nothing happened at the bank."], ids=["doc_3"], metadatas=[{"source": "news"}])
    assert store.get_by_document_id("doc_3").page_content == "Nothing happened at the bank."
    assert store.delete(ids=["doc_0", "doc_2"])
    assert store.get_by_document_id("doc_0") is None
    store.clear()
    assert store.similarity_search("anything", k=3) == []
    store.delete_collection()


use(AstraDBVectorStore(collection_name="fake", embedding=DeterministicFakeEmbedding(size=8), **CONNECTION))
print("own embedding")

service = VectorServiceOptions(provider="colonnade", model_name="hashed-ngrams")
use(AstraDBVectorStore(collection_name="vectorize", collection_vector_service_options=service, **CONNECTION))
print("vectorize")
