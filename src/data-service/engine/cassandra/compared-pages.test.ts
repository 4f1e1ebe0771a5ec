// Which statements a read takes whose filter is left to the server, where rows are wide and where they are not.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CqlPage, CqlStatement } from '../../../foundation/cassandra/cql-session.js';
import { isJsonObject } from '../../../foundation/json/json-value.js';
import { parseJson } from '../../../foundation/json/parse-json.js';
import { MemoryShare } from '../../../foundation/limits/memory-share.js';
import { int } from '../../column-types/integers.js';
import { text } from '../../column-types/text.js';
import { parseFilter } from '../../query/parse-filter.js';
import { finishRead, type ReadPlan } from '../../query/read.js';
import { makeTable } from '../../schema/table.js';
import { ReadTimeLimit } from '../read-time-limit.js';
import { RowSizes } from './known-rows.js';
import { readRows } from './reads.js';

const table = makeTable(
  { id: 1, version: 1, keyspace: 'k' },
  {
    name: 't',
    columns: [
      { name: 'p', type: int },
      { name: 'c', type: int },
      { name: 'n', type: int },
      { name: 't', type: text },
    ],
    partitionKey: ['p'],
    clustering: [{ name: 'c', direction: 1 }],
  },
);

/** The rows of a partition for each number, in this order, as a node gives them: `n` is `values[p]`. */
class Node {
  readonly asked: string[] = [];
  readonly values: readonly number[];
  readonly bytes: number;
  /** Rows that are gone when they are read by their key. */
  readonly gone: ReadonlySet<number>;

  constructor(values: readonly number[], bytes: number, gone: readonly number[] = []) {
    this.values = values;
    this.bytes = bytes;
    this.gone = new Set(gone);
  }

  async run({ cql, values, pageRows = 1_000 }: CqlStatement, page: string | null = null): Promise<CqlPage> {
    const [, columns = '', where = ''] = /^SELECT (.*) FROM \S+(?: WHERE (.*))?$/.exec(cql) ?? [];
    const numbers = values.map((value) => value?.readInt32BE() ?? 0);
    this.asked.push(`${columns} ${where} ${numbers.join()}`.trim());
    const [first = 0] = numbers;
    const isOne = where === '"p" = ? AND "c" = ?';
    if (where.startsWith('"p"') && !isOne) return { rows: [], next: null, bytes: 0 };
    const begin = page === null ? (where === '' ? 0 : first + (isOne ? 0 : 1)) : Number(page);
    const end = isOne ? begin + 1 : Math.min(begin + pageRows, this.values.length);
    const names = columns.split(', ').map((name) => name.slice(1, -1));
    const rows = this.values
      .slice(begin, end)
      .map((n, at) => ({ p: begin + at, c: 0, n, t: 'x'.repeat(this.bytes) }))
      .filter(({ p }) => !isOne || !this.gone.has(p))
      .map((row) => names.map((name) => Reflect.get(row, name)));
    const bytes = rows.length * (names.includes('t') ? this.bytes + 30 : 30);
    return { rows, next: isOne || end === this.values.length ? null : String(end), bytes };
  }
}

async function found(node: Node, limit = 1_000, changes: Partial<ReadPlan> = {}) {
  const filter = parseJson('{"n":{"$ne":0}}', { maxDepth: 9, maxNumberLength: 9 });
  assert.ok(isJsonObject(filter));
  const clock = { nowMs: () => 1000, monotonicMs: () => 0 };
  const plan: ReadPlan = {
    table,
    columns: table.columns,
    filter: parseFilter(filter, table),
    order: null,
    page: { after: null, limit, kind: 'paged', maxBytes: Number.POSITIVE_INFINITY },
    form: 'values',
    search: null,
    ...changes,
  };
  const outcome = await readRows(plan, {
    session: node,
    refuseOutdated: () => undefined,
    runAdmitted: (_, statement) => statement(),
    limitOf: () => new ReadTimeLimit(clock, 5_000),
    sizes: new RowSizes(),
    memory: new MemoryShare(2 ** 26),
    mostBytes: Number.POSITIVE_INFINITY,
  });
  return finishRead(plan, outcome);
}

const whole = '"p", "c", "n", "t"';
const narrow = '"n", "p", "c"';
const few = Array.from({ length: 100 }, (_, at) => (at % 25 === 24 ? 1 : 0));

describe('a read whose filter is left to the server', () => {
  it('reads what is compared, and whole rows of those that match, where rows are wide', async () => {
    const node = new Node(few, 10_000);
    const { rows } = await found(node);
    assert.deepEqual(
      rows.map(([p, , n, t]) => [p, n, (t as string).length]),
      [24, 49, 74, 99].map((p) => [p, 1, 10_000]),
    );
    assert.deepEqual(node.asked.slice(0, 3), [
      whole,
      `${narrow} "p" = ? AND "c" > ? 15,0`,
      `${narrow} token("p") > token(?) 15`,
    ]);
    const ofRows = node.asked.filter((each) => each.includes('"c" = ?'));
    assert.deepEqual(
      ofRows,
      [24, 49, 74, 99].map((p) => `${whole} "p" = ? AND "c" = ? ${p},0`),
    );
    assert.ok(!node.asked.slice(1).includes(whole));
  });

  it('reads whole rows where they are not wide, and where many match', async () => {
    const many = few.map((_, at) => at % 4);
    for (const node of [new Node(few, 1_500), new Node(many, 10_000)]) {
      await found(node);
      assert.deepEqual([...new Set(node.asked)], [whole]);
    }
  });

  it('names the row behind which the next page begins, also one that does not match', async () => {
    const node = new Node(few, 10_000);
    const first = await found(node, 2);
    assert.deepEqual(
      first.rows.map(([p]) => p),
      [24, 49],
    );
    const page = { after: first.next, limit: 2, kind: 'paged', maxBytes: Number.POSITIVE_INFINITY } as const;
    const { rows, next } = await found(new Node(few, 10_000), 2, { page });
    assert.deepEqual(
      rows.map(([p]) => p),
      [74, 99],
    );
    assert.equal(next, null);
  });

  it('leaves out rows that were deleted before they were read whole', async () => {
    const { rows } = await found(new Node(few, 10_000, [24, 74]));
    assert.deepEqual(
      rows.map(([p]) => p),
      [49, 99],
    );
  });
});
