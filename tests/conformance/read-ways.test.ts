// Whichever way a read is carried out: one limit for the time of all its work, and no values made that are only shown.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { rowsText } from '../../src/data-service/commands/reply.js';
import { checkedEngine } from '../../src/data-service/engine/checked-engine.js';
import type { HostingEngine } from '../../src/data-service/engine/embedded/embedded-engine.js';
import { type EngineHost, openGuestEngine } from '../../src/data-service/engine/embedded/guest-engine.js';
import type { Engine } from '../../src/data-service/engine/engine.js';
import { finishRead, type ReadPlan, type RowValues } from '../../src/data-service/query/read.js';
import { WrittenValue } from '../../src/data-service/query/row-text.js';
import { similarityColumn } from '../../src/data-service/query/vector-search.js';
import type { Table } from '../../src/data-service/schema/table.js';
import { SharedTurns } from '../../src/foundation/shared-turns.js';
import { systemClock } from '../../src/foundation/telemetry/clock.js';
import {
  createTable,
  deleteRows,
  insert,
  type PlanChanges,
  planWith,
  readPlan,
  refuses,
} from './engine-steps.js';
import { createVectorIndex } from './index-steps.js';
import { newDataDirectory, openEmbedded, smallSlices } from './open-embedded.js';

const rowCount = 40;
const timeoutMs = 1000;
const columns = {
  ...{ p: 'int', c: 'int', note: 'text', l: 'list<text>', s: 'set<decimal>', m: 'map<text,double>' },
  ...{ v: 'vector<float,2>', w: 'vector<float,2>' },
};

/** Moved by tests, and by itself with every look at it. */
const time = { nowMs: 0, stepMs: 0 };
const clock = {
  nowMs: () => 0,
  monotonicMs: () => {
    time.nowMs += time.stepMs;
    return time.nowMs;
  },
};

let hosting: HostingEngine;
let dataDirectory: string;
let table: Table;
let searchedBy = '';
/** Engines that share the rows. */
const engines: { name: string; engine: () => Engine }[] = [
  { name: 'the embedded engine', engine: () => checkedEngine(hosting) },
  { name: 'a guest', engine: () => guest },
];
let guest: Engine;

function openGuest(host: Partial<EngineHost> = {}): Engine {
  const options = { dataDirectory, clock, readTimeoutMs: timeoutMs };
  return checkedEngine(openGuestEngine(options, { ...hosting.host, ...host }));
}

before(async () => {
  dataDirectory = newDataDirectory();
  hosting = await openEmbedded(dataDirectory, {
    clock,
    readTimeoutMs: timeoutMs,
    turns: new SharedTurns(systemClock),
    slices: smallSlices,
    onVectorSearch: (by) => {
      searchedBy = by;
    },
  });
  const plain = await createTable(hosting, { columns, partitionKey: ['p'], clustering: { c: 1 } });
  const rows = Array.from({ length: rowCount }, (_, c) => {
    const containers =
      c % 5 === 0 ? '' : `"l":["a,\\u0001\\"",""],"s":[${c}.50,-1],"m":{"é\\n":0.1,"":${c}},`;
    return `{"p":1,"c":${c},"note":"${c % 2 === 0 ? 'x' : 'y'}",${containers}"v":[1,${c}],"w":[${c},1]}`;
  });
  await insert(hosting, plain, ...rows);
  table = await createVectorIndex(hosting, plain, 'v', 'euclidean');
  guest = openGuest();
  const plan = searchPlan('v');
  do await finishRead(plan, await hosting.readRows(plan));
  while (searchedBy !== 'index');
});
after(async () => {
  await guest.close();
  await hosting.close();
});

function searchPlan(name: 'v' | 'w', changes: PlanChanges = {}): ReadPlan {
  const column = table.columnsByName.get(name);
  assert.ok(column !== undefined);
  const search = { kind: 'vector', column, metric: 'euclidean', query: Float32Array.of(1, 0) } as const;
  return readPlan(table, '{}', {
    search,
    limit: rowCount,
    columns: [...table.columns, similarityColumn],
    ...changes,
  });
}

