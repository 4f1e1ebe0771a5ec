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

  it('let small writes pass while many rows with shorter ones are removed', async () => {
    await withTable(async (send) => {
      const columns = { part: 'int', id: 'int', content: 'text' };
      const primaryKey = { partitionBy: ['part'], partitionSort: { id: 1 } };
      await send({ createTable: { name: 'parts', definition: { columns, primaryKey } } }, '');
      const documents = Array.from({ length: 24 }, (_, id) => {
        return { part: 1, id, content: `word${id} `.padEnd(60_000, 'a red house ') };
      });
      await send({ insertMany: { documents } }, '/parts');
      await send({ createTextIndex: { ...createTextIndex, name: 'parts_words' } }, '/parts');
      const answered: string[] = [];
      const note = (what: string) => () => void answered.push(what);
      const small = { part: 2, id: 1, content: 'a small word7' };
      await Promise.all([
        send({ deleteMany: { filter: { part: 1 } } }, '/parts').then(note('many')),
        send({ insertOne: { document: small } }, '/parts').then(note('small')),
      ]);
      assert.deepEqual(answered, ['small', 'many']);
      const filter = { content: { $match: 'word7' } };
      assert.deepEqual(await send({ find: { filter, projection: { id: 1 } } }, '/parts'), [{ id: 1 }]);
      assert.deepEqual(await send({ find: { filter: { content: { $match: 'red' } } } }, '/parts'), []);
    });
  });

  it('of collections are analyzed beside other writes where their analyzer takes long', async () => {
    await withTable(async (send) => {
      const analyzer = { tokenizer: { name: 'pattern', args: { pattern: 'a.*x|[a-z0-9]+', group: '0' } } };
      const options = { lexical: { enabled: true, analyzer } };
      await send({ createCollection: { name: 'docs', options } }, '');
      const documents = Array.from({ length: 4 }, (_, at) => {
        return { _id: at, $lexical: `word${at} `.padEnd(2_000, 'red house ') };
      });
      const answered: string[] = [];
      const note = (what: string) => () => void answered.push(what);
      await Promise.all([
        send({ insertMany: { documents } }, '/docs').then(note('many')),
        send({ insertOne: { document: { _id: 'small', $lexical: 'house' } } }, '/docs').then(note('small')),
      ]);
      assert.deepEqual(answered, ['small', 'many']);
      const found = async (word: string) =>
        send({ find: { filter: { $lexical: { $match: word } }, projection: { _id: 1 } } }, '/docs');
      assert.deepEqual(await found('word2'), [{ _id: 2 }]);
      await send({ deleteMany: { filter: { _id: { $in: [0, 1, 2, 3] } } } }, '/docs');
      assert.deepEqual(await found('house'), [{ _id: 'small' }]);
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
