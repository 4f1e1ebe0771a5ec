// finishRead: whatever an engine leaves undone, the result is the same.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { int } from '../column-types/integers.js';
import { makeTable } from '../schema/table.js';
import { matchAll } from './filter.js';
import { filterOperators } from './filter-operators.js';
import { columnsToRead, finishRead, type ReadOutcome, type ReadPlan, type RowValues } from './read.js';

const table = makeTable(
  { id: 1, version: 1, keyspace: 'k' },
  {
    name: 't',
    columns: ['id', 'v', 'w'].map((name) => ({ name, type: int })),
    partitionKey: ['id'],
    clustering: [],
  },
);
const [id, v, w] = table.columns;
assert.ok(id && v && w);

/** v > 10, behind 2, in falling order of id, two rows. */
const plan: ReadPlan = {
  table,
  columns: [v],
  filter: { kind: 'comparison', column: v, operator: filterOperators.$gt, operands: [10] },
  order: [{ column: id, direction: -1 }],
  after: [8],
  limit: 2,
  wantsPosition: true,
};

/** As [w, v, id], in no order. */
const stored: readonly RowValues[] = [
  [0, 15, 5],
  [0, 19, 9],
  [0, null, 6],
  [0, 18, 8],
  [0, 11, 1],
  [0, 3, 7],
  [0, 14, 4],
];
const filtered = stored.filter(([, value]) => Number(value) > 10);
const ordered = [stored[5], stored[2], stored[0], stored[6], stored[4]].filter((row) => row !== undefined);
const columns = [w, v, id];

describe('finishRead', () => {
  const outcomes: Readonly<Record<string, Omit<ReadOutcome, 'columns'>>> = {
    'nothing is done': {
      applied: { filter: false, order: false },
      chunks: [stored.slice(0, 3), [], stored.slice(3)],
    },
    'the filter is done': { applied: { filter: true, order: false }, chunks: [filtered] },
    'the order is done': { applied: { filter: false, order: true }, chunks: [ordered] },
    'everything is done at once': {
      applied: { filter: true, order: true },
      chunks: [ordered.filter((row) => filtered.includes(row))],
    },
    'everything is done row by row': {
      applied: { filter: true, order: true },
      chunks: ordered.filter((row) => filtered.includes(row)).map((row) => [row]),
    },
  };
  for (const [name, outcome] of Object.entries(outcomes)) {
    it(`gives the same when ${name}`, async () => {
      assert.deepEqual(await finishRead(plan, { columns, ...outcome }), {
        rows: [[15], [14]],
        next: [4],
        isCut: false,
      });
      const unasked = { ...plan, wantsPosition: false };
      assert.deepEqual(await finishRead(unasked, { columns, ...outcome }), {
        rows: [[15], [14]],
        next: null,
        isCut: false,
      });
      assert.deepEqual((await finishRead({ ...plan, limit: 3 }, { columns, ...outcome })).next, null);
    });
  }

  it('needs no key columns where nobody asks for the position', async () => {
    const unasked = { ...plan, filter: matchAll, wantsPosition: false };
    const outcome = { columns: [v], applied: { filter: true, order: true }, chunks: [[[1], [2], [3]]] };
    assert.deepEqual(await finishRead(unasked, outcome), { rows: [[1], [2]], next: null, isCut: false });
  });

  it('tells that rows ended for their size where nobody asks for the position', async () => {
    const cut = {
      columns: [id, v],
      applied: { filter: true, order: true },
      chunks: [[[9, 1]]],
      endedForSize: () => true,
    };
    const all = { ...plan, filter: matchAll, limit: 5 };
    assert.deepEqual(await finishRead({ ...all, wantsPosition: false }, cut), {
      rows: [[1]],
      next: null,
      isCut: true,
    });
    assert.deepEqual(await finishRead(all, cut), { rows: [[1]], next: [9], isCut: false });
  });

  it('says which column an engine left out', async () => {
    const outcome = { columns: [v], applied: { filter: false, order: false }, chunks: [[[11]]] };
    await assert.rejects(finishRead(plan, outcome), /lack the column id/);
  });

  it('stops reading when it has what it wants', async () => {
    let given = 0;
    async function* endless(): AsyncIterable<readonly RowValues[]> {
      for (;;) {
        given += 1;
        yield [[given]];
      }
    }
    const outcome = { columns: [id], applied: { filter: true, order: true }, chunks: endless() };
    const { rows, next } = await finishRead({ ...plan, columns: [id], limit: 3 }, outcome);
    assert.deepEqual([rows, next, given], [[[1], [2], [3]], [3], 4]);
  });
});

describe('columnsToRead', () => {
  it('adds the columns of the order only where the position may be asked for', () => {
    assert.deepEqual(columnsToRead(plan), [v, id]);
    assert.equal(columnsToRead({ ...plan, wantsPosition: false }), plan.columns);
    assert.equal(columnsToRead({ ...plan, columns }), columns);
  });
});
