// A server that is stopped while its archive cannot be reached continues the generation at its next start.
import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { insertAll, move, rowsOf, send } from '../acceptance/between-servers.js';
import { makeTemporaryDirectory, withServer } from '../acceptance/start-server.js';
import { generationsIn } from './apply-archive.js';
import { restoreFrom, startArchived } from './archived-server.js';

const people = '/default_keyspace/people';

describe('a server that is stopped while its archive is away', () => {
  const root = makeTemporaryDirectory();
  const place = { archive: join(root, 'archive'), args: [] };
  const dataDir = join(root, 'data');
  const away = join(root, 'away');

  it('continues the generation when the archive is there again', async () => {
    let server = await startArchived(place, dataDir);
    await send(server.url, '/default_keyspace', '{"createCollection":{"name":"people"}}');
    await insertAll(server.url, people, ['{"_id":0}']);
    await server.stop();
    const generations = generationsIn(place.archive);
    assert.equal(generations.length, 1);
    let rows = '';
    for (let round = 1; round <= 4; round += 1) {
      server = await startArchived(place, dataDir);
      renameSync(place.archive, away);
      await insertAll(server.url, people, [`{"_id":${round}}`]);
      rows = await rowsOf(server.url, people);
      await server.stop();
      renameSync(away, place.archive);
      assert.deepEqual(generationsIn(place.archive), generations);
    }
    server = await startArchived(place, dataDir);
    await server.stop();
    assert.deepEqual(generationsIn(place.archive), generations);
    assert.match((await move(['check', place.archive])).stdout, /no damage found/);
    const restored = await restoreFrom(place);
    await withServer({ dataDir: restored.dataDir }, async ({ url }) => {
      assert.equal(await rowsOf(url, people), rows);
    });
  });
});
