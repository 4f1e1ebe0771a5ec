// What is chosen for a file, and what is guessed, becomes the command that creates its table or collection.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { writeJson } from '../json/exact-json.js';
import { serverFacts } from '../net/server-facts.js';
import { completeChoices, createCommand, type NewFromFile, nothingChosen } from './new-from-file.js';
import { plannedFile } from './planned-file.js';
import { inspectFile } from './source-file.js';

const none: ReadonlySet<string> = new Set();

async function commandFor(name: string, text: string, chosen: Partial<NewFromFile> = {}) {
  const file = new File([text], name);
  const inspected = await inspectFile(file, 'document', {}, new AbortController().signal);
  const all = { ...nothingChosen, ...chosen };
  const complete = completeChoices(inspected, all, none);
  const destination = { kind: complete.kind, name: complete.name, existing: undefined };
  const planned = plannedFile(inspected, destination, complete);
  const command = createCommand('shop', planned, complete, all.collection);
  return typeof command === 'string' ? command : writeJson({ [command.name]: command.body });
}

describe('the command that creates a table or collection for a file', () => {
  it('creates a table with the guessed types and the column id as its key', async () => {
    assert.equal(
      await commandFor('a b.csv', 'id,when,tags\n1,2024-05-06,"[1]"\n'),
      '{"createTable":{"name":"a_b","definition":{"columns":{"id":"int","when":"date","tags":"text"},' +
        '"primaryKey":{"partitionBy":["id"],"partitionSort":{}}}}}',
    );
  });

  it('creates a table with the key and the types that are chosen', async () => {
    const types = new Map([['b', 'text' as const]]);
    assert.equal(
      await commandFor('t.csv', 'a,b\n1,2\n', { primaryKey: ['b', 'a'], types, name: 'x' }),
      '{"createTable":{"name":"x","definition":{"columns":{"a":"int","b":"text"},' +
        '"primaryKey":{"partitionBy":["b"],"partitionSort":{"a":1}}}}}',
    );
  });

  it('asks for the key of a table without a column id, for a name and for rows', async () => {
    assert.equal(await commandFor('t.csv', 'a,b\n1,2\n'), 'Choose the column of the partition key.');
    assert.equal(await commandFor('t.csv', 'id\n1\n', { name: '' }), 'Type a name.');
    assert.equal(await commandFor('t.csv', 'id,a\n'), 'The file has no rows.');
  });

  it('creates a collection for JSON, and for CSV where that is chosen', async () => {
    const collection =
      '{"createCollection":{"name":"t","options":{"lexical":{"enabled":true,"analyzer":"standard"}}}}';
    assert.equal(await commandFor('t.json', '[{"a":1}]', { kind: 'table' }), collection);
    assert.equal(await commandFor('t.csv', 'a\n1\n', { kind: 'collection' }), collection);
  });

  it('creates a table only, for CSV, on a server without collections', async () => {
    const texts = { version: '', engine: '', dataUrl: '', consoleUrl: '', user: '', role: '' };
    const before = serverFacts.value;
    const parts = {
      hasCollections: false,
      hasTextIndexes: false,
      hasClusterUsers: false,
    };
    serverFacts.value = { ...texts, ...parts, dialect: 'strict', needsToken: false, needsLogin: false };
    try {
      assert.match(await commandFor('t.csv', 'id\n1\n', { kind: 'collection' }), /^\{"createTable"/);
      assert.match(
        await commandFor('t.json', '[{"a":1}]'),
        /^This server has no collections\. Create a table /,
      );
    } finally {
      serverFacts.value = before;
    }
  });

  it('has no type of documents in a table, also where it was chosen for a collection before', async () => {
    const types = new Map([['a', 'json' as const]]);
    assert.match(await commandFor('t.csv', 'id,a\n1,x\n', { types }), /"a":"text"/);
  });
});
