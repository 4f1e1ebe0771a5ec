// Searches of a vector index while rows change or the vector thread ends.
import assert from 'node:assert/strict';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { sqlVectorLog } from '../../src/data-service/engine/embedded/file/sql-names.js';
import { orderedPlan } from '../../src/data-service/engine/embedded/statements/ordered-plan.js';
import { VectorIndexes } from '../../src/data-service/engine/embedded/vectors/vector-indexes.js';
import {
  indexedSearch,
  rankedOutcome,
} from '../../src/data-service/engine/embedded/vectors/vector-search.js';
import { ReadTimeLimit } from '../../src/data-service/engine/read-time-limit.js';
import { type Clock, systemClock } from '../../src/foundation/telemetry/clock.js';
import {
  change,
  createTable,
  createTableNamed,
  deleteRows,
  findTable,
  insert,
  makeKeyspace,
  readPlan,
} from '../conformance/engine-steps.js';
import { createVectorIndex } from '../conformance/index-steps.js';
import { newDataDirectory, openEmbedded } from '../conformance/open-embedded.js';

const rowCount = 50;
const limit = 5;

describe('a search of a vector index', { timeout: 60_000 }, () => {
  it('finds no row that was deleted, and leaves no gap, before the thread is notified of it', async (test) => {
    const { engine, table, search } = await openSearched(test);
    await deleteRows(engine, table, '{"id":2}');
    assert.deepEqual(await search(), [0, 1, 3, 4, 5]);
  });

  it('finds no row that is no longer near, before the thread is notified of it', async (test) => {
    const { engine, table, search } = await openSearched(test);
    await change(engine, table, '{"id":2}', '{"v":[40.5,0]}');
    assert.deepEqual(await search(), [0, 1, 3, 4, 5]);
  });

  it('finds rows of more columns than an expression of SQLite is deep', async (test) => {
    const texts = Object.fromEntries(Array.from({ length: 1100 }, (_, at) => [`t${at}`, 'text']));
    const { engine, table, search } = await openSearched(test, texts);
    await change(engine, table, '{"id":1}', '{"t0":"first","t1099":"last"}');
    assert.deepEqual(await search(), [0, 1, 2, 3, 4]);
  });

  it('is left to those who look at every row when the thread ends, also while it is under way', async (test) => {
    const { search, worker } = await openSearched(test);
    let started = 0;
    const count = () => {
      started += 1;
    };
    process.on('worker', count);
    test.after(() => process.off('worker', count));
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.postMessage(null); // no request: the thread fails
    assert.equal(await search(), undefined);
    await ended;
    assert.equal(await search(), undefined);
    await nextTurn();
    assert.equal(started, 0); // no other one, which would have no indexes
  });
});

