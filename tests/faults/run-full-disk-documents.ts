// Checks that a disk without room refuses writes of documents wholly and clearly, with their index entries and the
// merges of these, and that everything continues when there is room.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkDataFile } from '../../src/data-service/engine/embedded/maintenance/check-data-file.js';
import { makeTemporaryDirectory, startServer } from '../acceptance/start-server.js';
import { type DataClient, type DataReply, withDataClient } from './data-client.js';
import type { LimitedStorage } from './limited-storage.js';
import { isBuilding, makeOld, withFile } from './old-entries.js';
import { checkRefusal } from './run-full-disk.js';

const keyspace = '/default_keyspace';
const path = `${keyspace}/docs`;
const kinds = 7;

/** A document of the test; `pad` is not compared by a reader who knows the id and `size`. */
interface Stored {
  readonly _id: number;
  readonly n: number;
  readonly kind: string;
  readonly tags: readonly number[];
  readonly pad: string;
  readonly $lexical: string;
}

/** By their ids, as they were acknowledged. */
type Documents = Map<number, Stored>;

/** With segments so small that merges run all the time. */
const smallSegments = {
  isUnbundled: true,
  nodeArgs: ['--import', new URL('./small-entry-sizes.js', import.meta.url).href],
} as const;

/** Fills the disk, looks, makes room, before which the server may be killed, and looks again. */
export async function runFullDiskOfDocuments(
  test: TestContext,
  storage: LimitedStorage,
  meanwhile: 'nothing' | 'a kill',
): Promise<void> {
  const options = { ...storage.options, ...smallSegments };
  let server = await startServer(options);
  const stored: Documents = new Map();
  try {
    await withDataClient(server, async (client) => {
      await fillUp(client, stored);
      await writeWhileFull(client, stored);
    });
    if (meanwhile === 'a kill') {
      server.signal('SIGKILL');
      await server.ended;
      server = await startServer(options);
      await withDataClient(server, (client) => checkDocuments(client, stored));
    }
    if (!storage.makeRoom(server)) {
      test.diagnostic('room was made by a new start');
      await server.stop();
      server = await startServer({ ...smallSegments, dataDir: server.dataDir });
    }
    await withDataClient(server, (client) => writeWithRoom(client, stored));
    while (!hasMerged(server.dataDir)) await sleep(50);
    assert.equal((await server.stop()).code, 0);
    await checkEntries(server.dataDir);
    server = await startServer({ dataDir: server.dataDir });
    await withDataClient(server, (client) => checkDocuments(client, stored));
    await server.stop();
  } finally {
    server.signal('SIGKILL'); // a failed check must not leave it behind
    await server.ended;
    storage.remove();
  }
}

/** Whether some segments have become one. */
function hasMerged(dataDir: string): boolean {
  let found = false;
  withFile(dataDir, (database) => {
    const [row] = database.prepare("SELECT id FROM tables WHERE name = 'docs'").all();
    found = database.prepare(`SELECT id FROM e${String(row?.['id'])} WHERE id > 1e9`).all().length > 0;
  });
  return found;
}

/** A build of entries meets the full disk, and continues when there is room. */
export async function runFullDiskInBuild(limited: (dataDir: string) => LimitedStorage): Promise<void> {
  const dataDir = makeTemporaryDirectory();
  const stored: Documents = new Map();
  let server = await startServer({ ...smallSegments, dataDir });
  try {
    await withDataClient(server, async (client) => {
      await client.mustSend(keyspace, { createCollection: { name: 'docs' } });
      for (let id = 0; id < 2_000; id += 100)
        await insertAll(
          client,
          Array.from({ length: 100 }, (_, at) => documentOf(id + at, 100)),
          stored,
        );
    });
    await server.stop();
    makeOld(dataDir);
    const storage = limited(dataDir);
    server = await startServer({ ...smallSegments, ...storage.options });
    while (!server.stderr().includes('could not be built')) {
      assert.ok(isBuilding(dataDir), 'the build meets the full disk');
      await sleep(20);
    }
    await withDataClient(server, async (client) => {
      while (await increment(client, 0, stored));
      await checkDocuments(client, stored);
      assert.ok(storage.makeRoom(server));
      assert.ok(await increment(client, 0, stored));
      await client.mustSend(path, { deleteOne: { filter: { _id: 1_999 } } });
      stored.delete(1_999);
      await checkDocuments(client, stored);
      while (isBuilding(dataDir)) await sleep(20);
      await checkDocuments(client, stored);
    });
    await server.stop();
    await checkEntries(dataDir);
  } finally {
    server.signal('SIGKILL'); // a failed check must not leave it behind
    await server.ended;
  }
}

