// Many connections change the same documents at the same time: nothing is lost, and nothing counts twice.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { collectionSteps } from './collection-steps.js';
import { useWireServer } from './wire-server.js';

const steps = collectionSteps(useWireServer());
const connections = 100;

/** Sends a command on each connection at the same time, and gives the parsed replies. */
async function all(collection: string, body: (at: number) => string, count = connections) {
  const texts = await Promise.all(Array.from({ length: count }, (_, at) => steps.send(body(at), collection)));
  return texts.map((text) => JSON.parse(text) as RaceReply); // as the contract has it
}

interface RaceReply {
  readonly data?: { readonly document?: { readonly _id?: unknown; readonly n?: number } | null };
  readonly status?: Readonly<Record<string, number>>;
  readonly errors?: readonly unknown[];
}

const sumOf = (replies: readonly RaceReply[], name: string) =>
  replies.reduce((sum, { status }) => sum + Number(status?.[name] ?? 0), 0);

async function documents(collection: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const text = await steps.send('{"find":{"sort":{"_id":1}}}', collection);
  return JSON.parse(text).data.documents;
}

describe('documents that a hundred connections change', () => {
  it('7: add up their increments, by id and by filter', async () => {
    await steps.create('sums');
    await steps.insert('sums', '{"_id":1,"key":"a","n":0}');
    const replies = await all('sums', (at) => {
      const filter = at % 2 === 0 ? '{"_id":1}' : '{"key":"a","n":{"$gte":0}}';
      return `{"updateOne":{"filter":${filter},"update":{"$inc":{"n":1},"$push":{"who":${at}}}}}`;
    });
    assert.equal(sumOf(replies, 'modifiedCount'), connections);
    const [document] = await documents('sums');
    assert.equal(document?.['n'], connections);
    assert.equal(new Set(document?.['who'] as readonly number[]).size, connections);
  });

  it('7: show each state once to findOneAndUpdate', async () => {
    await steps.create('tickets');
    await steps.insert('tickets', '{"_id":1,"n":0}');
    const replies = await all('tickets', () => {
      return '{"findOneAndUpdate":{"filter":{},"update":{"$inc":{"n":1}},"options":{"returnDocument":"after"}}}';
    });
    const numbers = replies.map(({ data }) => data?.document?.n ?? 0).sort((one, other) => one - other);
    assert.deepEqual(
      numbers,
      Array.from({ length: connections }, (_, at) => at + 1),
    );
  });

  it('7: are taken from a queue once each', async () => {
    await steps.create('queue');
    const waiting = Array.from({ length: 50 }, (_, at) => `{"_id":${at},"state":"waiting"}`);
    await steps.insert('queue', ...waiting);
    const replies = await all('queue', () => {
      return '{"findOneAndUpdate":{"filter":{"state":"waiting"},"sort":{"_id":1},"update":{"$set":{"state":"taken"}}}}';
    });
    const taken = replies.flatMap(({ data }) => (data?.document ? [data.document._id] : []));
    assert.deepEqual(
      replies.flatMap(({ errors = [] }) => errors),
      [],
    );
    assert.equal(new Set(taken).size, waiting.length);
    assert.equal(taken.length, waiting.length);
  });

  it('7: are one document if all upsert one key', async () => {
    await steps.create('upserts');
    const replies = await all('upserts', () => {
      return '{"updateOne":{"filter":{"_id":"one"},"update":{"$inc":{"n":1}},"options":{"upsert":true}}}';
    });
    assert.equal(replies.filter(({ status }) => status?.['upsertedId'] !== undefined).length, 1);
    assert.equal(sumOf(replies, 'modifiedCount'), connections - 1);
    assert.deepEqual(await documents('upserts'), [{ _id: 'one', n: connections }]);
  });

  it('7: are inserted once', async () => {
    await steps.create('inserts');
    const replies = await all('inserts', (at) => `{"insertOne":{"document":{"_id":"one","n":${at}}}}`);
    const refused = replies.filter(({ errors }) => errors !== undefined);
    assert.equal(refused.length, connections - 1);
  });

  it('7: count once if several commands delete them', async () => {
    await steps.create('deletes');
    const stored = Array.from({ length: 40 }, (_, at) => `{"_id":${at},"half":${at % 2}}`);
    await steps.insert('deletes', ...stored);
    const replies = await all('deletes', (at) => {
      if (at % 3 === 0) return '{"deleteMany":{"filter":{"half":1}}}';
      return at % 3 === 1
        ? '{"deleteOne":{"filter":{"half":1}}}'
        : '{"findOneAndDelete":{"filter":{"half":1}}}';
    });
    assert.equal(sumOf(replies, 'deletedCount'), stored.length / 2);
    assert.deepEqual(
      replies.flatMap(({ errors = [] }) => errors),
      [],
    );
  });

  it('7: have each change of updateMany once', async () => {
    await steps.create('pages');
    const [changing, stored] = [20, 30];
    await steps.insert('pages', ...Array.from({ length: stored }, (_, at) => `{"_id":${at},"n":0}`));
    const update = '{"updateMany":{"filter":{},"update":{"$inc":{"n":1}}}}';
    const replies = await all('pages', () => update, changing);
    assert.equal(sumOf(replies, 'modifiedCount'), stored * changing);
    for (const { n } of await documents('pages')) assert.equal(n, changing);
  });
});
