// One of the servers of an archive accepts writes.
import assert from 'node:assert/strict';
import { cpSync, existsSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { move } from '../acceptance/between-servers.js';
import { makeTemporaryDirectory, type RunningServer, startServer } from '../acceptance/start-server.js';
import { restoreFrom } from './archived-server.js';

/** A busy machine may delay a renewal by some seconds. */
const longLease = 10;
/** For tests that wait for its end. */
const shortLease = 3;

function start(archive: string, dataDir: string, leaseSeconds = longLease): Promise<RunningServer> {
  const options = ['--archive-lease', String(leaseSeconds), '--archive-takeover', 'yes'];
  return startServer({ dataDir, args: ['--archive', archive, ...options] });
}

async function post(url: string, command: object): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(command) });
  return reply.text();
}

const makeTable = {
  createTable: { name: 't', definition: { columns: { id: 'int', value: 'text' }, primaryKey: 'id' } },
};
const insert = (id: number) => ({ insertOne: { document: { id, value: 'x' } } });

describe('an archive', () => {
  const directory = makeTemporaryDirectory();
  const place = (name: string) => join(directory, name);

  it('refuses a second server while the first one works, and shows who has it', async () => {
    const archive = place('held');
    const first = await start(archive, place('held-1'));
    await assert.rejects(start(archive, place('held-2')), (error: Error) => {
      assert.match(error.message, /writes to the archive .*held: stop that server, or give this one another/);
      assert.ok(error.message.includes(`the server ${first.url}`), error.message);
      assert.doesNotMatch(error.message, /"level":"fatal"|"stack"/);
      return true;
    });
    const { stdout } = await move(['archives', archive]);
    assert.match(stdout, /^lease 1: the server http:\S+ on \S+ has it/m);
    await first.stop();
    assert.doesNotMatch(first.stderr(), /"level":"(warn|error)"/);
    assert.match((await move(['archives', archive])).stdout, /^lease 1: .* had it, and has ended$/m);
  });

  it('is refused in the data directory, and for an address of another kind', async () => {
    const dataDir = place('own');
    for (const archive of [dataDir, join(dataDir, 'archive')])
      await assert.rejects(start(archive, dataDir), /is in the data directory .*: give another directory/);
    await assert.rejects(start('file:///srv/archive', dataDir), /must be a directory or s3:/);
  });

  it('is continued at once by a server that was killed, and refused to one whose directory is behind', async () => {
    const archive = place('killed');
    const first = await start(archive, place('killed-1'));
    first.signal('SIGKILL');
    await first.ended;
    const again = await start(archive, place('killed-1'));
    assert.ok(!again.stderr().includes('the start waits'), again.stderr());
    await again.stop();
    const second = await start(archive, place('killed-2'));
    await second.stop();
    await assert.rejects(start(archive, place('killed-1')), /so the directory lacks its changes/);
  });

  it('is refused to a directory whose copy has written, also by another path', async () => {
    const archive = place('copied');
    const first = await start(archive, place('copied-1'));
    assert.match(await post(`${first.url}/v1/default_keyspace`, makeTable), /"ok":1/);
    await first.stop();
    cpSync(place('copied-1'), place('copied-2'), { recursive: true, preserveTimestamps: true });
    const copy = await start(archive, place('copied-2'));
    assert.match(await post(`${copy.url}/v1/default_keyspace/t`, insert(1)), /insertedIds/);
    await copy.stop();
    symlinkSync(archive, place('copied-link'));
    for (const path of [archive, place('copied-link')])
      await assert.rejects(start(path, place('copied-1')), /so the directory lacks its changes/);
    const { dataDir, unknownMs } = await restoreFrom({ archive, args: [] });
    assert.equal(unknownMs, 0); // the copy has ended, and its last record says that it shipped everything
    const restored = await startServer({ dataDir });
    const found = await post(`${restored.url}/v1/default_keyspace/t`, { find: { filter: {} } });
    assert.match(found, /"documents":\[\{"id":1,"value":"x"\}\]/);
    await restored.stop();
  });

  it('is not written by a server whose directory has had it and finds nothing there now', async () => {
    const archive = place('moved');
    const first = await start(archive, place('moved-1'));
    await first.stop();
    renameSync(archive, place('moved-away'));
    const again = await start(archive, place('moved-1'));
    const refused = await post(`${again.url}/v1/default_keyspace`, makeTable);
    assert.match(refused, /READ_ONLY_SERVER.*had a lease, and has none now: is its disk mounted/);
    await again.stop();
    assert.equal(existsSync(archive), false);
  });

  it('is taken from a server that is stopped for longer, whose next write is refused', async () => {
    const archive = place('stopped');
    const first = await start(archive, place('stopped-1'), shortLease);
    assert.match(await post(`${first.url}/v1/default_keyspace`, makeTable), /"ok":1/);
    assert.match(await post(`${first.url}/v1/default_keyspace/t`, insert(1)), /insertedIds/);
    first.signal('SIGSTOP');
    const waiting = [
      post(`${first.url}/v1/default_keyspace/t`, insert(2)),
      post(`${first.url}/v1/default_keyspace`, { createTable: { ...makeTable.createTable, name: 'u' } }),
    ];
    const second = await start(archive, place('stopped-2'), shortLease);
    first.signal('SIGCONT');
    for (const reply of await Promise.all(waiting)) assert.match(reply, /"errorCode":"READ_ONLY_SERVER"/);
    await waitFor(async () =>
      (await post(`${first.url}/v1/default_keyspace/t`, insert(3))).includes(second.url),
    );
    const found = await post(`${first.url}/v1/default_keyspace/t`, { find: { filter: {} } });
    assert.match(found, /"documents":\[\{"id":1,"value":"x"\}\]/);
    await waitFor(async () => {
      const health = await fetch(`${first.url}/health/ready`);
      return health.status === 200 && (await health.text()).includes(`the server ${second.url}`);
    });
    assert.match(await post(`${second.url}/v1/default_keyspace`, makeTable), /"ok":1/);
    assert.match(await post(`${second.url}/v1/default_keyspace/t`, insert(1)), /insertedIds/);
    await first.stop();
    await second.stop();
  });
});

