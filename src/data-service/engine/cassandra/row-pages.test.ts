// Searches by an index that lacks rows: those of a small table are found nevertheless, and the work for it is bounded.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CqlPage, CqlStatement } from '../../../foundation/cassandra/cql-session.js';
import { CassandraFailure } from '../../../foundation/cassandra/session.js';
import { isJsonObject } from '../../../foundation/json/json-value.js';
import { parseJson } from '../../../foundation/json/parse-json.js';
import { MemoryShare } from '../../../foundation/limits/memory-share.js';
import { int } from '../../column-types/integers.js';
import { exactText } from '../../column-types/text-fold.js';
import { vectorOf } from '../../column-types/vector.js';
import { parseFilter } from '../../query/parse-filter.js';
import { finishRead, type ReadPlan } from '../../query/read.js';
import { type Column, makeTable, withIndexes } from '../../schema/table.js';
import { EngineError } from '../engine-error.js';
import { ReadTimeLimit } from '../read-time-limit.js';
import { RowSizes } from './known-rows.js';
import { readRows } from './reads.js';

const bare = makeTable(
  { id: 1, version: 1, keyspace: 'k' },
  {
    name: 't',
    columns: [
      { name: 'p', type: int },
      { name: 'n', type: int },
      { name: 'v', type: vectorOf(2) },
    ],
    partitionKey: ['p'],
    clustering: [],
  },
);
const vectorColumn = columnOf('v');
const table = withIndexes(bare, [
  { kind: 'regular', id: 1, name: 'index_n', column: columnOf('n'), fold: exactText },
  { kind: 'vector', id: 2, name: 'index_v', column: vectorColumn, metric: 'cosine', sourceModel: 'other' },
]);

function columnOf(name: string): Column {
  const found = bare.columns.find((column) => column.name === name);
  assert.ok(found);
  return found;
}

/** A node whose vector index lacks rows. In its place stands Cassandra 5.0, whose index lacks rows only rarely. */
class NodeWithLackingIndex {
  readonly searches: number[] = [];
  readonly reads: number[] = [];
  /** In milliseconds, of each read of the table. */
  readonly timeouts: number[] = [];
  /** What each read of the table fails with. */
  failure: Error | undefined;
  rowBytes = 24;
  readonly #count: number;
  readonly #vectors: number;
  readonly #lacking: readonly number[];

  /** Rows with the keys from 0 on; the first ones have a vector, the less similar the larger their key. */
  constructor(count: number, vectors: number, ...lacking: readonly number[]) {
    this.#count = count;
    this.#vectors = vectors;
    this.#lacking = lacking;
  }

