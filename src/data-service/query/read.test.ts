// finishRead: the result is the same, whatever an engine leaves undone.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { int } from '../column-types/integers.js';
import { text } from '../column-types/text.js';
import { vectorOf } from '../column-types/vector.js';
import { makeTable } from '../schema/table.js';
import { matchAll } from './filter.js';
import { filterOperators } from './filter-operators.js';
import {
  finishRead as finish,
  type ReadOutcome,
  type ReadPage,
  type ReadPlan,
  type RowValues,
} from './read.js';
import { OutdatedPosition, writePosition } from './row-order.js';
import { maxReplyLength, writeRows } from './row-text.js';

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

/** v > 10, in descending order of id, two rows. */
const plan: ReadPlan = {
  table,
  columns: [v],
  filter: { kind: 'comparison', column: v, operator: filterOperators.$gt, operands: [10] },
  order: [{ column: id, direction: -1 }],
  page: { after: null, limit: 2, kind: 'paged', maxBytes: Number.POSITIVE_INFINITY },
  form: 'values',
  search: null,
};

/** The plan with another page. */
function paged(given: ReadPlan, page: Partial<ReadPage>): ReadPlan {
  return { ...given, page: { ...given.page, ...page } };
}

/** In the form [w, v, id], unordered. */
const stored: readonly RowValues[] = [
  [0, 15, 5],
  [0, null, 6],
  [0, 11, 1],
  [0, 3, 7],
  [0, 14, 4],
];
const filtered = stored.filter(([, value]) => Number(value) > 10);
const ordered = [stored[3], stored[1], stored[0], stored[4], stored[2]].filter((row) => row !== undefined);
const columns = [w, v, id];
const { order } = plan;
/** The id is after the other columns. */
const positionOf = (row: RowValues) => `behind ${row.at(-1)}`;
/** The position if the order is left undone. */
const behind = (key: number) => writePosition([{ column: id, direction: -1 }], [key]);

/** Always a promise. */
async function finishRead(...parameters: Parameters<typeof finish>) {
  return finish(...parameters);
}

describe('finishRead', () => {
  const outcomes: Readonly<Record<string, Pick<ReadOutcome, 'applied' | 'chunks'>>> = {
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
      assert.deepEqual(await finishRead(plan, { columns, order, positionOf, ...outcome }), {
        rows: [[15], [14]],
        next: outcome.applied.order ? 'behind 4' : behind(4),
        isCut: false,
      });
      const withoutPosition = paged(plan, { kind: 'single' });
      assert.deepEqual(await finishRead(withoutPosition, { columns, order, positionOf, ...outcome }), {
        rows: [[15], [14]],
        next: null,
        isCut: false,
      });
      assert.deepEqual(
        (await finishRead(paged(plan, { limit: 3 }), { columns, order, positionOf, ...outcome })).next,
        null,
      );
    });
  }

  it('continues behind a position where the order is left undone', async () => {
    const outcome = { columns, order, applied: { filter: false, order: false }, chunks: [stored] };
    const rest = await finishRead(paged(plan, { after: behind(5) }), outcome);
    assert.deepEqual(rest, { rows: [[14], [11]], next: null, isCut: false });
    const reversed = { ...outcome, order: [{ column: id, direction: 1 as const }] };
    await assert.rejects(finishRead(paged(plan, { after: behind(5) }), reversed), OutdatedPosition);
  });

  it('needs no key columns where nobody asks for the position', async () => {
    const withoutPosition = paged({ ...plan, filter: matchAll }, { kind: 'single' });
    const outcome = {
      columns: [v],
      order,
      applied: { filter: true, order: true },
      chunks: [[[1], [2], [3]]],
    };
    assert.deepEqual(await finishRead(withoutPosition, outcome), {
      rows: [[1], [2]],
      next: null,
      isCut: false,
    });
  });

  it('reports that rows ended for their size where the plan wants no position', async () => {
    const cut = {
      columns: [id, v],
      order,
      positionOf: ([key]: RowValues) => `behind ${key}`,
      applied: { filter: true, order: true },
      chunks: [[[9, 1]]],
      endedForSize: () => true,
    };
    const all = { ...plan, filter: matchAll, limit: 5 };
    assert.deepEqual(await finishRead(paged(all, { kind: 'single' }), cut), {
      rows: [[1]],
      next: null,
      isCut: true,
    });
    assert.deepEqual(await finishRead(all, cut), { rows: [[1]], next: 'behind 9', isCut: false });
  });

  it('says which column an engine left out', async () => {
    const outcome = { columns: [v], order, applied: { filter: false, order: false }, chunks: [[[11]]] };
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
    const outcome = {
      columns: [id],
      order,
      positionOf,
      applied: { filter: true, order: true },
      chunks: endless(),
    };
    const { rows, next } = await finishRead(paged({ ...plan, columns: [id] }, { limit: 3 }), outcome);
    assert.deepEqual([rows, next, given], [[[1], [2], [3]], 'behind 3', 4]);
  });
});

