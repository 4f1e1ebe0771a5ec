// Commands on the same documents at the same time (7): what clients can rely on.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { collectionSteps } from './collection-steps.js';
import { useWireServer } from './wire-server.js';

const server = useWireServer({
  prepare: [['/v1/default_keyspace', '{"createCollection":{"name":"c"}}']],
});
const { insert, send } = collectionSteps(server);
const atOnce = 100;

/** The same command many times at once; how often each reply came. */
async function repeated(command: string): Promise<Readonly<Record<string, number>>> {
  const replies = await Promise.all(Array.from({ length: atOnce }, () => send(command, 'c')));
  const counts: Record<string, number> = {};
  for (const text of replies) {
    const shown = /"errorCode":"(\w+)"/.exec(text)?.[1] ?? text;
    counts[shown] = (counts[shown] ?? 0) + 1;
  }
  return counts;
}

describe('commands at the same time', () => {
  it('lose no increment', async () => {
    await insert('c', '{"_id":"sum","n":0}');
    await repeated('{"updateOne":{"filter":{"_id":"sum"},"update":{"$inc":{"n":1}}}}');
    await repeated('{"findOneAndUpdate":{"filter":{"n":{"$gte":0}},"update":{"$inc":{"n":1}}}}');
    assert.equal(
      await send('{"findOne":{"filter":{"_id":"sum"}}}', 'c'),
      `{"data":{"document":{"_id":"sum","n":${2 * atOnce}}}}`,
    );
  });
  it('insert one document of an _id', async () =>
    assert.deepEqual(await repeated('{"insertOne":{"document":{"_id":"one"}}}'), {
      '{"status":{"insertedIds":["one"]}}': 1,
      DOCUMENT_ALREADY_EXISTS: atOnce - 1,
    }));
  it('delete each document once', async () =>
    assert.deepEqual(await repeated('{"deleteOne":{"filter":{"_id":"one"}}}'), {
      '{"status":{"deletedCount":1}}': 1,
      '{"status":{"deletedCount":0}}': atOnce - 1,
    }));
  it('upsert one document of an _id', async () => {
    const upsert =
      '{"updateOne":{"filter":{"_id":"up"},"update":{"$inc":{"n":1}},"options":{"upsert":true}}}';
    assert.deepEqual(await repeated(upsert), {
      '{"status":{"upsertedId":"up","matchedCount":0,"modifiedCount":0}}': 1,
      '{"status":{"matchedCount":1,"modifiedCount":1}}': atOnce - 1,
    });
    const found = await send('{"findOne":{"filter":{"_id":"up"}}}', 'c');
    assert.equal(found, `{"data":{"document":{"_id":"up","n":${atOnce}}}}`);
  });
  it('take each document of a queue once', async () => {
    await send('{"deleteMany":{}}', 'c');
    await insert('c', ...Array.from({ length: atOnce }, (_, at) => `{"_id":${at},"state":"new"}`));
    const take =
      '{"findOneAndUpdate":{"filter":{"state":"new"},"update":{"$set":{"state":"taken"}},"projection":{"_id":1,"state":0}}}';
    const taken = Object.values(await repeated(take));
    assert.ok(taken.length === atOnce && taken.every((count) => count === 1), JSON.stringify(taken));
  });
});
