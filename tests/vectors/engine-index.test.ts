// The embedded engine's vector index follows the rows: what is acknowledged is found by the next search.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { checkedEngine } from '../../src/data-service/engine/checked-engine.js';
import { openEmbeddedEngine } from '../../src/data-service/engine/embedded/embedded-engine.js';
import { sqlVectorLog } from '../../src/data-service/engine/embedded/file/sql-names.js';
import type { Engine } from '../../src/data-service/engine/engine.js';
import type { VectorMetric } from '../../src/data-service/schema/vector-index.js';
import { systemClock } from '../../src/foundation/telemetry/clock.js';
import { newDataDirectory } from '../conformance/open-embedded.js';
import { seededRandom } from '../seeded-random.js';
import { clusteredVectors } from './brute-force.js';
import { SearchedTable } from './searched-table.js';

const dimension = 32;
const metrics: readonly VectorMetric[] = ['cosine', 'dot_product', 'euclidean'];
const enough = 0.98;

/** What the last search was answered by. */
let by = '';
const answeredBy = () => by;

function fail(error: Error): never {
  throw error;
}

async function open(dataDirectory: string, onWarning: (error: Error) => void = fail): Promise<Engine> {
  const engine = await openEmbeddedEngine({
    dataDirectory,
    clock: systemClock,
    readTimeoutMs: 60_000,
    onFatal: fail,
    onWarning,
    onVectorSearch: (way) => {
      by = way;
    },
  });
  return checkedEngine(engine);
}

async function meanRecall(
  table: SearchedTable,
  queries: readonly Float32Array[],
  ...rest: [limit: number, filter?: string, passes?: (id: number) => boolean]
): Promise<number> {
  let sum = 0;
  for (const query of queries) sum += await table.recall(query, ...rest);
  return sum / queries.length;
}

describe('vector search on the embedded engine', () => {
  const vectors = clusteredVectors(seededRandom(5), 4100, dimension);
  const queries = vectors.splice(0, 20);
  let engine: Engine;

  before(async () => {
    engine = await open(newDataDirectory());
  });
  after(() => engine.close());

  async function filled(metric: VectorMetric, rows: number): Promise<SearchedTable> {
    const table = await SearchedTable.make(engine, dimension, metric);
    await table.createIndex();
    await table.put(vectors.slice(0, rows).map((vector, id) => [id, vector]));
    return table;
  }

  for (const metric of metrics) {
    it(`finds every row by ${metric} as soon as it is acknowledged, and none any more`, async () => {
      const table = await filled(metric, 300);
      await table.indexIsLoaded(answeredBy);
      const random = seededRandom(9);
      for (let change = 0; change < 150; change += 1) {
        const id = random.below(400);
        const kind = random.pick(['put', 'put', 'remove', 'clear'] as const);
        if (kind === 'put') await table.put([[id, random.pick(vectors)]]);
        else await table[kind](id);
        assert.equal(await table.recall(random.pick(queries), 20), 1);
        assert.equal(by, 'index');
      }
    });

    it(`finds rows by ${metric} through the graph while it grows`, async () => {
      const table = await filled(metric, 2500);
      await table.indexIsLoaded(answeredBy);
      assert.ok((await meanRecall(table, queries, 10)) >= enough);
      await table.put(vectors.slice(2500).map((vector, at) => [2500 + at, vector]));
      assert.ok((await meanRecall(table, queries, 10)) >= enough);
      for (let id = 0; id < 2000; id += 40) await table.remove(id);
      assert.ok((await meanRecall(table, queries, 10)) >= enough);
    });
  }

  it('applies filters, whether an index serves them or not', async () => {
    const table = await filled('cosine', 4000);
    await table.indexIsLoaded(answeredBy);
    const evens = (id: number) => id % 100 < 50;
    assert.ok((await meanRecall(table, queries, 10, '{"part":{"$lt":50}}', evens)) >= enough);
    assert.equal(await meanRecall(table, queries, 10, '{"part":7}', (id) => id % 100 === 7), 1);
    assert.equal(
      await meanRecall(table, queries, 3, '{"id":{"$in":[5,17,2000]}}', (id) => [5, 17, 2000].includes(id)),
      1,
    );
    assert.deepEqual((await table.find(queries[0] ?? new Float32Array(), 10, '{"part":1000}')).rows, []);
    assert.equal((await table.find(queries[0] ?? new Float32Array(), 1000)).rows.length, 1000);
  });

  it('indexes the rows that were there before the index, and answers meanwhile', async () => {
    const table = await SearchedTable.make(engine, dimension, 'euclidean');
    await table.put(vectors.slice(0, 3000).map((vector, id) => [id, vector]));
    await table.createIndex();
    assert.ok((await meanRecall(table, queries.slice(0, 3), 10)) >= enough);
    await table.indexIsLoaded(answeredBy);
    assert.ok((await meanRecall(table, queries, 10)) >= enough);
    await table.dropIndex();
    await table.put([[0, queries[0] ?? new Float32Array(dimension)]]);
    await table.createIndex();
    await table.indexIsLoaded(answeredBy);
    assert.equal((await table.find(queries[0] ?? new Float32Array(), 1)).rows[0]?.[0], 0);
  });
});

