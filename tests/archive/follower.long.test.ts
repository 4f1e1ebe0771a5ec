// A second server follows the archive of a first one: it answers reads of whole commits, and refuses what changes
// something.
import assert from 'node:assert/strict';
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
    for (const server of [first, second]) await server?.stop();
  });

  it('answers reads of tables, documents, words and vectors', async () => {
    const { second: server } = servers();
    const find = async (path: string, command: object) =>
      (await ask(server.url, path, { find: command })).data;
    const isThere = async () => (await ask(server.url, '/k/c', { findOne: {} })).data?.document !== undefined;
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
    const { second: server } = servers();
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
      assert.match(message, /this server follows .* by the archive /);
    }
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
      await send('PUT', '/embedding-keys/openai/a', { providerKey: 'x' }),
      await send('POST', '/local/ops/cleanup/all/k', {}),
    ];
    for (const { status, text } of refused) {
      if (status === 404) continue; // the path is another one; the others show the refusal
      assert.equal(status, 409, text);
      assert.match(text, /this server follows the archive/);
    }
    assert.ok(refused.some(({ status }) => status === 409));
  });

  it('shows each commit of the first server within seconds, and changes of the schema', async () => {
    const { first: writer, second: server } = servers();
    await must(writer.url, '/k', { dropIndex: { name: 'v' } });
    await must(writer.url, '/k/t', { alterTable: { operation: { drop: { columns: ['v'] } } } });
    await must(writer.url, '/k/t', { alterTable: { operation: { add: { columns: { n: 'int' } } } } });
    await must(writer.url, '/k/t', { updateOne: { filter: { id: 1 }, update: { $set: { n: 7 } } } });
    await until(
      async () =>
        (await ask(server.url, '/k/t', { findOne: { filter: { id: 1 } } })).data?.document?.['n'] === 7,
    );
    const health = await (await fetch(`${server.url}/health/ready`)).text();
    assert.match(health, /^\{"status":"ready","pid":\d+\}$/);
    const metrics = await (await fetch(`${server.opsUrl}/metrics`)).text();
    assert.match(metrics, /^colonnade_follow_lag_seconds [\d.]+$/m);
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
    assert.match((await run(other, '--follow', other)).stderr, /is not an archive/);
    await writer.stop();
    first = undefined;
    const taken = await run(join(directory, 'first'), '--follow', archive);
    assert.match(taken.stderr, /has data of a server that does not follow an archive/);
    const both = await run(other, '--follow', archive, '--archive', archive);
    assert.match(both.stderr, /--follow and --archive are both set/);
  });
});