  async run(
    { cql, values, pageRows = 0, timeoutMs = 0 }: CqlStatement,
    after: string | null = null,
  ): Promise<CqlPage> {
    if (cql.includes('ANN OF')) {
      const limit = values.at(-1)?.readInt32BE() ?? 0;
      this.searches.push(limit);
      const keys = Array.from({ length: this.#vectors }, (_, at) => at);
      return this.#page(keys.filter((key) => !this.#lacking.includes(key)).slice(0, limit), null);
    }
    this.reads.push(pageRows);
    this.timeouts.push(timeoutMs);
    if (this.failure !== undefined) throw this.failure;
    const first = Number(after ?? 0);
    const end = Math.min(first + pageRows, this.#count);
    const keys = Array.from({ length: end - first }, (_, at) => first + at);
    // Behind a full page Cassandra does not know yet whether there are more rows.
    return this.#page(keys, keys.length < pageRows ? null : String(end));
  }

  #page(keys: readonly number[], next: string | null): CqlPage {
    const rows = keys.map((key) => [key, key < this.#vectors ? Float32Array.of(100, key) : null]);
    return { rows, next, bytes: this.rowBytes * keys.length };
  }
}

const clock = { nowMs: () => 1000, monotonicMs: () => 0 };

/** The keys that a search of the rows near [100, 0] gives. */
async function found(node: NodeWithLackingIndex, limit: number, filter = '{}'): Promise<readonly unknown[]> {
  const parsed = parseJson(filter, { maxDepth: 9, maxNumberLength: 100 });
  assert.ok(isJsonObject(parsed));
  const plan: ReadPlan = {
    ...{ table, columns: table.keyColumns, filter: parseFilter(parsed, table) },
    search: { kind: 'vector', column: vectorColumn, query: Float32Array.of(100, 0), metric: 'cosine' },
    order: null,
    page: { after: null, limit, kind: 'single', maxBytes: Number.POSITIVE_INFINITY },
    form: 'values',
  };
  const sizes = new RowSizes();
  sizes.of(table, [...table.keyColumns, vectorColumn]).note(1_000, node.rowBytes);
  const outcome = await readRows(plan, {
    session: node,
    refuseOutdated: () => undefined,
    runAdmitted: (_, statement) => statement(),
    limitOf: () => new ReadTimeLimit(clock, 5_000),
    ...{ sizes, memory: new MemoryShare(2 ** 28), mostBytes: Number.POSITIVE_INFINITY },
  });
  return (await finishRead(plan, outcome)).rows.map(([key]) => key);
}

function keys(count: number): readonly number[] {
  return Array.from({ length: count }, (_, at) => at);
}

describe('RowPages of a search', () => {
  it('rows that a vector index lacks on a cluster: come where it finds fewer than are wanted', async () => {
    const node = new NodeWithLackingIndex(30, 20, 3, 7, 8);
    assert.deepEqual(await found(node, 1_000), keys(20));
    assert.deepEqual([node.searches, node.reads], [[1_000], [1_000]]);
    assert.deepEqual(await found(new NodeWithLackingIndex(30, 20, 3, 7, 8), 18), keys(18));
    assert.deepEqual(await found(new NodeWithLackingIndex(3, 0), 10), []);
  });

  it('takes one statement where the index finds as many as are wanted', async () => {
    const node = new NodeWithLackingIndex(30, 20, 3);
    assert.deepEqual(
      await found(node, 10),
      keys(11).filter((key) => key !== 3),
    );
    assert.deepEqual([node.searches, node.reads], [[10], []]);
  });

  it('reads a table of 1,000 rows, and no more of a larger one', async () => {
    assert.deepEqual(await found(new NodeWithLackingIndex(1_000, 9, 4), 10), keys(9));
    const node = new NodeWithLackingIndex(1_001, 9, 4);
    assert.deepEqual(
      await found(node, 10),
      keys(9).filter((key) => key !== 4),
    );
    assert.deepEqual(node.reads, [1_000, 1]);
  });

  it('reads no more than 64 MiB', async () => {
    const node = new NodeWithLackingIndex(900, 9, 4);
    node.rowBytes = 2 ** 20;
    assert.equal((await found(node, 10)).length, 8);
    assert.ok(node.reads.length > 0, 'it reads the table');
    const rows = node.reads.reduce((sum, each) => sum + each, 0);
    assert.ok(rows <= 2 * 64, `${rows} rows are asked for`);
  });

  it('reads nothing behind a filter: nodes compare all vectors of so few rows', async () => {
    const node = new NodeWithLackingIndex(30, 20, 3);
    assert.equal((await found(node, 1_000, '{"n":1}')).length, 19);
    assert.deepEqual(node.reads, []);
  });

  it('gives what the index found where too few nodes answer the read, and fails as others do', async () => {
    for (const kind of ['unavailable', 'failed', 'unanswered'] as const) {
      const node = new NodeWithLackingIndex(30, 20, 3);
      node.failure = new CassandraFailure(kind, 'two of three nodes are down');
      assert.equal((await found(node, 1_000)).length, 19, kind);
      assert.equal(node.reads.length, 1);
      // In the other half it is still possible to give the rows of the search.
      assert.ok(
        node.timeouts.every((ms) => ms > 2_000 && ms < 3_000),
        `${node.timeouts} of 5000 ms`,
      );
    }
    const node = new NodeWithLackingIndex(30, 20, 3);
    node.failure = new CassandraFailure('overloaded', 'too much to do');
    const isRefused = (error: unknown) => error instanceof EngineError && error.kind === 'overloaded';
    await assert.rejects(found(node, 1_000), isRefused);
  });
});