/** What `colonnade check` finds. */
async function checkEntries(dataDir: string): Promise<void> {
  const found = await checkDataFile(join(dataDir, 'data.db'), new AbortController().signal, () => {});
  assert.deepEqual(found?.problems, []);
}

function documentOf(_id: number, size: number): Stored {
  const words = `red ${_id % 3 === 0 ? 'blue' : 'green'}`;
  return {
    _id,
    n: 0,
    kind: `kind ${_id % kinds}`,
    tags: [_id, Math.abs(_id % 5)],
    pad: 'x'.repeat(size),
    $lexical: words,
  };
}

/** Writes until no document fits any more. */
async function fillUp(client: DataClient, stored: Documents): Promise<void> {
  await client.mustSend(keyspace, { createCollection: { name: 'docs' } });
  await insertAll(client, [documentOf(0, 10)], stored);
  let nextId = 1;
  // The first commands are written in portions, some of which fit. Ever smaller documents fill the gaps that are left.
  for (const [size, counts] of [
    [7_000, [100]],
    [7_000, [60, 5, 1]],
    [700, [60, 1]],
    [10, [20, 1]],
  ] as const) {
    for (let isFull = false; !isFull; ) {
      const refused = await Promise.all(
        counts.map((count) => {
          const documents = Array.from({ length: count }, (_, at) => documentOf(nextId + at, size));
          nextId += count;
          return insertAll(client, documents, stored);
        }),
      );
      isFull = refused.every(Boolean);
    }
  }
  // A change of one page is the least there is.
  while (await increment(client, 0, stored));
}

/** Whether some of them were refused. What is not listed in the reply must not be stored. */
async function insertAll(
  client: DataClient,
  documents: readonly Stored[],
  stored: Documents,
): Promise<boolean> {
  const [document] = documents;
  const command = documents.length === 1 ? { insertOne: { document } } : { insertMany: { documents } };
  const reply = await client.send(path, command);
  const ids = new Set(insertedIds(reply));
  for (const each of documents) if (ids.has(each._id)) stored.set(each._id, each);
  assert.ok(ids.size <= documents.length);
  if (reply.body.errors === undefined) assert.equal(ids.size, documents.length);
  else checkRefusal(reply);
  return reply.body.errors !== undefined;
}

function insertedIds({ body, text }: DataReply): readonly unknown[] {
  const ids = body.status?.['insertedIds'];
  assert.ok(Array.isArray(ids), text.slice(0, 500));
  return ids;
}

/** Whether it was not refused. */
async function increment(client: DataClient, id: number, stored: Documents): Promise<boolean> {
  const before = stored.get(id);
  assert.ok(before !== undefined);
  const reply = await client.send(path, { updateOne: { filter: { _id: id }, update: { $inc: { n: 1 } } } });
  if (reply.body.errors !== undefined) {
    checkRefusal(reply);
    return false;
  }
  assert.deepEqual(reply.body.status, { matchedCount: 1, modifiedCount: 1 });
  stored.set(id, { ...before, n: before.n + 1 });
  return true;
}

