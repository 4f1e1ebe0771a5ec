// Writes of large documents: each command is a commit of its own, so that other writes do not wait for all of them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkedEngine } from '../../src/data-service/engine/checked-engine.js';
import { newDataDirectory, openEmbedded } from '../conformance/open-embedded.js';
import type { DataClient, ReplyBody } from '../faults/data-client.js';
import { serveEngine } from '../faults/in-process-server.js';

/** About 300 KB: a command on it does not share a commit. */
const long = Array.from({ length: 75 }, (_, at) => `${at} `.repeat(1_500));

async function withCollection(
  work: (send: (command: unknown) => Promise<ReplyBody>, client: DataClient) => Promise<void>,
): Promise<void> {
  const server = await serveEngine(checkedEngine(await openEmbedded(newDataDirectory())));
  const { client } = server;
  await client.mustSend('/default_keyspace', { createCollection: { name: 'docs' } });
  const send = async (command: unknown) => (await client.send('/default_keyspace/docs', command)).body;
  await work(send, client).finally(() => server.close());
}

describe('writes of large documents', () => {
  it('let a small write pass, and lose no increment', async () => {
    await withCollection(async (send) => {
      await send({ insertMany: { documents: [1, 2].map((_id) => ({ _id, n: 0, long })) } });
      const answered: string[] = [];
      const note = (what: string) => () => void answered.push(what);
      const increments = Array.from({ length: 6 }, (_, at) =>
        send({ updateOne: { filter: { _id: 1 + (at % 2) }, update: { $inc: { n: 1 } } } }).then(
          note('large'),
        ),
      );
      const insert = send({ insertOne: { document: { _id: 3 } } }).then(note('small'));
      await Promise.all([...increments, insert]);
      assert.ok(answered.indexOf('small') < answered.length - 1, answered.join(' '));
      assert.deepEqual((await send({ countDocuments: { filter: { n: 3 } } })).status, { count: 2 });
    });
  });

  it('answer for all documents of a command', async () => {
    await withCollection(async (send) => {
      const documents = [1, 2, 1, 3].map((_id) => ({ _id, n: 0, long }));
      const options = { ordered: true, returnDocumentResponses: true };
      const ordered = await send({ insertMany: { documents, options } });
      const states = ({ status }: ReplyBody) => {
        const responses = status?.['documentResponses'];
        assert.ok(Array.isArray(responses));
        return responses.map((response) => response.status);
      };
      assert.deepEqual(states(ordered), ['OK', 'OK', 'ERROR', 'SKIPPED']);
      const unordered = await send({ insertMany: { documents, options: { ...options, ordered: false } } });
      assert.deepEqual(states(unordered), ['ERROR', 'ERROR', 'ERROR', 'OK']);
      const increment = { updateMany: { filter: { n: { $exists: true } }, update: { $inc: { n: 1 } } } };
      assert.deepEqual((await send(increment)).status, { matchedCount: 3, modifiedCount: 3 });
      await send({ updateOne: { filter: { _id: 2 }, update: { $set: { n: 'a text' } } } });
      const failed = await send(increment);
      assert.equal(failed.errors?.length, 1);
      assert.deepEqual(failed.status, { matchedCount: 1, modifiedCount: 1 });
      assert.deepEqual((await send({ deleteMany: { filter: { _id: { $in: [1, 2] } } } })).status, {
        deletedCount: 2,
      });
      assert.deepEqual((await send({ countDocuments: {} })).status, { count: 1 });
    });
  });

  it('are in several commits of one command', async () => {
    await withCollection(async (send) => {
      const count = 12;
      for (let _id = 0; _id < count; _id += 1)
        await send({ insertOne: { document: { _id, n: 0, long: [...long, ...long] } } });
      const changed = async (n: number) =>
        Number((await send({ countDocuments: { filter: { n } } })).status?.['count']);
      let seenBetween = false;
      // Another command can be too fast to be seen in between; a single commit never is.
      for (let n = 1; n <= 20 && !seenBetween; n += 1) {
        let isDone = false;
        const updated = send({ updateMany: { filter: {}, update: { $inc: { n: 1 } } } }).finally(() => {
          isDone = true;
        });
        while (!isDone) {
          const found = await changed(n);
          seenBetween ||= found > 0 && found < count;
        }
        assert.deepEqual((await updated).status, { matchedCount: count, modifiedCount: count });
        assert.equal(await changed(n), count);
      }
      assert.ok(seenBetween);
    });
  });
});
