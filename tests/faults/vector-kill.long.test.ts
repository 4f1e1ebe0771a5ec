// kill -9 while vectors are loaded: every acknowledged one is found by a search after the next start.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeTemporaryDirectory, type RunningServer, startServer } from '../acceptance/start-server.js';
import { newSeed, type SeededRandom, seededRandom } from '../seeded-random.js';
import { vectorOfLabel } from '../vectors/brute-force.js';
import { DataClient, withDataClient } from './data-client.js';

const keyspace = '/default_keyspace';
const table = `${keyspace}/vectors`;
const dimension = 32;
const rowsPerBatch = 100;
/** Enough for a graph. */
const firstRows = 2500;

/** Rows up to this number are acknowledged. */
interface Loaded {
  through: number;
}

async function makeTable(client: DataClient): Promise<void> {
  const columns = { id: 'int', v: { type: 'vector', dimension } };
  await client.mustSend(keyspace, {
    createTable: { name: 'vectors', definition: { columns, primaryKey: 'id' } },
  });
  await client.mustSend(table, {
    createVectorIndex: { name: 'by_v', definition: { column: 'v', options: { metric: 'euclidean' } } },
  });
}

async function loadBatch(client: DataClient, loaded: Loaded): Promise<void> {
  const documents = Array.from({ length: rowsPerBatch }, (_, at) => {
    const id = loaded.through + at + 1;
    return { id, v: [...vectorOfLabel(id, dimension)] };
  });
  await client.mustSend(table, { insertMany: { documents } });
  loaded.through += rowsPerBatch;
}

/** Loads until the server is killed, at a random moment. */
async function loadUntilKilled(server: RunningServer, loaded: Loaded, random: SeededRandom): Promise<void> {
  const client = new DataClient(server.url);
  let isKilled = false;
  const killed = sleep(50 + random.below(400)).then(() => {
    isKilled = true;
    server.signal('SIGKILL');
  });
  try {
    for (;;) await loadBatch(client, loaded);
  } catch (error) {
    if (!isKilled) throw error;
  } finally {
    await killed;
    await server.ended;
    client.close();
  }
}

/** Each of some acknowledged rows must be the nearest to its own vector. */
async function checkSearches(
  server: RunningServer,
  { through }: Loaded,
  random: SeededRandom,
): Promise<void> {
  await withDataClient(server, async (client) => {
    for (let search = 0; search < 40; search += 1) {
      const id = through - random.below(search < 10 ? Math.min(through, 100) : through);
      const query = [...vectorOfLabel(id, dimension)];
      const { data } = await client.mustSend(table, {
        find: { sort: { v: query }, projection: { id: 1 }, options: { limit: 1 } },
      });
      assert.deepEqual(data, { documents: [{ id }], nextPageState: null }, `row ${id} of ${through}`);
    }
  });
}

describe('kill -9 while vectors are loaded', () => {
  it('leaves an index that finds every acknowledged row', async (test) => {
    const seed = newSeed();
    test.diagnostic(`seed ${seed}`);
    const random = seededRandom(seed);
    const dataDir = makeTemporaryDirectory();
    const loaded: Loaded = { through: 0 };
    let server = await startServer({ dataDir });
    try {
      const client = new DataClient(server.url);
      await makeTable(client);
      while (loaded.through < firstRows) await loadBatch(client, loaded);
      client.close();
      for (let round = 0; round < 4; round += 1) {
        // An orderly end leaves a snapshot, which the kills after it make old.
        if (round === 1) {
          await server.stop();
          server = await startServer({ dataDir });
        }
        await loadUntilKilled(server, loaded, random);
        server = await startServer({ dataDir });
        await checkSearches(server, loaded, random);
      }
      await server.stop();
    } finally {
      server.signal('SIGKILL'); // a failed check must not leave it behind
    }
  });
});
