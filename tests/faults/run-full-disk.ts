// Checks that a disk without room refuses writes wholly and clearly, keeps serving reads, and works again when there is
// room.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { startServer } from '../acceptance/start-server.js';
import { checkDataFile } from './check-data-file.js';
import { type DataClient, type DataReply, withDataClient } from './data-client.js';
import type { LimitedStorage } from './limited-storage.js';

const keyspace = '/default_keyspace';
const table = `${keyspace}/rows`;
const definition = { columns: { id: 'int', content: 'text', note: 'text' }, primaryKey: 'id' };

/** Limits are set the Linux way. */
export const whyNoFullDisk = process.platform !== 'linux' && 'limits are set the Linux way';

/** Fills the disk, looks, makes room, before which the server may be killed, and looks again. */
export async function runFullDisk(
  test: TestContext,
  storage: LimitedStorage,
  meanwhile: 'nothing' | 'a kill',
): Promise<void> {
  let server = await startServer(storage.options);
  try {
    const stored = await withDataClient(server, async (client) => {
      const contents = await fillUp(client);
      await checkWhileFull(client, contents);
      return contents;
    });
    if (meanwhile === 'a kill') {
      server.signal('SIGKILL');
      await server.ended;
      server = await startServer(storage.options);
      await withDataClient(server, (client) => checkRows(client, stored));
    }
    if (!storage.makeRoom(server)) {
      test.diagnostic('room was made by a new start');
      await server.stop();
      server = await startServer({ dataDir: server.dataDir });
    }
    await withDataClient(server, (client) => checkWithRoom(client, stored));
    assert.equal((await server.stop()).code, 0);
    checkDataFile(server.dataDir);
    server = await startServer({ dataDir: server.dataDir });
    await withDataClient(server, (client) => checkRows(client, stored));
    await server.stop();
  } finally {
    server.signal('SIGKILL'); // a failed check must not leave it behind
    await server.ended;
    storage.remove();
  }
}

/** Writes until no row fits any more; gives the content of each row that was acknowledged. */
async function fillUp(client: DataClient): Promise<Map<number, string>> {
  for (const name of ['rows', 'single'])
    await client.mustSend(keyspace, { createTable: { name, definition } });
  await client.mustSend(`${keyspace}/single`, { insertOne: { document: { id: 0 } } });
  const stored = new Map<number, string>();
  let nextId = 0;
  // Ever smaller rows fill the gaps that larger ones leave.
  for (const size of [40_000, 4_000, 40]) {
    for (let isFull = false; !isFull; ) {
      const replies = await Promise.all([10, 1, 1, 1].map((count) => insert(client, nextIds(count), size)));
      for (const { ids, content, reply } of replies) {
        if (reply.body.errors === undefined) for (const id of ids) stored.set(id, content);
        else checkRefusalOfRows(reply);
      }
      isFull = replies.every(({ reply }) => reply.body.errors !== undefined);
    }
  }
  // A change of one page is the least there is.
  for (let isFull = false; !isFull; ) {
    const update = { $set: { content: 'changed' } };
    const reply = await client.send(`${keyspace}/single`, { updateOne: { filter: { id: 0 }, update } });
    isFull = reply.body.errors !== undefined;
    if (isFull) checkRefusalOfRows(reply);
  }
  return stored;

  function nextIds(count: number): readonly number[] {
    nextId += count;
    return Array.from({ length: count }, (_, at) => nextId - count + at);
  }
}

async function insert(client: DataClient, ids: readonly number[], size: number) {
  const content = `${ids[0]} ${'x'.repeat(size)}`;
  const documents = ids.map((id) => ({ id, content }));
  const [document] = documents;
  const command = documents.length === 1 ? { insertOne: { document } } : { insertMany: { documents } };
  return { ids, content, reply: await client.send(table, command) };
}

/** Every kind of write is refused and changes nothing; reads continue. */
async function checkWhileFull(client: DataClient, stored: ReadonlyMap<number, string>): Promise<void> {
  const content = 'y'.repeat(200_000);
  const filter = { id: 0 };
  const refused = [
    [table, { insertOne: { document: { id: -1, content } } }],
    [table, { insertMany: { documents: [-2, -3, -4].map((id) => ({ id, content })) } }],
    [
      table,
      { insertMany: { documents: [0, -5].map((id) => ({ id, content })), options: { ordered: true } } },
    ],
    [table, { updateOne: { filter, update: { $set: { content, note: 'changed' } } } }],
    [table, { deleteMany: { filter: {} } }],
    [table, { deleteOne: { filter } }],
    [keyspace, { createTable: { name: 'no_room', definition } }],
    [keyspace, { dropTable: { name: 'rows' } }],
    ['', { createKeyspace: { name: 'no_room' } }],
    ['', { dropKeyspace: { name: 'default_keyspace' } }],
  ] as const;
  for (const [path, command] of refused) checkRefusalOfRows(await client.send(path, command));
  await checkRows(client, stored);
  const tables = await client.mustSend(keyspace, { listTables: {} });
  assert.deepEqual(tables.status?.['tables'], ['rows', 'single']);
  const keyspaces = await client.mustSend('', { findKeyspaces: {} });
  assert.deepEqual(keyspaces.status?.['keyspaces'], ['default_keyspace']);
  const found = await client.mustSend(table, { findOne: { filter } });
  assert.equal(found.data?.document?.['content'], stored.get(0));
}

/** Lets this process, or a new one, write again. */
async function checkWithRoom(client: DataClient, stored: Map<number, string>): Promise<void> {
  await checkRows(client, stored);
  const content = 'with room';
  await client.mustSend(table, { insertOne: { document: { id: -1, content } } });
  await client.mustSend(table, { insertMany: { documents: [-2, -3].map((id) => ({ id, content })) } });
  await client.mustSend(table, { updateOne: { filter: { id: 0 }, update: { $set: { content } } } });
  for (const id of [0, -1, -2, -3]) stored.set(id, content);
  await client.mustSend(table, { deleteOne: { filter: { id: 1 } } });
  stored.delete(1);
  await client.mustSend(keyspace, { createTable: { name: 'no_room', definition } });
  await client.mustSend(`${keyspace}/no_room`, { insertOne: { document: { id: 1 } } });
  await client.mustSend('', { createKeyspace: { name: 'no_room' } });
  await checkRows(client, stored);
}

function checkRefusalOfRows(reply: DataReply): void {
  checkRefusal(reply);
  assert.equal(reply.body.status?.['insertedIds'], undefined);
}

/** That a write was refused as a whole, because there is no room. */
export function checkRefusal({ httpStatus, text, body }: DataReply): void {
  assert.equal(httpStatus, 200, text.slice(0, 500));
  assert.ok(body.errors !== undefined && body.errors.length > 0, text.slice(0, 500));
  for (const { family, scope, errorCode, message } of body.errors) {
    assert.deepEqual([family, scope, errorCode], ['SERVER', 'DATABASE', 'FAILED_WRITE_REQUEST']);
    assert.match(
      message,
      /Nothing was stored: (there is no room left on the disk|the disk refused the write)/,
    );
  }
}

async function checkRows(client: DataClient, expected: ReadonlyMap<number, string>): Promise<void> {
  const rows = await client.readAll(table);
  assert.deepEqual(new Set(rows.map((row) => row['id'])), new Set(expected.keys()));
  for (const row of rows) {
    assert.equal(row['content'], expected.get(Number(row['id'])));
    assert.equal(row['note'], undefined);
  }
}
