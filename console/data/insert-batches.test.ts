// Rows that are sent again after a lost reply.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type InsertCounts, insertRows, type NewRow, noneDone, SentRows } from './insert-batches.js';

const target = { keyspace: 'shop', kind: 'table', name: 'books' } as const;

async function* rowsWith(keys: readonly number[]): AsyncGenerator<readonly NewRow[]> {
  yield keys.map((key, at) => {
    return { number: at + 1, text: `{"id":${key}}`, hasMadeId: false, original: () => undefined };
  });
}

/** A server that refuses requests of several rows as too large. `isLost` says which reply is lost, by its number. */
function answerRequests(isLost: (request: number) => boolean): () => void {
  const before = globalThis.fetch;
  let count = 0;
  globalThis.fetch = async (_, init) => {
    count += 1;
    if (isLost(count)) throw new TypeError('fetch failed');
    const { insertMany } = JSON.parse(String(init?.body));
    const documents: readonly { readonly id: number }[] = insertMany.documents;
    if (documents.length > 1) return new Response('{"message":"too large"}', { status: 413 });
    const documentResponses = documents.map(({ id }) => ({ status: 'OK', _id: [id] }));
    return Response.json({ status: { documentResponses } });
  };
  return () => {
    globalThis.fetch = before;
  };
}

describe('rows of a file that are inserted in halves', () => {
  it('replace no others if a half is sent again because the reply to the other one was lost', async () => {
    const stop = answerRequests((request) => request === 3);
    try {
      const past = new SentRows();
      let counts: InsertCounts = noneDone;
      const run = () =>
        insertRows(rowsWith([1, 2]), {
          ...{ target, begin: counts, past, onRefused: () => {}, signal: new AbortController().signal },
          onCounts: (now) => {
            counts = now;
          },
        });
      await assert.rejects(run(), /cannot be reached/);
      assert.deepEqual(counts, noneDone);
      await run();
      assert.deepEqual(counts, { ...noneDone, done: 2, inserted: 2 });
    } finally {
      stop();
    }
  });

  it('are counted if they replace others', async () => {
    const stop = answerRequests(() => false);
    try {
      let counts: InsertCounts = noneDone;
      await insertRows(rowsWith([1, 2, 1]), {
        ...{ target, begin: counts, past: new SentRows(), signal: new AbortController().signal },
        onRefused: () => {},
        onCounts: (now) => {
          counts = now;
        },
      });
      assert.deepEqual(counts, { ...noneDone, done: 3, inserted: 3, replaced: 1 });
    } finally {
      stop();
    }
  });
});