describe('what an engine leaves undone', () => {
  const undone = (filter: boolean, isOrdered: boolean): ReadOutcome => {
    return { columns, order, positionOf, applied: { filter, order: isOrdered }, chunks: chunksOf(ordered) };
  };
  const chunksOf = (rows: readonly RowValues[]) => rows.map((row) => [row]);
  const withoutPosition = paged(plan, { kind: 'single' });
  const many = { rows: 1000, bytes: 1000 };

  it('ends a page early when more rows than the limit would be looked at, and continues there', async () => {
    const end = await finishRead(plan, undone(false, true), { ...many, rows: 1 });
    assert.deepEqual(end, { rows: [], next: 'behind 7', isCut: false });
  });

  it('ends a page early when the rows have more bytes than may be held', async () => {
    const end = await finishRead(plan, undone(false, true), { ...many, bytes: 10 });
    assert.deepEqual(end, { rows: [[15]], next: 'behind 5', isCut: false });
  });

  it('refuses what has no position and looks at more rows than the limit', async () => {
    const reading = finishRead(withoutPosition, undone(false, true), { ...many, rows: 2 });
    await assert.rejects(reading, { code: 'TIMEOUT_READING_DATA' });
  });

  it('takes as many rows as may be looked at, and no more', async () => {
    const { rows } = await finishRead(paged(withoutPosition, { limit: 9 }), undone(false, true), {
      ...many,
      rows: 5,
    });
    assert.deepEqual(rows, [[15], [14], [11]]);
  });

  it('reports bytes beyond the limit as a sort only where rows are sorted', async () => {
    const unsorted = { ...withoutPosition, order: null };
    const tooLong = {
      code: 'TIMEOUT_READING_DATA',
      message: /more than 0.0000\d* MiB of rows would have to be held/,
    };
    await assert.rejects(finishRead(withoutPosition, undone(false, true), { ...many, bytes: 10 }), tooLong);
    await assert.rejects(finishRead(unsorted, undone(true, false), { ...many, bytes: 30 }), tooLong);
    await assert.rejects(finishRead(withoutPosition, undone(true, false), { ...many, bytes: 30 }), {
      code: 'OVERLOADED_SORT_ROW_LIMIT',
    });
  });

  it('reports rows that were looked at as sorted only where they match', async () => {
    const needsAll = paged(plan, { limit: 5, kind: 'complete' });
    for (const isOrdered of [false, true]) {
      const reading = finishRead(needsAll, undone(false, isOrdered), { ...many, rows: 4 });
      await assert.rejects(reading, { code: 'TIMEOUT_READING_DATA' });
    }
    const { next } = await finishRead(paged(needsAll, { limit: 2 }), undone(false, true), {
      ...many,
      rows: 5,
    });
    assert.equal(next, 'behind 4');
  });

  it('refuses to sort more rows than it may look at, or more bytes than it may hold', async () => {
    for (const limits of [
      { ...many, rows: 4 },
      { ...many, bytes: 30 },
    ]) {
      const reading = finishRead(plan, undone(true, false), limits);
      await assert.rejects(reading, { code: 'OVERLOADED_SORT_ROW_LIMIT' });
    }
    const { rows } = await finishRead(plan, undone(true, false), { rows: 5, bytes: 200 });
    assert.equal(rows.length, 2);
  });
});

