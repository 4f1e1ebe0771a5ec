# The peer of `bench:text`: tantivy in one thread. Reads one JSON object, prints one.
import json
import os
import shutil
import sys
import time

import tantivy


def main():
    plan = json.loads(sys.argv[1])
    directory = plan["directory"]
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("body", tokenizer_name="default", index_option="freq")
    builder.add_integer_field("id", stored=True)
    builder.add_integer_field("kind", indexed=True)
    schema = builder.build()
    building = None
    if not os.path.exists(os.path.join(directory, "complete")):
        shutil.rmtree(directory, ignore_errors=True)
        os.makedirs(directory)
        building = build(schema, plan)
        open(os.path.join(directory, "complete"), "w").close()
    index = tantivy.Index(schema, path=directory)
    index.reload()
    searcher = index.searcher()
    times = {}
    for kind, searches in plan["searches"].items():
        queries = [query_of(schema, search) for search in searches]
        times[kind] = microseconds_of(searcher, queries, plan["seconds"])
    print(json.dumps({"rowMicroseconds": building, "microseconds": times}))


def build(schema, plan):
    """Microseconds of the processor for a text, with the merges behind it."""
    index = tantivy.Index(schema, path=plan["directory"])
    writer = index.writer(heap_size=200_000_000, num_threads=1)
    count = 0
    seconds = 0.0
    with open(plan["texts"], encoding="utf-8") as texts:
        lines = []
        for line in texts:
            lines.append(line)
            if len(lines) < 10_000:
                continue
            seconds += add(writer, count, lines)
            count += len(lines)
            lines = []
        seconds += add(writer, count, lines)
        count += len(lines)
    start = time.process_time()
    writer.commit()
    writer.wait_merging_threads()
    return (seconds + time.process_time() - start) * 1e6 / count


def add(writer, first, lines):
    start = time.process_time()
    for at, line in enumerate(lines):
        kind, body = line.split("\t", 1)
        writer.add_document(tantivy.Document(id=first + at, body=body, kind=int(kind)))
    return time.process_time() - start


def query_of(schema, search):
    terms = [(tantivy.Occur.Must, term(schema, "body", word)) for word in search["words"]]
    if search["kind"] is not None:
        kind = tantivy.Query.const_score_query(term(schema, "kind", search["kind"]), 0.0)
        terms.append((tantivy.Occur.Must, kind))
    return terms[0][1] if len(terms) == 1 else tantivy.Query.boolean_query(terms)


def term(schema, field, value):
    return tantivy.Query.term_query(schema, field, value, index_option="freq")


def microseconds_of(searcher, queries, seconds):
    for query in queries:
        searcher.search(query, 10, count=False)
    count = 0
    start = time.process_time()
    while True:
        for query in queries:
            searcher.search(query, 10, count=False)
        count += len(queries)
        spent = time.process_time() - start
        if spent >= seconds:
            return spent * 1e6 / count


main()