describe('the vector thread', { timeout: 60_000 }, () => {
  it('is started again some time after it ended, with all indexes', async (test) => {
    const { search, worker } = await openSearched(test, {}, { pauseMs: 1 });
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.postMessage(null); // no request: the thread fails
    await ended;
    let found = await search();
    while (found === undefined) {
      await nextTurn();
      found = await search();
    }
    assert.deepEqual(found, [0, 1, 2, 3, 4]);
  });

  it('is started again after longer pauses until one has worked for an hour', async (test) => {
    let passedMs = 0;
    const clock = { ...systemClock, monotonicMs: () => passedMs };
    const pauseMs = 3;
    const { worker, search } = await openSearched(test, {}, { pauseMs, clock });
    const timers = test.mock.method(globalThis, 'setTimeout');
    const pauses = () =>
      timers.mock.calls
        .filter(({ stack }) => String(stack.stack).includes('vector-indexes'))
        .map(({ arguments: [, ms] }) => ms);
    let last = worker;
    for (const [lastedMs, expected] of [
      [0, [3]],
      [0, [3, 6]],
      [3_599_999, [3, 6, 12]],
      [3_600_000, [3, 6, 12, 3]],
    ] as const) {
      passedMs += lastedMs;
      const next = new Promise<Worker>((resolve) => process.once('worker', resolve));
      last.postMessage(null); // no request: the thread fails
      last = await next;
      assert.deepEqual(pauses(), expected);
    }
    while ((await search()) === undefined) {}
  });

  it('uses the indexes of all tables where the snapshot of one cannot be read, and where all are removed', async () => {
    const dataDirectory = newDataDirectory();
    const warnings: string[] = [];
    const searches: string[] = [];
    const options = {
      onWarning: (error: Error) => warnings.push(error.message),
      onVectorSearch: (by: string) => searches.push(by),
    };
    let engine = await openEmbedded(dataDirectory, options);
    await makeKeyspace(engine);
    const logs: string[] = [];
    for (const name of ['first', 'second']) {
      const plain = await createTableNamed(engine, name, { columns: { id: 'int', v: 'vector<float,2>' } });
      await insert(engine, plain, '{"id":1,"v":[1,0]}', '{"id":2,"v":[2,0]}');
      const table = await createVectorIndex(engine, plain, 'v', 'euclidean');
      const [index] = table.indexes;
      assert.ok(index?.kind === 'vector');
      logs.push(sqlVectorLog(table, index));
    }
    await engine.close();
    mkdirSync(join(dataDirectory, 'vectors', `${logs[0]}.graph`), { recursive: true });
    engine = await openEmbedded(dataDirectory, options);
    const untilIndexed = async (name: string) => {
      const table = await findTable(engine, name);
      const column = table?.columns.find((each) => each.name === 'v');
      assert.ok(table !== undefined && column !== undefined);
      const search = {
        kind: 'vector' as const,
        column,
        metric: 'euclidean' as const,
        query: Float32Array.of(0, 1),
      };
      do {
        const { chunks } = await engine.readRows(readPlan(table, '{}', { limit, search }));
        for await (const _ of chunks) {
        }
      } while (searches.at(-1) !== 'index');
      searches.length = 0;
    };
    try {
      for (const name of ['second', 'first']) await untilIndexed(name);
      const problem = `the snapshot of the vector index ${logs[0]} cannot be`;
      assert.deepEqual(
        warnings.map((message) => message.slice(0, problem.length)),
        [problem, problem],
      );
      rmSync(join(dataDirectory, 'vectors'), { recursive: true });
      await createTableNamed(engine, 'third', { columns: { id: 'int' } });
      for (const name of ['second', 'first']) await untilIndexed(name);
      assert.equal(warnings.length, 2);
    } finally {
      await engine.close();
    }
  });
});

/**
 * Rows in a line, and indexes on them beside the engine's own, which are not notified of changes. `search` gives the
 * rows nearest to the first; undefined if the index is not ready.
 */
async function openSearched(
  test: TestContext,
  moreColumns: Readonly<Record<string, string>> = {},
  { pauseMs, clock = systemClock }: { pauseMs?: number; clock?: Clock } = {},
) {
  const dataDirectory = newDataDirectory();
  const engine = await openEmbedded(dataDirectory);
  test.after(() => engine.close());
  const plain = await createTable(engine, { columns: { id: 'int', v: 'vector<float,2>', ...moreColumns } });
  const rows = Array.from({ length: rowCount }, (_, id) => `{"id":${id},"v":[${id},0]}`);
  await insert(engine, plain, ...rows);
  const table = await createVectorIndex(engine, plain, 'v', 'euclidean');
  await nextTurn(); // the end of the engine's threads is reported by then
  const started = new Promise<Worker>((resolve) => process.once('worker', resolve));
  const settings = {
    path: join(dataDirectory, 'data.db'),
    directory: join(dataDirectory, 'other-vectors'),
    quantization: 'int8' as const,
  };
  const onFailure = () => {}; // the failure of the thread that a test ends
  const indexes = new VectorIndexes(
    settings,
    { onSaved: () => {}, onWarning: unexpected, onFailure },
    { pauseMs, clock },
  );
  test.after(() => indexes.close());
  indexes.follow(await engine.readSchema());
  const index = table.indexes.find(({ kind }) => kind === 'vector');
  assert.ok(index?.kind === 'vector');
  const { column, metric } = index;
  const wanted = { kind: 'vector' as const, column, metric, query: Float32Array.of(0, 0.25) };
  const plan = orderedPlan(readPlan(table, '{}', { limit, search: wanted }), table.keyOrder);
  const search = async () => {
    const running = { plan, search: wanted, deadline: new ReadTimeLimit(systemClock, 10_000) };
    const found = await indexes.nearestRows(indexedSearch(running, index, undefined));
    if (found === null) return undefined;
    const ids: unknown[] = [];
    for await (const chunk of rankedOutcome(running, found).chunks) ids.push(...chunk.map(([id]) => id));
    return ids;
  };
  while ((await search()) === undefined) {} // it is being loaded
  return { engine, table, search, worker: await started };
}

function unexpected(): never {
  throw new Error('this was not to be called');
}
