// Breaks every rule of the engine's contract once, by a caller or an engine, and checks that the wrapper reports it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { counter, int } from '../column-types/integers.js';
import { matchAll } from '../query/filter.js';
import { filterOperators } from '../query/filter-operators.js';
import { finishRead, type ReadOutcome, type ReadPlan, type RowValues } from '../query/read.js';
import { WrittenValue } from '../query/row-text.js';
import { makeTable } from '../schema/table.js';
import { ContractViolation } from './check-calls.js';
import { checkedEngine } from './checked-engine.js';
import type { Engine } from './engine.js';
import { EngineError } from './engine-error.js';

const table = makeTable(
  { id: 1, version: 1, keyspace: 'k' },
  {
    name: 't',
    columns: ['p', 'c', 'v'].map((name) => ({ name, type: int })),
    partitionKey: ['p'],
    clustering: [{ name: 'c', direction: -1 }],
  },
);
const [p, c, v] = table.columns;
assert.ok(p && c && v);

const counts = makeTable(
  { id: 2, version: 1, keyspace: 'k' },
  {
    name: 'counts',
    columns: [
      { name: 'id', type: int },
      { name: 'n', type: counter },
    ],
    partitionKey: ['id'],
    clustering: [],
  },
);
const [, n] = counts.columns;
assert.ok(n);

const plan: ReadPlan = {
  table,
  columns: table.columns,
  filter: matchAll,
  order: table.keyOrder,
  page: { after: null, limit: 10, kind: 'paged', maxBytes: Number.POSITIVE_INFINITY },
  form: 'values',
  search: null,
};
/** The outcome of all of `plan`, with positions that are not named. */
const unnamed = {
  columns: table.columns,
  order: plan.order,
  applied: { filter: true, order: true },
  chunks: [],
};
const empty = { ...unnamed, positionOf: () => 'there' };
const behind = ([own, clustering]: RowValues) => `behind ${own},${clustering}`;