describe('a search that an engine leaves undone', () => {
  const { columns: stored } = makeTable(
    { id: 2, version: 1, keyspace: 'k' },
    {
      name: 'v',
      columns: [
        { name: 'id', type: int },
        { name: 'vector', type: vectorOf(1) },
      ],
      partitionKey: ['id'],
      clustering: [],
    },
  );
  const [key, vector] = stored;
  assert.ok(key && vector);
  const search = {
    kind: 'vector' as const,
    column: vector,
    query: Float32Array.of(1),
    metric: 'dot_product' as const,
  };
  const nearest = paged({ ...plan, columns: [key], filter: matchAll, search }, { kind: 'single' });
  const given = [
    [5, 2],
    [4, 1],
    [7, null],
    [6, 2],
    [3, 2],
  ].map(([id, element]) => [id, element === null || element === undefined ? null : Float32Array.of(element)]);
  const undone = { columns: stored, applied: { filter: true, order: false }, chunks: [given] };
  const keysOf = (rows: readonly RowValues[]) => rows.map(([first]) => first);

  it('gives equally similar rows in the order of the plan', async () => {
    const byKey = [{ column: key, direction: 1 as const }];
    const { rows } = await finishRead({ ...nearest, order: byKey }, { ...undone, order: byKey });
    assert.deepEqual(keysOf(rows), [3, 5]);
  });

  it('leaves out vectors with elements that are not finite, which other clients stored', async () => {
    const chunks = [[[8, Float32Array.of(Number.NaN)], ...given, [9, Float32Array.of(Number.NaN)]]];
    const { rows } = await finishRead({ ...nearest, order: null }, { ...undone, chunks, order: null });
    assert.deepEqual(keysOf(rows), [5, 6]);
  });

  it('gives equally similar rows as they came where any order will do', async () => {
    const { rows } = await finishRead({ ...nearest, order: null }, { ...undone, order: null });
    assert.deepEqual(keysOf(rows), [5, 6]);
  });
});

describe('a read that took too long', () => {
  const done = { filter: true, order: true };
  const all = paged({ ...plan, columns: [id], filter: matchAll }, { limit: 10, kind: 'single' });
  const rows: readonly RowValues[] = [[1], [2], [3]];
  const over = new Error('the time is over');
  /** A deadline that ends at this number of checks. */
  const deadlineAfter = (looks: number) => {
    let left = looks;
    return {
      check: () => {
        left -= 1;
        if (left < 0) throw over;
      },
    };
  };

  it('ends while its rows are written, between two of them', async () => {
    const shown: ReadPlan = { ...all, form: 'text' };
    const outcome = (looks: number): ReadOutcome => {
      return { columns: [id], order, applied: done, chunks: [rows], deadline: deadlineAfter(looks) };
    };
    await assert.rejects(finishRead(shown, outcome(2)), over);
    assert.equal((await finishRead(shown, outcome(3))).written?.text, '{"id":1},{"id":2},{"id":3}');
  });

  it('ends while what the engine left undone is done', async () => {
    for (const applied of [done, { filter: true, order: false }, { filter: false, order: false }]) {
      const outcome = (looks: number): ReadOutcome => {
        return {
          columns: [id],
          order,
          applied,
          chunks: rows.map((row) => [row]),
          deadline: deadlineAfter(looks),
        };
      };
      await assert.rejects(finishRead(all, outcome(2)), over);
      assert.equal((await finishRead(all, outcome(3))).rows.length, 3);
    }
  });

  it('ends while a reply writes rows that were finished before', async () => {
    const outcome = { columns: [id], order, applied: done, chunks: [rows], deadline: deadlineAfter(2) };
    const result = await finishRead(all, outcome);
    assert.throws(() => writeRows(result.rows, [id], maxReplyLength, result.deadline), over);
  });
});

describe('a page that would be too long for a reply', () => {
  it('ends before the row that takes it over the limit, and continues there', async () => {
    const [key, note] = makeTable(
      { id: 2, version: 1, keyspace: 'k' },
      {
        name: 'notes',
        columns: [
          { name: 'id', type: int },
          { name: 'note', type: text },
        ],
        partitionKey: ['id'],
        clustering: [],
      },
    ).columns;
    assert.ok(key && note);
    const columns = [key, note];
    const order = [{ column: key, direction: 1 as const }];
    const shown: ReadPlan = { ...plan, columns, order, filter: matchAll, form: 'text' };
    const page = paged(shown, { limit: 50, maxBytes: 4_000_000 });
    const outcomeOf = (...lengths: readonly number[]) => ({
      columns,
      order,
      positionOf: ([at]: RowValues) => `behind ${at}`,
      applied: { filter: true, order: true },
      chunks: [lengths.map((length, at) => [at, 'x'.repeat(length)])],
    });
    const read = async (...lengths: readonly number[]) => {
      const { written, next } = await finishRead(page, outcomeOf(...lengths));
      assert.ok((written?.text.length ?? 0) <= maxReplyLength || written?.count === 1);
      return { count: written?.count, next };
    };
    const frame = '{"id":0,"note":""}'.length;
    const fitting = maxReplyLength - 2 * frame - 1 - 1000;
    assert.deepEqual(await read(1000, fitting - 1), { count: 2, next: null });
    assert.deepEqual(await read(1000, fitting + 1), { count: 1, next: 'behind 0' });
    assert.deepEqual(await read(1000, 1000, maxReplyLength), { count: 2, next: 'behind 1' });
    assert.deepEqual(await read(maxReplyLength, 1000), { count: 1, next: 'behind 0' });
  });
});