/** By what rows are found, and how many. */
const ways: readonly (readonly [way: string, rows: number, plan: () => ReadPlan])[] = [
  ['a key', 1, () => readPlan(table, '{"p":1,"c":3}')],
  ['a page', rowCount, () => readPlan(table, '{"p":1}')],
  ['a walk through all rows', rowCount / 2, () => readPlan(table, '{"note":"y"}')],
  ['a file scan', 1, () => readPlan(table, '{"note":"y","c":{"$gte":39}}', { limit: 30 })],
  ['stretches', rowCount, () => readPlan(table, '{"$or":[{"p":1},{"p":4}]}')],
  ['a search of all rows', rowCount, () => searchPlan('w')],
  ['a search of an index', rowCount, () => searchPlan('v')],
];

async function read(engine: Engine, plan: ReadPlan): Promise<readonly RowValues[]> {
  return (await finishRead(plan, await engine.readRows(plan))).rows;
}

for (const { name, engine } of engines) {
  describe(`a read of ${name}`, () => {
    for (const [way, count, makePlan] of ways) {
      it(`by ${way} gives lists, sets and maps as they are stored where they are only shown`, async () => {
        const plan = makePlan();
        const values = await read(engine(), plan);
        const shown = await read(engine(), planWith(plan, { form: 'shown' }));
        assert.equal(values.length, count);
        const written = values.map((row) =>
          plan.columns.map(({ type }, at) => {
            const isWritten = type.container !== undefined && row[at] !== null;
            return isWritten ? new WrittenValue(type.serialize(row[at])) : row[at];
          }),
        );
        assert.deepEqual(shown, written);
        assert.equal(
          rowsText({ rows: shown, next: null, isCut: false }, plan.columns),
          rowsText({ rows: values, next: null, isCut: false }, plan.columns),
        );
      });

      it(`by ${way} ends between the rows that are decoded when its time is over`, async () => {
        time.stepMs = timeoutMs / (count === 1 ? 0.5 : 10);
        try {
          await refuses('timeout', read(engine(), makePlan()));
        } finally {
          time.stepMs = 0;
        }
        assert.equal((await read(engine(), makePlan())).length, count);
      });

      it(`by ${way} ends between the rows that are written when its time is over`, async () => {
        const plan = makePlan();
        const result = await finishRead(plan, await engine().readRows(plan));
        rowsText(result, plan.columns);
        time.nowMs += timeoutMs + 1;
        assert.throws(() => rowsText(result, plan.columns), /over 1000 ms/);
        const isWrittenBySql = { columns: plan.columns.filter(({ type }) => type.vector === undefined) };
        for (const changes of plan.search === null ? [{}, isWrittenBySql] : []) {
          const shown = planWith(plan, { ...changes, form: 'text' });
          const outcome = await engine().readRows(shown);
          time.nowMs += timeoutMs + 1;
          if (outcome.written === undefined)
            await refuses('timeout', Promise.resolve(finishRead(shown, outcome)));
        }
      });
    }

    for (const [name, column] of [
      ['all rows', 'w'],
      ['an index', 'v'],
    ] as const) {
      it(`by a search of ${name} gives no row where they are too large together`, async () => {
        const plan = searchPlan(column, { maxBytes: 500 });
        const outcome = await engine().readRows(plan);
        assert.deepEqual(outcome.chunks, [[]]);
        assert.equal((await finishRead(plan, outcome)).isCut, true);
      });
    }
  });
}

describe('a guest that has to ask an index again', () => {
  it('gives it the time that is left of the read', async () => {
    const left: number[] = [];
    const asking = openGuest({
      findNearest: async (search) => {
        left.push(search.nearest.time.leftMs);
        const found = await hosting.host.findNearest(search);
        if (!search.isAgain) await deleteRows(hosting, table, '{"p":1,"c":0}');
        time.nowMs += 400;
        return found;
      },
    });
    try {
      const found = await read(asking, searchPlan('v', { limit: 2 }));
      assert.deepEqual(
        found.map(([, c]) => c),
        [1, 2],
      );
      assert.deepEqual(left, [timeoutMs, timeoutMs - 400]);
    } finally {
      await asking.close();
    }
  });
});
