// Changes of rows and documents become the smallest command.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isObject, parseJson, writeJson } from '../json/exact-json.js';
import { changeCommand, deleteCommand, editedOf } from './row-changes.js';

const target = { keyspace: 'k', name: 't' };

function object(text: string) {
  const value = parseJson(text);
  assert.ok(isObject(value));
  return value;
}

const table = {
  kind: 'table',
  name: 't',
  definition: object(
    '{"columns":{"a":"int","b":"int","c":"text"},"primaryKey":{"partitionBy":["a"],"partitionSort":{"b":1}}}',
  ),
} as const;
const collection = { kind: 'collection', name: 't', definition: {} } as const;

describe('changes of a row', () => {
  const before = object('{"a":1,"b":2,"c":"x","n":9007199254740993,"$similarity":0.5}');
  const change = (after: string) => {
    const command = changeCommand(table, target, before, object(after));
    return typeof command === 'string' ? command : writeJson(command.body);
  };

  it('set what differs and unset what is gone', () => {
    assert.equal(
      change('{"a":1,"b":2,"n":9007199254740992}'),
      '{"filter":{"a":1,"b":2},"update":{"$set":{"n":9007199254740992},"$unset":{"c":""}}}',
    );
  });

  it('do not change the key, and are none where nothing differs', () => {
    assert.match(change('{"a":1,"b":3}'), /^a, b identifies the row/);
    assert.equal(change('{"a":1,"b":2,"c":"x","n":9007199254740993}'), 'Nothing is changed yet.');
  });

  it('are seen in columns with the names of members of every object', () => {
    const row = object('{"a":1,"b":2,"constructor":"x"}');
    const body = (after: string) => {
      const command = changeCommand(table, target, row, object(after));
      return typeof command === 'string' ? command : writeJson(command.body['update']);
    };
    assert.equal(
      body('{"a":1,"b":2,"constructor":"y","toString":"z"}'),
      '{"$set":{"constructor":"y","toString":"z"}}',
    );
    assert.equal(body('{"a":1,"b":2}'), '{"$unset":{"constructor":""}}');
  });

  it('delete by the whole key', () => {
    assert.equal(writeJson(deleteCommand(table, target, before).body), '{"filter":{"a":1,"b":2}}');
  });
});

describe('changes of a document', () => {
  it('replace it, without the vector that is made of its text', () => {
    const before = object('{"_id":{"$uuid":"u"},"$vectorize":"x","$vector":[1],"a":1}');
    const command = changeCommand(collection, target, editedOf(before), { ...editedOf(before), a: 'y' });
    assert.ok(typeof command !== 'string');
    assert.equal(
      writeJson(command.body),
      '{"filter":{"_id":{"$uuid":"u"}},"replacement":{"_id":{"$uuid":"u"},"$vectorize":"x","a":"y"},' +
        '"options":{"upsert":true}}',
    );
  });
});
