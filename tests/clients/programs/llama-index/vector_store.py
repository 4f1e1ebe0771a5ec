"""The quick start of llama-index-vector-stores-astra-db. Argument: the server's URL."""

import functools
import sys

from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode
from llama_index.core.vector_stores.types import (
    ExactMatchFilter,
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryMode,
)
from llama_index.vector_stores.astra_db import AstraDBVectorStore, base

# The package takes only addresses of one hosted service, unless its client knows that the server is another one.
base.DataAPIClient = functools.partial(base.DataAPIClient, environment="other")

store = AstraDBVectorStore(
    token="token",
    api_endpoint=sys.argv[1],
    keyspace="default_keyspace",
    collection_name="llama",
    embedding_dimension=2,
)
nodes = [
    TextNode(
        text=f"text {at}",
        id_=f"node-{at}",
        metadata={"genre": "even" if at % 2 == 0 else "odd"},
        relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=f"source-{at}")},
        embedding=[1.0, at / 10],
    )
    for at in range(6)
]
assert store.add(nodes) == [node.node_id for node in nodes]
found = store.query(VectorStoreQuery(query_embedding=[1.0, 0.0], similarity_top_k=3))
assert found.ids == ["node-0", "node-1", "node-2"], found.ids
filters = MetadataFilters(filters=[ExactMatchFilter(key="genre", value="odd")])
found = store.query(VectorStoreQuery(query_embedding=[1.0, 0.0], similarity_top_k=2, filters=filters))
assert found.ids == ["node-1", "node-3"], found.ids
mmr = VectorStoreQuery(query_embedding=[1.0, 0.0], similarity_top_k=2, mode=VectorStoreQueryMode.MMR)
assert len(store.query(mmr).ids) == 2
store.delete("node-1")
found = store.query(VectorStoreQuery(query_embedding=[1.0, 0.0], similarity_top_k=6))
assert "node-1" not in found.ids and len(found.ids) == 5, found.ids
print("vector store")
