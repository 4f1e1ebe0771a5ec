// A second server follows the archive of a first one: it answers reads of whole commits, and refuses what changes
// something.
import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  makeTemporaryDirectory,
  type RunningServer,
  runColonnade,
  startServer,
} from '../acceptance/start-server.js';
import { ask, must, until } from './follower-steps.js';

describe('a server that follows an archive', () => {
  const directory = makeTemporaryDirectory();
  const archive = join(directory, 'archive');
  let [first, second]: readonly (RunningServer | undefined)[] = [];
  const servers = () => {
    assert.ok(first !== undefined && second !== undefined);
    return { first, second };
  };

  before(async () => {
    first = await startServer({
      dataDir: join(directory, 'first'),
      args: ['--archive', archive, '--dialect', 'extended'],
    });
    await must(first.url, '', { createKeyspace: { name: 'k' } });
    const definition = {
      columns: { id: 'int', v: 'text', e: { type: 'vector', dimension: 2 } },
      primaryKey: 'id',
    };
    await must(first.url, '/k', { createTable: { name: 't', definition } });
    const documents = [1, 2, 3].map((id) => ({ id, v: `value ${id}`, e: [id, 1] }));
    await must(first.url, '/k/t', { insertMany: { documents } });
    await must(first.url, '/k/t', { createVectorIndex: { name: 'e', definition: { column: 'e' } } });
    await must(first.url, '/k/t', { createTextIndex: { name: 'v', definition: { column: 'v' } } });
    await must(first.url, '/k', { createCollection: { name: 'c' } });
    await must(first.url, '/k/c', { insertOne: { document: { _id: 'a', n: { m: 5 } } } });
    second = await startServer({
      dataDir: join(directory, 'second'),
      args: ['--follow', archive, '--dialect', 'extended'],
    });
  });
  after(async () => {
    first?.signal('SIGCONT');
    for (const server of [first, second]) await server?.stop();
  });

  it('answers reads of tables, documents, words and vectors', async () => {
    const { second: server } = servers();
    const find = async (path: string, command: object) =>
      (await ask(server.url, path, { find: command })).data;
    const isThere = async () => (await ask(server.url, '/k/c', { findOne: {} })).data?.document != null;
    await until(isThere);
    const documents = (reply: Awaited<ReturnType<typeof find>>) =>
      reply?.documents?.map(({ id, _id }) => id ?? _id);
    assert.deepEqual(documents(await find('/k/t', { filter: { id: 2 } })), [2]);
    assert.deepEqual(documents(await find('/k/c', { filter: { 'n.m': 5 } })), ['a']);
    assert.deepEqual(documents(await find('/k/t', { filter: { v: { $match: 'value 3' } } })), [3]);
    assert.deepEqual(documents(await find('/k/t', { sort: { e: [3, 1] }, options: { limit: 1 } })), [3]);
    assert.deepEqual((await ask(server.url, '/k', { listTables: {} })).status?.['tables'], ['t']);
  });

  it('refuses everything that changes something, and says why', async () => {
    const { first: writer, second: server } = servers();
    // The first server writes its address into the lease when it renews it.
    await until(async () => {
      const { errors } = await ask(server.url, '', { createKeyspace: { name: 'new' } });
      return errors?.[0]?.message.includes(writer.url) === true;
    });
    const definition = { columns: { id: 'int' }, primaryKey: 'id' };
    // So many bytes are answered by the thread for large requests.
    const manyDocuments = Array.from({ length: 40 }, () => ({ text: 'x'.repeat(5_000) }));
    const refused: readonly (readonly [string, object])[] = [
      ['', { createKeyspace: { name: 'new' } }],
      ['', { dropKeyspace: { name: 'k' } }],
      ['/k', { createTable: { name: 'new', definition } }],
      ['/k', { dropTable: { name: 't' } }],
      ['/k', { createCollection: { name: 'new' } }],
      ['/k', { deleteCollection: { name: 'c' } }],
      ['/k', { dropIndex: { name: 'v' } }],
      ['/k/t', { alterTable: { operation: { add: { columns: { w: 'text' } } } } }],
      ['/k/t', { createIndex: { name: 'i', definition: { column: 'v' } } }],
      ['/k/t', { insertOne: { document: { id: 9 } } }],
      ['/k/t', { insertMany: { documents: [{ id: 9 }, { id: 10 }] } }],
      ['/k/t', { updateOne: { filter: { id: 1 }, update: { $set: { v: 'x' } } } }],
      ['/k/t', { deleteOne: { filter: { id: 1 } } }],
      ['/k/t', { deleteMany: { filter: {} } }],
      ['/k/c', { insertOne: { document: { n: 1 } } }],
      ['/k/c', { insertMany: { documents: [{ n: 1 }] } }],
      ['/k/c', { updateOne: { filter: { _id: 'a' }, update: { $set: { n: 1 } } } }],
      ['/k/c', { updateMany: { filter: {}, update: { $set: { n: 1 } } } }],
      ['/k/c', { findOneAndUpdate: { filter: { _id: 'a' }, update: { $set: { n: 1 } } } }],
      ['/k/c', { findOneAndReplace: { filter: { _id: 'a' }, replacement: { n: 1 } } }],
      ['/k/c', { findOneAndDelete: { filter: { _id: 'a' } } }],
      ['/k/c', { deleteOne: { filter: { _id: 'a' } } }],
      ['/k/c', { deleteMany: { filter: {} } }],
      ['/k/c', { insertMany: { documents: manyDocuments } }],
    ];
    for (const [path, command] of refused) {
      const { errors } = await ask(server.url, path, command);
      const [{ errorCode, message } = { errorCode: '', message: '' }] = errors ?? [];
      assert.equal(
        errorCode,
        'READ_ONLY_SERVER',
        `${path} ${JSON.stringify(command).slice(0, 200)}: ${message}`,
      );
      assert.ok(message.includes(`this server follows the server ${writer.url} on `), message);
      assert.match(message, / by the archive .*, and answers reads only/);
    }
    assert.doesNotMatch(server.stderr(), /READ_ONLY_SERVER/);
    const nothing = { filter: { _id: 'absent' }, update: { $set: { n: 1 } } };
    await must(server.url, '/k/c', { updateMany: nothing });
  });

  it('refuses native statements that write, and changes of operations data', async () => {
    const { second: server } = servers();
    const send = async (method: string, path: string, body: object) => {
      const headers = { 'content-type': 'application/json' };
      const reply = await fetch(`${server.opsUrl}${path}`, { method, headers, body: JSON.stringify(body) });
      return { status: reply.status, text: await reply.text() };
    };
    const read = await send('POST', '/local/cql', { query: 'SELECT id FROM k.t WHERE id = 1' });
    assert.equal(read.status, 200, read.text);
    const written = await send('POST', '/local/cql', { query: 'DELETE FROM k.t WHERE id = 1' });
    assert.match(written.text, /this server follows/);
    const rule = { type: 'node-down', level: 'CRITICAL' };
    const refused = [
      await send('POST', '/local/alert-rules', rule),
      await send('PUT', '/local/embedding-keys/a', { providerKey: 'x' }),
      await send('POST', '/local/silences', { matchers: { node: 'x' }, end: 4_000_000_000 }),
    ];
    for (const { status, text } of refused) {
      assert.equal(status, 409, text);
      assert.match(text, /this server follows the archive/);
    }
  });

  it('shows commits of the first server and changes of the schema, and how far it is behind', async () => {
    const { first: writer, second: server } = servers();
    await must(writer.url, '/k', { dropIndex: { name: 'v' } });
    await must(writer.url, '/k/t', { alterTable: { operation: { drop: { columns: ['v'] } } } });
    await must(writer.url, '/k/t', { alterTable: { operation: { add: { columns: { n: 'int' } } } } });
    await must(writer.url, '/k/t', { updateOne: { filter: { id: 1 }, update: { $set: { n: 7 } } } });
    await until(
      async () =>
        (await ask(server.url, '/k/t', { findOne: { filter: { id: 1 } } })).data?.document?.['n'] === 7,
    );
    // A busy machine may be behind for longer, but not for ever.
    await until(async () => {
      const health = await (await fetch(`${server.url}/health/ready`)).text();
      return /^\{"status":"ready","pid":\d+\}$/.test(health) && (await lagOf(server)) <= 10;
    });
  });

  it('is behind while the directory of the archive is away, and does not ask for a promotion', async () => {
    const { first: writer, second: server } = servers();
    writer.signal('SIGSTOP'); // it would make the directory again
    renameSync(archive, `${archive}.away`);
    const problems = async () => (await fetch(`${server.url}/health/ready`)).text();
    await until(async () => /is its disk mounted/.test(await problems()));
    assert.doesNotMatch(await problems(), /colonnade promote/);
    assert.ok((await lagOf(server)) > 10);
    renameSync(`${archive}.away`, archive);
    writer.signal('SIGCONT');
    await until(async () => !/problems/.test(await problems()));
  });

  it('starts with what it has while the directory of the archive is away', async () => {
    const { first: writer, second: server } = servers();
    await server.stop();
    writer.signal('SIGSTOP');
    renameSync(archive, `${archive}.away`);
    second = await startServer({
      dataDir: join(directory, 'second'),
      args: ['--follow', archive, '--dialect', 'extended'],
    });
    const { url } = second;
    const found = await ask(url, '/k/t', { findOne: { filter: { id: 1 } } });
    assert.equal(found.data?.document?.['n'], 7);
    const problems = async () => (await fetch(`${url}/health/ready`)).text();
    await until(async () => /is its disk mounted/.test(await problems()));
    renameSync(`${archive}.away`, archive);
    writer.signal('SIGCONT');
    await until(async () => !/problems/.test(await problems()));
  });

  it('does not start without --follow, with another archive, or on data of another server', async () => {
    const { first: writer } = servers();
    const other = join(directory, 'other');
    const run = (dataDir: string, ...args: readonly string[]) =>
      runColonnade(['serve', '--data-dir', dataDir, '--port', '0', '--ops-port', '0', ...args]);
    second = await servers()
      .second.stop()
      .then(() => undefined);
    const without = await run(join(directory, 'second'));
    assert.match(without.stderr, /second follows an archive: start it with --follow/);
    const noArchive = await run(other, '--follow', join(directory, 'empty'));
    assert.match(noArchive.stderr, /is not an archive/);
    assert.match((await run(other, '--follow', other)).stderr, /is in the data directory/);
    await writer.stop();
    first = undefined;
    const taken = await run(join(directory, 'first'), '--follow', archive);
    assert.match(taken.stderr, /has data of a server that does not follow an archive/);
    const both = await run(other, '--follow', archive, '--archive', archive);
    assert.match(both.stderr, /--follow and --archive are both set/);
  });
});

async function lagOf({ opsUrl }: RunningServer): Promise<number> {
  const metrics = await (await fetch(`${opsUrl}/metrics`)).text();
  const [, seconds] = /^colonnade_follow_lag_seconds ([\d.]+)$/m.exec(metrics) ?? [];
  assert.ok(seconds !== undefined, metrics);
  return Number(seconds);
}
