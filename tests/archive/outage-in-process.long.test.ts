// A server in the process of a program is closed while its archive cannot be reached. Memory of its connections that is
// collected after that must not move the log, which the next start ships.
import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { start } from '../../src/bin/library.js';
import { insertAll, rowsOf, send } from '../acceptance/between-servers.js';
import { makeTemporaryDirectory, withServer } from '../acceptance/start-server.js';
import { generationsIn } from './apply-archive.js';
import { restoreFrom } from './archived-server.js';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

const people = '/default_keyspace/people';

it('a server that is closed while its archive is away continues the generation at its next start', async () => {
  const root = makeTemporaryDirectory();
  const place = { archive: join(root, 'archive'), args: [] };
  const away = join(root, 'away');
  const open = () => start({ dataDir: join(root, 'data'), archive: place.archive, port: 0, opsPort: 0 });
  let server = await open();
  await send(server.url, '/default_keyspace', '{"createCollection":{"name":"people"}}');
  await insertAll(server.url, people, ['{"_id":0}']);
  await server.close();
  const generations = generationsIn(place.archive);
  let rows = '';
  for (let round = 1; round <= 3; round += 1) {
    server = await open();
    renameSync(place.archive, away);
    await insertAll(server.url, people, [`{"_id":${round}}`]);
    rows = await rowsOf(server.url, people);
    await server.close();
    for (let turn = 0; turn < 5; turn += 1) {
      collect();
      await nextTurn();
    }
    renameSync(away, place.archive);
  }
  server = await open();
  await server.close();
  assert.deepEqual(generationsIn(place.archive), generations);
  const restored = await restoreFrom(place);
  await withServer({ dataDir: restored.dataDir }, async ({ url }) => {
    assert.equal(await rowsOf(url, people), rows);
  });
});