describe('a server whose writes wait for its archive', () => {
  it('acknowledges what a restore finds after the process was killed', async () => {
    const directory = makeTemporaryDirectory();
    const archive = join(directory, 'archive');
    const args = ['--archive', archive, '--archive-lease', '1', '--archive-acknowledge', 'yes'];
    const server = await startServer({ dataDir: join(directory, 'data'), args });
    assert.match(await post(`${server.url}/v1/default_keyspace`, makeTable), /"ok":1/);
    const ids = Array.from({ length: 40 }, (_, id) => id);
    for (const id of ids.slice(0, 20))
      assert.match(await post(`${server.url}/v1/default_keyspace/t`, insert(id)), /insertedIds/);
    const replies = ids.slice(20).map((id) => post(`${server.url}/v1/default_keyspace/t`, insert(id)));
    for (const reply of await Promise.all(replies)) assert.match(reply, /insertedIds/);
    server.signal('SIGKILL');
    await server.ended;
    const { dataDir } = await restoreFrom({ archive, args: [] });
    const restored = await startServer({ dataDir });
    for (const id of ids) {
      const found = await post(`${restored.url}/v1/default_keyspace/t`, { findOne: { filter: { id } } });
      assert.ok(found.includes(`"id":${id},`), found);
    }
    await restored.stop();
  });
});

async function waitFor(isDone: () => Promise<boolean>): Promise<void> {
  for (const endMs = Date.now() + 20_000; !(await isDone()); ) {
    assert.ok(Date.now() < endMs, 'it does not happen');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