describe('the vector index of a data file that is opened again', () => {
  const vectors = clusteredVectors(seededRandom(6), 3030, dimension);
  const queries = vectors.splice(0, 20);

  async function saved(): Promise<{ directory: string; table: SearchedTable }> {
    const directory = newDataDirectory();
    const engine = await open(directory);
    const table = await SearchedTable.make(engine, dimension, 'cosine');
    await table.createIndex();
    await table.put(vectors.map((vector, id) => [id, vector]));
    await table.indexIsLoaded(answeredBy);
    await engine.close();
    assert.deepEqual(snapshots(directory).length, 1);
    return { directory, table };
  }

  const snapshots = (directory: string) => readdirSync(join(directory, 'vectors'));

  it('is taken from its snapshot and follows what came later', async () => {
    const { directory, table: before } = await saved();
    for (let round = 0; round < 2; round += 1) {
      const engine = await open(directory);
      const table = await before.on(engine);
      assert.ok((await meanRecall(table, queries, 10)) >= enough, 'while it is loaded');
      await table.indexIsLoaded(answeredBy);
      for (let id = round; id < 600; id += 20) await table.remove(id);
      await table.put([[5000 + round, queries[round] ?? new Float32Array(dimension)]]);
      assert.ok((await meanRecall(table, queries, 10)) >= enough, 'afterwards');
      for (const id of before.rows.keys()) if (!table.rows.has(id)) before.rows.delete(id);
      for (const [id, vector] of table.rows) before.rows.set(id, vector);
      await engine.close();
    }
  });

  it('is made anew when its snapshot is damaged or of another time', async () => {
    const { directory, table: before } = await saved();
    const [name = ''] = snapshots(directory);
    const path = join(directory, 'vectors', name);
    const whole = readFileSync(path);
    const damages: readonly Buffer[] = [
      Buffer.from(whole).fill(1, whole.length - 5000, whole.length - 4000),
      whole.subarray(0, whole.length - 100_000),
      Buffer.from(whole.toString('latin1').replace(/"sequence":\d+/, '"sequence":999999'), 'latin1'),
      Buffer.from('nothing of the kind'),
    ];
    for (const damaged of damages) {
      writeFileSync(path, damaged);
      const engine = await open(directory);
      const table = await before.on(engine);
      await table.indexIsLoaded(answeredBy);
      assert.ok((await meanRecall(table, queries, 10)) >= enough);
      await engine.close();
    }
  });

  it('is saved when another one cannot be, of which the engine warns', async () => {
    const directory = newDataDirectory();
    const warnings: string[] = [];
    const engine = await open(directory, ({ message }) => warnings.push(message));
    const tables: SearchedTable[] = [];
    for (let count = 0; count < 2; count += 1) {
      const table = await SearchedTable.make(engine, dimension, 'cosine');
      await table.createIndex();
      await table.put(vectors.map((vector, id) => [id, vector]));
      await table.indexIsLoaded(answeredBy);
      tables.push(table);
    }
    const logs = tables.flatMap(({ table }) => table.indexes.map((index) => sqlVectorLog(table, index)));
    const files = logs.map((log) => `${log}.graph`);
    const inTheWay = join(directory, 'vectors', files[0] ?? '');
    mkdirSync(join(inTheWay, 'something'), { recursive: true });
    await engine.close();
    assert.deepEqual(snapshots(directory).sort(), files.sort());
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? '', /snapshot/);
    rmSync(inTheWay, { recursive: true });
    const reopened = await open(directory);
    for (const before of tables) {
      const table = await before.on(reopened);
      await table.indexIsLoaded(answeredBy);
      assert.ok((await meanRecall(table, queries, 10)) >= enough);
    }
    await reopened.close();
  });

  it('leaves nothing behind when it is dropped', async () => {
    const { directory, table: before } = await saved();
    const engine = await open(directory);
    const table = await before.on(engine);
    await table.dropIndex();
    await engine.close();
    assert.deepEqual(snapshots(directory), []);
  });
});
