# Measures the vector libraries of Python on the data of a folder, with one thread, and prints a line of JSON for each
# figure. `library-runs.ts` starts it; the packages are in requirements.txt beside it.
import json
import os
import sys
import time

import numpy

plan = json.loads(sys.argv[1])
folder, dimension, limit, rounds = plan["folder"], plan["dimension"], plan["limit"], plan["rounds"]


def floats(name):
    return numpy.fromfile(os.path.join(folder, name), dtype=numpy.float32).reshape(-1, dimension)


rows, queries = floats("rows"), floats("queries")
with open(os.path.join(folder, "truth.json")) as file:
    truth = json.load(file)
with open(os.path.join(folder, "filters.json")) as file:
    filters = json.load(file)


def recall_of(found, wanted):
    hits = sum(len(set(map(int, labels)) & set(near)) for labels, near in zip(found, wanted))
    return hits / sum(len(near) for near in wanted)


def report(library, kind, recall, microseconds):
    figure = {"library": library, "kind": kind, "recall": recall, "microseconds": microseconds}
    print(json.dumps(figure), flush=True)


def microseconds_of(search, count):
    """The median of rounds, of the time of the processor for one of `count` searches."""
    taken = []
    for _ in range(rounds):
        start = time.process_time()
        search()
        taken.append((time.process_time() - start) / count * 1e6)
    return sorted(taken)[len(taken) // 2]


def reach(library, kind, wanted, near, steps, search):
    """Reports the first of some settings that reaches a recall; `search(step, queries)` gives lists of labels."""
    recall = 0
    for step in steps:
        recall = recall_of(search(step, queries[: len(near)]), near)
        if recall >= wanted:
            report(library, kind, recall, microseconds_of(lambda: search(step, queries), len(queries)))
            return
    report(library, kind, recall, None)


def built(library, build):
    start = time.process_time()
    index = build()
    rate = len(rows) / (time.process_time() - start)
    report(library, "rows built a second", None, rate)
    return index


breadths = [10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 64, 80, 96, 128, 192, 256, 384, 512]


def measure_svs():
    import svs

    parameters = svs.VamanaBuildParameters(graph_max_degree=64, window_size=128, alpha=0.95)
    index = built("SVS", lambda: svs.Vamana.build(parameters, rows, svs.DistanceType.MIP, num_threads=1))

    def search(breadth, asked):
        index.search_window_size = breadth
        return index.search(asked, limit)[0]

    for wanted in plan["recalls"]:
        reach("SVS", f"recall {wanted}", wanted, truth, breadths, search)


def measure_scann():
    import scann

    leaves = int(len(rows) ** 0.5)
    builder = scann.scann_ops_pybind.builder(rows, limit, "dot_product")
    builder = builder.tree(leaves, 64, training_sample_size=len(rows)).score_ah(2, anisotropic_quantization_threshold=0.2)
    index = built("ScaNN", lambda: builder.reorder(100).set_n_training_threads(1).build())

    def search(searched, asked):
        return index.search_batched(asked, leaves_to_search=searched)[0]

    steps = [5, 10, 15, 20, 30, 40, 60, 80, 120, leaves]
    for wanted in plan["recalls"]:
        reach("ScaNN", f"recall {wanted}", wanted, truth, steps, search)


def measure_qdrant():
    import qdrant_edge as edge

    place = os.path.join(folder, "qdrant")
    os.makedirs(place)
    config = edge.EdgeConfig(
        vectors=edge.EdgeVectorParams(size=dimension, distance=edge.Distance.Dot),
        hnsw_config=edge.HnswIndexConfig(m=16, ef_construct=128, full_scan_threshold=1000, max_indexing_threads=1),
        optimizers=edge.EdgeOptimizersConfig(default_segment_number=1, indexing_threshold=1000),
        max_search_threads=1,
    )
    shard = edge.EdgeShard.create(place, config)
    keys = {name: f"filter{place}" for place, name in enumerate(filters["passing"])}
    passes = {keys[name]: set(labels) for name, labels in filters["passing"].items()}

    def point(row):
        payload = {key: int(row in labels) for key, labels in passes.items()}
        return edge.Point(row, rows[row].tolist(), payload)

    def build():
        for start in range(0, len(rows), 1000):
            points = [point(row) for row in range(start, min(start + 1000, len(rows)))]
            shard.update(edge.UpdateOperation.upsert_points(points))
        for key in passes:
            shard.update(edge.UpdateOperation.create_field_index(key, edge.PayloadSchemaType.Integer))
        shard.optimize()
        return shard

    built("qdrant-edge", build)

    def searcher(key):
        only = None
        if key is not None:
            only = edge.Filter(must=[edge.FieldCondition(key, match=edge.MatchValue(1))])

        def search(breadth, asked):
            parameters = edge.SearchParams(hnsw_ef=breadth)
            requests = (
                edge.QueryRequest(limit, query=edge.Query.Nearest(query), filter=only, params=parameters)
                for query in asked.tolist()
            )
            return [[found.id for found in shard.query(request)] for request in requests]

        return search

    for wanted in plan["recalls"]:
        reach("qdrant-edge", f"recall {wanted}", wanted, truth, breadths, searcher(None))
    for name, near in filters["truth"].items():
        reach("qdrant-edge", name, plan["filteredRecall"], near, breadths, searcher(keys[name]))
    search = searcher(None)
    searched, start = 0, time.process_time()
    for slot in range(plan["slots"]):
        for place in range(plan["insertsInSlot"]):
            row = slot * plan["insertsInSlot"] + place
            added = edge.Point(len(rows) + row, rows[row].tolist(), {})
            shard.update(edge.UpdateOperation.upsert_points([added]))
        while time.process_time() - start < (slot + 1) * plan["slotSeconds"]:
            search(plan["servedBreadth"], queries[searched % 900 :][:5])
            searched += 5
    report("qdrant-edge", plan["besideInserts"], None, (time.process_time() - start) / searched * 1e6)
    shard.close()


for measure in (measure_svs, measure_scann, measure_qdrant):
    try:
        measure()
    except ImportError as error:
        print(json.dumps({"library": error.name, "kind": "is not installed", "recall": None, "microseconds": None}))
