// The embedded engine restores a vector index from its snapshot when the file is opened again, or builds it again.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { sqlVectorLog } from '../../src/data-service/engine/embedded/file/sql-names.js';
import { newDataDirectory } from '../conformance/open-embedded.js';
import { seededRandom } from '../seeded-random.js';
import { clusteredVectors } from './brute-force.js';
import { answeredBy, dimension, enough, meanRecall, openForSearches } from './measured-searches.js';
import { SearchedTable } from './searched-table.js';

describe('the vector index of a data file that is opened again', () => {
  const vectors = clusteredVectors(seededRandom(6), 3030, dimension);
  const queries = vectors.splice(0, 20);

  async function saved(): Promise<{ directory: string; table: SearchedTable }> {
    const directory = newDataDirectory();
    const engine = await openForSearches(directory);
    const table = await SearchedTable.make(engine, dimension, 'cosine');
    await table.createIndex();
    await table.put(vectors.map((vector, id) => [id, vector]));
    await table.indexIsLoaded(answeredBy);
    await engine.close();
    assert.deepEqual(snapshots(directory).length, 1);
    return { directory, table };
  }

  const snapshots = (directory: string) => readdirSync(join(directory, 'vectors'));

  it('is restored from its snapshot and has the changes that came later', async () => {
    const { directory, table: before } = await saved();
    for (let round = 0; round < 2; round += 1) {
      const engine = await openForSearches(directory);
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

  it('is built again when its snapshot is damaged or from another time', async () => {
    const { directory, table: before } = await saved();
    const [name = ''] = snapshots(directory);
    const path = join(directory, 'vectors', name);
    const whole = readFileSync(path);
    const damages: readonly Buffer[] = [
      Buffer.from(whole).fill(1, whole.length - 5000, whole.length - 4000),
      whole.subarray(0, whole.length - 100_000),
      Buffer.from(whole.toString('latin1').replace(/"sequence":\d+/, '"sequence":999999'), 'latin1'),
      Buffer.from('no snapshot'),
    ];
    for (const damaged of damages) {
      writeFileSync(path, damaged);
      const engine = await openForSearches(directory);
      const table = await before.on(engine);
      await table.indexIsLoaded(answeredBy);
      assert.ok((await meanRecall(table, queries, 10)) >= enough);
      await engine.close();
    }
  });

  it('is built again when the option of its quantization changes', async () => {
    const { directory, table: before } = await saved();
    for (const quantization of ['none', 'none', 'int8'] as const) {
      const engine = await openForSearches(directory, undefined, quantization);
      const table = await before.on(engine);
      assert.ok((await meanRecall(table, queries, 10)) >= enough, 'while it is built');
      await table.indexIsLoaded(answeredBy);
      assert.ok((await meanRecall(table, queries, 10)) >= enough, quantization);
      await engine.close();
      assert.deepEqual(snapshots(directory).length, 1);
    }
  });

  it('is saved when another one cannot be, and the engine warns of that one', async () => {
    const directory = newDataDirectory();
    const warnings: string[] = [];
    const engine = await openForSearches(directory, ({ message }) => warnings.push(message));
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
    const reopened = await openForSearches(directory);
    for (const before of tables) {
      const table = await before.on(reopened);
      await table.indexIsLoaded(answeredBy);
      assert.ok((await meanRecall(table, queries, 10)) >= enough);
    }
    await reopened.close();
  });

  it('leaves nothing behind when it is dropped', async () => {
    const { directory, table: before } = await saved();
    const engine = await openForSearches(directory);
    const table = await before.on(engine);
    await table.dropIndex();
    await engine.close();
    assert.deepEqual(snapshots(directory), []);
  });
});
