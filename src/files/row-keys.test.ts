// The rows of a file that have the key of a row before them are found, and others are not.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { columnWriter } from './field-value.js';
import { usualNumbers } from './number-text.js';
import { readJsonFile } from './read-json-file.js';
import { KnownKeys, objectKey, recordKey } from './row-keys.js';

describe('the keys of rows', () => {
  it('are those of the values, not of their texts in the file', () => {
    const layout = {
      ...{ hasHeader: true, width: 3, isRagged: false },
      columns: ['a', 'b', 'c'].map((name, at) => ({ name, at })),
    };
    const fields = [
      { name: 'a', type: 'int', isNull: undefined, write: columnWriter('int', usualNumbers) },
      { name: 'b', type: 'text', isNull: undefined, write: columnWriter('text', usualNumbers) },
      { name: 'c', type: 'text', isNull: undefined, write: columnWriter('text', usualNumbers) },
    ];
    const keyOf = recordKey(fields, layout, ['b', 'a']);
    const key = (...record: readonly (string | null)[]) => keyOf({ line: 2, fields: record });
    assert.equal(key('1', 'x', 'p'), key('1.0', 'x', 'q'));
    assert.notEqual(key('1', 'x', 'p'), key('1', 'y', 'p'));
    assert.deepEqual([key('x', 'x', 'p'), key(null, 'x', 'p')], [undefined, undefined]);
  });

  it('are the members of objects', async () => {
    async function* text() {
      yield '{"a":1,"b":"x","c":1} {"b":"x","a":1} {"a":1} {"a":1,}';
    }
    const keyOf = objectKey(['a', 'b']);
    const keys: (string | undefined)[] = [];
    for await (const records of readJsonFile(text(), 'f')) keys.push(...records.map(keyOf));
    assert.deepEqual(keys, ['1,"x"', '1,"x"', undefined, undefined]);
  });

  it('are known from their second time on, of many that are similar', () => {
    const known = new KnownKeys();
    const keys = Array.from({ length: 100_000 }, (_, at) => [`${at},"${at % 10}"`, `"k${at}"`]).flat();
    assert.equal(keys.filter((key) => known.add(key)).length, 0);
    assert.equal(
      keys.every((key) => known.add(key)),
      true,
    );
  });
});
