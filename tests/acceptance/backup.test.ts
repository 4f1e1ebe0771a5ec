// `colonnade backup`, `restore` and `check` with a real server.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { insertAll, move, newExportDirectory, rowsOf, send } from './between-servers.js';
import { createNotes } from './moved-tables.js';
import { makeTemporaryDirectory, type RunningServer, startServer, withServer } from './start-server.js';

const people = '/default_keyspace/people';

describe('colonnade backup, restore and check', () => {
  let server: RunningServer;
  let backup = '';

  before(async () => {
    server = await startServer({ args: ['--dialect', 'extended'] });
    await createNotes(server.url, 'default_keyspace');
    await send(
      server.url,
      '/default_keyspace',
      '{"createCollection":{"name":"people","options":{"vector":{"dimension":2}}}}',
    );
    await insertAll(server.url, people, [
      '{"_id":1,"tags":["a",{"b":1.50}],"$vector":[1,0]}',
      '{"_id":"x","at":{"$date":5}}',
    ]);
    backup = newExportDirectory();
    const { stdout } = await move(['backup', backup, '--data-dir', server.dataDir, '--json']);
    assert.equal(JSON.parse(stdout).ok, true);
  });
  after(() => server.stop());

  it('make a working server of the backup of a running one', async () => {
    const dataDir = join(makeTemporaryDirectory(), "new server's", 'data');
    const restored = await move(['restore', backup, '--data-dir', dataDir]);
    assert.equal(
      restored.stdout.split('\n').at(-2),
      `Start a server on it: colonnade serve --data-dir '${dataDir.replace("'", "'\\''")}'`,
    );
    const { stdout } = await move(['check', '--data-dir', dataDir]);
    assert.match(stdout, /1 tables, 1 collections, 122 rows and documents checked: no damage found\n$/);
    await withServer({ dataDir, args: ['--dialect', 'extended'] }, async (restored) => {
      for (const path of ['/default_keyspace/notes', people])
        assert.equal(await rowsOf(restored.url, path), await rowsOf(server.url, path));
      for (const [path, command] of [
        ['/default_keyspace', '{"listTables":{"options":{"explain":true}}}'],
        ['/default_keyspace', '{"findCollections":{"options":{"explain":true}}}'],
        ['/default_keyspace/notes', '{"listIndexes":{"options":{"explain":true}}}'],
        ['/default_keyspace/notes', '{"find":{"sort":{"meaning":"text 7"},"options":{"limit":2}}}'],
        [people, '{"find":{"sort":{"$vector":[1,0]},"options":{"limit":1}}}'],
        [people, '{"findOne":{"filter":{"tags":"a"}}}'],
      ] as const)
        assert.equal(await send(restored.url, path, command), await send(server.url, path, command), command);
      const events = await fetch(`${restored.opsUrl}/local/events`).then((reply) => reply.text());
      assert.match(events, /created the table default_keyspace\.notes/);
    });
    await move(['backup', newExportDirectory(), '--data-dir', dataDir]);
  });
});