describe('a checked engine notices', () => {
  const rowPlan = (columns: readonly (typeof p)[], values: RowValues) => ({
    table,
    rows: [{ columns, values }],
  });
  const change = (key: RowValues, columns: readonly (typeof p)[]) => ({
    table,
    key,
    changes: columns.map((column) => ({ kind: 'set', column, value: 1 }) as const),
  });
  const push = { kind: 'push', column: v, value: [1] } as const;
  const byCallers: Readonly<Record<string, (engine: Engine) => unknown>> = {
    'a row with fewer values than columns': (e) => e.insertRows(rowPlan([p, c, v], [1, 2])),
    'a row without its key': (e) => e.insertRows(rowPlan([p, v], [1, 2])),
    'a row with null in its key': (e) => e.insertRows(rowPlan([p, c], [1, null])),
    'a read of no rows': (e) => e.readRows({ ...plan, page: { ...plan.page, limit: 0 } }),
    'a read of half a row': (e) => e.readRows({ ...plan, page: { ...plan.page, limit: 1.5 } }),
    'an order of no columns': (e) => e.readRows({ ...plan, order: [] }),
    'a change without a whole key': (e) => e.changeRow(change([1], [v])),
    'a change with null in its key': (e) => e.changeRow(change([1, null], [v])),
    'a change of nothing': (e) => e.changeRow(change([1, 2], [])),
    'a push to a column that is not a list, set or map': (e) =>
      e.changeRow({ table, key: [1, 2], changes: [push] }),
    'an addition to a column that is not a counter': (e) =>
      e.changeRow({ table, key: [1, 2], changes: [{ kind: 'add', column: v, value: 1 }] }),
    'a counter that is set': (e) =>
      e.changeRow({ table: counts, key: [1], changes: [{ kind: 'set', column: n, value: 1n }] }),
    'a counter that is inserted': (e) =>
      e.insertRows({ table: counts, rows: [{ columns: counts.columns, values: [1, 1n] }] }),
    'a change of a key column': (e) => e.changeRow(change([1, 2], [v, c])),
  };
  for (const [name, call] of Object.entries(byCallers)) {
    it(`${name}, and keeps it from the engine`, async () => {
      const engine = checkedEngine(engineOf({}));
      await assert.rejects(async () => call(engine), ContractViolation);
    });
  }

  const outcomes: Readonly<Record<string, readonly [plan: ReadPlan, outcome: ReadOutcome]>> = {
    'rows without a wanted column': [plan, { ...empty, columns: [p, c] }],
    'rows whose positions are not named': [plan, { ...unnamed, chunks: atOnce([1, 3, 0], [1, 2, 0]) }],
    'later rows whose positions are not named': [plan, { ...unnamed, chunks: later([[1, 3, 0]]) }],
    'rows in another order than the plan wants': [plan, { ...empty, order: table.keyOrder.toReversed() }],
    'an order left undone that no columns name': [
      { ...plan, order: null },
      { ...empty, order: null, applied: { filter: true, order: false } },
    ],
    'rows without what the undone filter compares': [
      {
        ...plan,
        columns: [p],
        page: { ...plan.page, kind: 'single' },
        filter: { kind: 'comparison', column: v, operator: filterOperators.$eq, operands: [1] },
      },
      { ...empty, columns: [p], applied: { filter: false, order: true } },
    ],
    'rows without what the undone order needs': [
      { ...plan, columns: [v], page: { ...plan.page, kind: 'single' } },
      { ...empty, columns: [v], applied: { filter: true, order: false } },
    ],
    'rows of another width': [plan, { ...empty, chunks: atOnce([1, 2]) }],
    'a value as text that no plan allows': [
      plan,
      { ...empty, chunks: atOnce([1, 2, new WrittenValue('3')]) },
    ],
    'rows of another width that come later': [plan, { ...empty, chunks: later([[1, 2, 3]], [[1, 2, 3, 4]]) }],
    'rows out of order': [plan, { ...empty, chunks: atOnce([1, 2, 0], [1, 3, 0]) }],
    'a row twice': [plan, { ...empty, chunks: later([[1, 2, 0]], [[1, 2, 0]]) }],
    'a row twice in one chunk': [plan, { ...empty, chunks: atOnce([1, 2, 0], [1, 2, 0]) }],
    'a continued read that begins with the row of its position': [
      { ...plan, page: { ...plan.page, after: 'behind 1,5' } },
      { ...empty, positionOf: behind, chunks: atOnce([1, 5, 0]) },
    ],
    'a continued read that begins with the row of its position, later': [
      { ...plan, page: { ...plan.page, after: 'behind 1,5' } },
      { ...empty, positionOf: behind, chunks: later([], [[1, 5, 0]]) },
    ],
  };
  it('a page that is repeated where a read is continued', async () => {
    const rows = atOnce([1, 6, 0], [1, 5, 0], [1, 4, 0]);
    for (const chunks of [rows, later(...rows)]) {
      const outcome = { ...empty, positionOf: behind, chunks };
      const engine = checkedEngine(engineOf({ readRows: async () => outcome }));
      const again = { ...plan, page: { ...plan.page, after: 'behind 1,5', limit: 2 } };
      await assert.rejects(async () => finishRead(again, await engine.readRows(again)), ContractViolation);
    }
  });

  it('a page as text that is repeated where a read is continued', async () => {
    const written = { text: '{"p":1}', count: 1, next: 'behind 1,5' };
    const outcome = { ...unnamed, written };
    const engine = checkedEngine(engineOf({ readRows: async () => outcome }));
    const shown: ReadPlan = { ...plan, form: 'text', page: { ...plan.page, limit: 1 } };
    assert.equal(await engine.readRows(shown), outcome);
    await assert.rejects(
      engine.readRows({ ...shown, page: { ...shown.page, after: 'behind 1,5' } }),
      ContractViolation,
    );
  });

  it('a native result whose rows have more values than columns', async () => {
    const result = { columns: [{ name: 'n', type: 'int' }], rows: [['1'], ['1', '2']] };
    const engine = checkedEngine(engineOf({ runNative: async () => result }));
    assert.ok(engine.runNative);
    await assert.rejects(engine.runNative('SELECT'), ContractViolation);
  });

  for (const [name, [wanted, outcome]] of Object.entries(outcomes)) {
    it(name, async () => {
      const engine = checkedEngine(engineOf({ readRows: async () => outcome }));
      await assert.rejects(async () => {
        for await (const _ of (await engine.readRows(wanted)).chunks);
      }, ContractViolation);
    });
  }

  it('an insert with fewer outcomes than rows', async () => {
    const engine = checkedEngine(engineOf({ insertRows: async () => ({ rows: [] }) }));
    await assert.rejects(engine.insertRows(rowPlan([p, c], [1, 2])), ContractViolation);
  });

  it('answers after it was closed', async () => {
    const engine = checkedEngine(engineOf({}));
    await engine.close();
    const calls = [
      async () => engine.readSchema(),
      () => engine.changeSchema({ kind: 'dropKeyspace', name: 'k' }),
      () => engine.insertRows(rowPlan([p, c], [1, 2])),
      () => engine.readRows(plan),
      () => engine.changeRow(change([1, 2], [v])),
      () => engine.deleteRows({ table, filter: matchAll }),
    ];
    for (const call of calls) await assert.rejects(call, ContractViolation);
  });
});

describe('a checked engine passes on', () => {
  it('what keeps the contract, unchanged', async () => {
    const outcome = { ...empty, chunks: [...atOnce([1, 3, 0], [1, 2, 0]), [[2, 9, null]]] };
    const engine = checkedEngine(engineOf({ readRows: async () => outcome }));
    assert.equal(await engine.readRows(plan), outcome);
    assert.equal(engine.name, 'sample');
  });

  it('rows in no order where the order is left undone', async () => {
    const applied = { filter: true, order: false };
    const outcome = { ...empty, applied, chunks: atOnce([1, 2, 0], [1, 3, 0]) };
    const engine = checkedEngine(engineOf({ readRows: async () => outcome }));
    assert.equal(await engine.readRows(plan), outcome);
  });

  it('failures, and the refusals of a closed engine', async () => {
    const failure = new EngineError('closed', 'closed');
    const engine = checkedEngine(engineOf({ readSchema: () => Promise.reject(failure) }));
    await engine.close();
    await assert.rejects(async () => engine.readSchema(), failure);
  });
});

function atOnce(...rows: readonly RowValues[]): readonly (readonly RowValues[])[] {
  return [rows];
}

async function* later(...chunks: readonly (readonly RowValues[])[]): AsyncIterable<readonly RowValues[]> {
  yield* chunks;
}

/** An engine whose calls all fail, except the given ones. */
function engineOf(parts: Partial<Engine>): Engine {
  return {
    name: 'sample',
    readSchema: async () => ({ keyspaces: new Map() }),
    changeSchema: async () => {},
    insertRows: async ({ rows }) => ({ rows: rows.map(() => null) }),
    readRows: async ({ columns }) => ({ ...empty, columns }),
    changeRow: async () => {},
    deleteRows: async () => {},
    close: async () => {},
    ...parts,
  };
}