/** Every kind of write of documents is refused and changes nothing; reads continue. */
async function writeWhileFull(client: DataClient, stored: Documents): Promise<void> {
  const large = documentOf(-1, 7_900);
  const many = Array.from({ length: 100 }, (_, at) => documentOf(-100 - at, 7_900));
  const { _id: _, ...replacement } = { ...large, pad: 'y'.repeat(7_900) };
  const refused = [
    [path, { insertOne: { document: large } }],
    [path, { insertMany: { documents: many } }],
    [path, { insertMany: { documents: many, options: { ordered: true } } }],
    [path, { updateOne: { filter: { _id: 0 }, update: { $inc: { n: 1 }, $set: { pad: large.pad } } } }],
    [path, { updateMany: { filter: { kind: 'kind 2' }, update: { $inc: { n: 1 } } } }],
    [path, { findOneAndReplace: { filter: { _id: 0 }, replacement } }],
    [
      path,
      {
        findOneAndUpdate: {
          filter: { _id: 0 },
          update: { $push: { tags: { $each: many.map(({ pad }) => pad) } } },
        },
      },
    ],
    [
      path,
      { updateOne: { filter: { _id: -7 }, update: { $set: { pad: large.pad } }, options: { upsert: true } } },
    ],
    [path, { deleteMany: { filter: { kind: 'kind 3' } } }],
    [path, { deleteMany: {} }],
    [keyspace, { createCollection: { name: 'no_room' } }],
    [keyspace, { deleteCollection: { name: 'docs' } }],
  ] as const;
  for (const [at, command] of refused) {
    const reply = await client.send(at, command);
    assert.ok(reply.body.errors !== undefined, `${JSON.stringify(command).slice(0, 200)}: ${reply.text}`);
    checkRefusal(reply);
  }
  await checkDocuments(client, stored);
  const { status } = await client.mustSend(keyspace, { findCollections: {} });
  assert.deepEqual(status?.['collections'], ['docs']);
}

/** Lets this process, or a new one, write again. */
async function writeWithRoom(client: DataClient, stored: Documents): Promise<void> {
  await checkDocuments(client, stored);
  await insertAll(
    client,
    Array.from({ length: 60 }, (_, at) => documentOf(-1 - at, 3_000)),
    stored,
  );
  for (let count = 0; count < 20; count += 1) assert.ok(await increment(client, 0, stored));
  const replaced = { ...documentOf(-500, 40), _id: -1 };
  const { _id, ...replacement } = replaced;
  await client.mustSend(path, { findOneAndReplace: { filter: { _id }, replacement } });
  stored.set(_id, replaced);
  await client.mustSend(path, { deleteOne: { filter: { _id: -2 } } });
  stored.delete(-2);
  let hasMore = true;
  while (hasMore) {
    const { status } = await client.mustSend(path, { deleteMany: { filter: { kind: 'kind 3' } } });
    hasMore = status?.['moreData'] === true;
  }
  for (const [id, { kind }] of stored) if (kind === 'kind 3') stored.delete(id);
  await client.mustSend(keyspace, { createCollection: { name: 'no_room' } });
  await checkDocuments(client, stored);
}

/** All documents, found without an index, and by each path. */
async function checkDocuments(client: DataClient, stored: ReadonlyMap<number, unknown>): Promise<void> {
  const documents = await client.readAll(path);
  const all = new Map(documents.map((document) => [document['_id'], document]));
  assert.deepEqual(sorted(all.keys()), sorted(stored.keys()));
  for (const [id, document] of stored as Documents) {
    const { $lexical: _, ...shown } = document;
    assert.deepEqual(all.get(id), shown);
  }
  const expected = [...(stored as Documents).values()];
  for (const [filter, test] of [
    ...Array.from(
      { length: kinds },
      (_, at) => [{ kind: `kind ${at}` }, ({ kind }: Stored) => kind === `kind ${at}`] as const,
    ),
    [{ n: { $gt: 0 } }, ({ n }: Stored) => n > 0],
    [{ tags: 3 }, ({ tags }: Stored) => tags.includes(3)],
    [{ tags: { $size: 2 } }, () => true],
    [{ $lexical: { $match: 'blue' } }, ({ $lexical }: Stored) => $lexical.includes('blue')],
  ] as const) {
    const found = await client.readAll(path, filter);
    const ids = expected.filter(test).map(({ _id }) => _id);
    assert.deepEqual(sorted(found.map(({ _id }) => _id)), sorted(ids), JSON.stringify(filter));
  }
}

function sorted(ids: Iterable<unknown>): readonly number[] {
  return [...ids].map(Number).sort((left, right) => left - right);
}
