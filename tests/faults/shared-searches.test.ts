// Checks searches whose rows the main thread reads, when rows or the vector thread go between the finds and the rows.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { openForReading } from '../../src/data-service/engine/embedded/file/open-for-reading.js';
import { orderedPlan } from '../../src/data-service/engine/embedded/statements/ordered-plan.js';
import { VectorIndexes } from '../../src/data-service/engine/embedded/vectors/vector-indexes.js';
import {
  indexedSearch,
  rankedOutcome,
} from '../../src/data-service/engine/embedded/vectors/vector-search.js';
import { ReadTimeLimit } from '../../src/data-service/engine/read-time-limit.js';
import type { Table } from '../../src/data-service/schema/table.js';
import type { Database } from '../../src/foundation/sqlite/open-database.js';
import { systemClock } from '../../src/foundation/telemetry/clock.js';
import { change, createTable, deleteRows, insert, readPlan } from '../conformance/engine-steps.js';
import { createVectorIndex } from '../conformance/index-steps.js';
import { newDataDirectory, openEmbedded } from '../conformance/open-embedded.js';

const rowCount = 50;
const limit = 5;

describe('a search whose rows the main thread reads', { timeout: 60_000 }, () => {
  it('is repeated when a row was deleted', async (test) => {
    const { engine, table, search } = await openSearched(test);
    const first = await search(() => deleteRows(engine, table, '{"id":2}'));
    assert.deepEqual(first, { ids: [0, 1, 3, 4, 5], reads: 1, isSure: false });
    assert.deepEqual(await search(), { ids: [0, 1, 3, 4, 5], reads: 1, isSure: true });
  });

  it('is repeated when a row is no longer near', async (test) => {
    const { engine, table, search } = await openSearched(test);
    const found = await search(() => change(engine, table, '{"id":2}', '{"v":[40.5,0]}'));
    assert.deepEqual(found, { ids: [0, 1, 3, 4, 5], reads: 1, isSure: false });
  });

  const large = [
    { column: 'note', value: `"${'x'.repeat(100_000)}"` },
    { column: 'data', value: `{"$binary":"${Buffer.alloc(100_000).toString('base64')}"}` },
  ];
  for (const { column, value } of large) {
    it(`is left to the thread when a row is large, in the column ${column}, whatever is as near`, async (test) => {
      const { engine, table, search, indexes } = await openSearched(test);
      for (let id = 1; id <= limit + 1; id += 1) await change(engine, table, `{"id":${id}}`, '{"v":[0,0]}');
      indexes.changed(table);
      assert.deepEqual(await search(), { ids: [0, 1, 2, 3, 4], reads: 1, isSure: true });
      await change(engine, table, '{"id":2}', `{"${column}":${value}}`);
      assert.deepEqual(await search(), { ids: [0, 1, 2, 3, 4], reads: 1, isSure: false });
    });
  }

  it('takes rows of ordinary size, one with nothing but its key and its vector among them', async (test) => {
    const { engine, table, search } = await openSearched(test);
    for (let id = 1; id < limit; id += 1)
      await change(engine, table, `{"id":${id}}`, `{"note":"${'x'.repeat(60_000)}"}`);
    assert.deepEqual(await search(), { ids: [0, 1, 2, 3, 4], reads: 1, isSure: true });
  });

  it('takes rows of more columns than an expression of SQLite is deep', async (test) => {
    const texts = Object.fromEntries(Array.from({ length: 1100 }, (_, at) => [`t${at}`, 'text']));
    const { engine, table, search } = await openSearched(test, texts);
    await change(engine, table, '{"id":1}', '{"t0":"first","t1099":"last"}');
    assert.deepEqual(await search(), { ids: [0, 1, 2, 3, 4], reads: 1, isSure: true });
  });

  it('is left to those who look at every row when the thread ends', async (test) => {
    const { engine, table, search, worker } = await openSearched(test);
    let started = 0;
    const count = () => {
      started += 1;
    };
    process.on('worker', count);
    test.after(() => process.off('worker', count));
    const found = await search(async () => {
      const ended = new Promise((resolve) => worker.once('exit', resolve));
      worker.postMessage(null); // no request: the thread fails
      await ended;
      await deleteRows(engine, table, '{"id":2}');
    });
    assert.deepEqual(found, { ids: undefined, reads: 1, isSure: false });
    assert.deepEqual(await search(), { ids: undefined, reads: 0, isSure: false });
    await nextTurn();
    assert.equal(started, 0); // no other one, which would have no indexes
  });
});

/**
 * Rows in a line, and indexes on them beside the engine's own. `search` gives the nearest to the first, how often rows
 * were read and whether they were taken for the best; it does something before they are read.
 */
async function openSearched(test: TestContext, moreColumns: Readonly<Record<string, string>> = {}) {
  const dataDirectory = newDataDirectory();
  const engine = await openEmbedded(dataDirectory);
  test.after(() => engine.close());
  const columns = { id: 'int', note: 'text', data: 'blob', v: 'vector<float,2>', ...moreColumns };
  const plain = await createTable(engine, { columns });
  const rows = Array.from({ length: rowCount }, (_, id) => `{"id":${id},"v":[${id},0]}`);
  await insert(engine, plain, ...rows);
  const table: Table = await createVectorIndex(engine, plain, 'v', 'euclidean');
  const path = join(dataDirectory, 'data.db');
  const database = openForReading(path, 1024 * 1024);
  test.after(() => database.close());
  let before = async () => {};
  let reads = 0;
  let isSure = false;
  const reader = {
    async read<Result>(run: (database: Database) => Result): Promise<Result> {
      reads += 1;
      await before();
      const result = run(database);
      isSure = (result as { readonly isSure?: boolean }).isSure === true;
      return result;
    },
  };
  await nextTurn(); // the end of the engine's threads is reported by then
  const started = new Promise<Worker>((resolve) => process.once('worker', resolve));
  const settings = { path, directory: join(dataDirectory, 'other-vectors') };
  const onFailure = () => {}; // of the thread that a test ends
  const indexes = new VectorIndexes(
    settings,
    { onSaved: () => {}, onWarning: unexpected, onFailure },
    { reader, fewestWaiting: 1 },
  );
  test.after(() => indexes.close());
  indexes.follow(await engine.readSchema());
  const index = table.indexes.find(({ kind }) => kind === 'vector');
  assert.ok(index?.kind === 'vector');
  const { column, metric } = index;
  const wanted = { kind: 'vector' as const, column, metric, query: Float32Array.of(0, 0.25) };
  const plan = orderedPlan(readPlan(table, '{}', { limit, search: wanted }), table.keyOrder);
  const search = async (doBefore = async () => {}) => {
    before = doBefore;
    reads = 0;
    isSure = false;
    const running = { plan, search: wanted, deadline: new ReadTimeLimit(systemClock, 10_000) };
    const rows = await indexes.nearestRows(indexedSearch(running, index));
    if (rows === null) return { ids: undefined, reads, isSure };
    const ids: unknown[] = [];
    for await (const chunk of rankedOutcome(running, rows).chunks) ids.push(...chunk.map(([id]) => id));
    return { ids, reads, isSure };
  };
  while ((await search()).ids === undefined) {} // it is being loaded
  return { engine, table, search, indexes, worker: await started };
}

function unexpected(): never {
  throw new Error('this was not to be called');
}
