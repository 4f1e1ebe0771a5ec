// Long texts under a text index: they are analyzed beside other writes, whatever changes them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkedEngine } from '../../src/data-service/engine/checked-engine.js';
import { newDataDirectory, openEmbedded } from '../conformance/open-embedded.js';
import { serveEngine } from './in-process-server.js';

/** Four texts of about 1 MB, each with a word that no other one has. */
const words = ['apple', 'pear', 'plum', 'quince'];
const long = (word: string) => `${word} `.padEnd(1_000_000, 'a red house ');

type Send = (command: object, path?: string) => Promise<unknown>;

async function withTable(work: (send: Send) => Promise<void>): Promise<void> {
  const engine = await openEmbedded(newDataDirectory(), { dialect: 'extended' });
  const server = await serveEngine(checkedEngine(engine), { dialect: 'extended' });
  const send: Send = async (command, path = '/texts') => {
    const { body } = await server.client.send(`/default_keyspace${path}`, command);
    assert.equal(body.errors, undefined, JSON.stringify(body.errors));
    return body.data?.documents ?? body.status;
  };
  const definition = { columns: { id: 'int', content: 'text' }, primaryKey: 'id' };
  try {
    await send({ createTable: { name: 'texts', definition } }, '');
    await work(send);
  } finally {
    await server.close();
  }
}

const createTextIndex = { name: 'words', definition: { column: 'content' } };
const found = (send: Send, word: string) =>
  send({ find: { filter: { content: { $match: word } }, projection: { id: 1 } } });

describe('long texts under a text index', () => {
  it('let small writes pass while they are removed and replaced', async () => {
    await withTable(async (send) => {
      await send({ createTextIndex });
      for (const [id, word] of words.entries())
        await send({ insertOne: { document: { id, content: long(word) } } });
      const answered: string[] = [];
      const note = (what: string) => () => void answered.push(what);
      await Promise.all([
        send({ deleteOne: { filter: { id: 0 } } }).then(note('long')),
        send({ updateOne: { filter: { id: 1 }, update: { $set: { content: 'short' } } } }).then(note('long')),
        send({ updateOne: { filter: { id: 2 }, update: { $unset: { content: '' } } } }).then(note('long')),
        send({ insertOne: { document: { id: 9, content: 'small' } } }).then(note('small')),
      ]);
      assert.deepEqual(answered, ['small', 'long', 'long', 'long']);
      for (const word of words.slice(0, 3)) assert.deepEqual(await found(send, word), []);
      assert.deepEqual(await found(send, 'quince'), [{ id: 3 }]);
      assert.deepEqual(await found(send, 'short'), [{ id: 1 }]);
      assert.deepEqual(await found(send, 'house'), [{ id: 3 }]);
    });
  });

  it('let small writes pass while an index is built', async () => {
    await withTable(async (send) => {
      for (const [id, word] of words.entries())
        await send({ insertOne: { document: { id, content: long(word) } } });
      await Promise.all([
        send({ createTextIndex }),
        ...Array.from({ length: 20 }, (_, at) => send({ insertOne: { document: { id: 10 + at } } })),
      ]);
      for (const [id, word] of words.entries()) assert.deepEqual(await found(send, word), [{ id }]);
    });
  });
});
