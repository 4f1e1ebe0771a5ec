// Lists, sets and maps, beyond the laws of all column types.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonText } from '../../foundation/json/json-value.js';
import { parseJson } from '../../foundation/json/parse-json.js';
import { type ColumnType, ValueMismatch } from './column-type.js';
import { listOf, mapOf, setOf } from './containers.js';
import { double } from './floats.js';
import { int, varint } from './integers.js';
import { ascii, text } from './text.js';
import { columnTypeOfName } from './type-names.js';

const parse = (type: ColumnType, json: JsonText) =>
  type.parse(parseJson(json, { maxDepth: 10, maxNumberLength: 100 }));
const again = (type: ColumnType, json: JsonText) => type.serialize(parse(type, json));

function refuses(type: ColumnType, json: JsonText, reason: string, kind = 'value'): void {
  assert.throws(
    () => parse(type, json),
    (error) => {
      assert.ok(error instanceof ValueMismatch, String(error));
      assert.deepEqual([error.message, error.kind], [reason, kind]);
      return true;
    },
  );
}

describe('container types', () => {
  it('are the same object for the same parts', () => {
    assert.equal(listOf(int), listOf(int));
    assert.equal(setOf(text), columnTypeOfName('set<text>'));
    assert.equal(mapOf(ascii, int), columnTypeOfName('map<ascii,int>'));
    assert.notEqual(listOf(int), setOf(int));
    assert.notEqual(mapOf(text, int), mapOf(ascii, int));
  });

  it('have a name and a definition', () => {
    const types: readonly ColumnType[] = [listOf(text), setOf(int), mapOf(text, int)];
    assert.deepEqual(
      types.map(({ name, definition, cql }) => [name, definition, cql.type]),
      [
        ['list<text>', '{"type":"list","valueType":"text"}', 'list<text>'],
        ['set<int>', '{"type":"set","valueType":"int"}', 'set<int>'],
        ['map<text,int>', '{"type":"map","keyType":"text","valueType":"int"}', 'map<text,int>'],
      ],
    );
  });
});

describe('values of containers', () => {
  it('have the order of their type: lists as given, sets and maps ascending without repetition', () => {
    assert.equal(again(listOf(int), '[3,1,3]'), '[3,1,3]');
    assert.equal(again(setOf(int), '[30,1,3e1,-2]'), '[-2,1,30]');
    assert.equal(again(setOf(double), '["NaN",0,-0.0,"NaN"]'), '[-0.0,0.0,"NaN"]');
    assert.equal(again(setOf(text), '["\\ud83d\\ude00","\\uffff","a"]'), '["a","\uffff","😀"]');
    assert.equal(again(mapOf(text, int), '{"b":1,"a":2,"10":3,"9":4}'), '{"10":3,"9":4,"a":2,"b":1}');
  });

  it('of maps are read from pairs as well, of which the last with a key counts', () => {
    assert.equal(again(mapOf(text, int), '[["b",1],["a",2],["b",3]]'), '{"a":2,"b":3}');
    refuses(mapOf(text, int), '[]', 'an empty map is written {}');
  });

  it('name the member that does not fit', () => {
    refuses(listOf(int), '[1,"2"]', 'element 2: expected a number, found a string');
    refuses(setOf(int), '[null]', 'element 1: null is not allowed in a set');
    refuses(listOf(int), '[1,[2]]', 'element 2: expected a number, found an array');
    refuses(mapOf(text, int), '{"a":1,"b":1.5}', `the value of "b": ${reasonOf(int, '1.5')}`);
    refuses(mapOf(text, int), '{"a":null}', 'the value of "a": null is not allowed in a map');
    refuses(mapOf(ascii, int), '{"é":1}', 'the key "é": character 1 is not US-ASCII');
    refuses(mapOf(text, int), '[["a",1],["b"]]', 'pair 2: expected an array of a key and a value');
    refuses(mapOf(text, int), '[["a",1],[null,1]]', 'the key of pair 2: null is not allowed in a map');
    refuses(mapOf(text, int), '[[5,1]]', 'the key of pair 1: expected a string, found a number');
    refuses(mapOf(text, int), '[["a",null]]', 'the value of pair 1: null is not allowed in a map');
    refuses(listOf(int), '{"a":1}', 'expected an array of int values, found an object');
    refuses(mapOf(text, int), '5', 'expected an object, or an array of [key, value] pairs, found a number');
  });

  it('say that a limit was passed when an element passed it', () => {
    refuses(listOf(varint), '[1,1e300000]', `element 2: ${reasonOf(varint, '1e300000')}`, 'limit');
  });

  it('are stored without a character that would end a text', () => {
    const type = mapOf(text, text);
    const stored = type.sql.encode(type.parse(new Map([['\u0000', '\u0000\u0001']])));
    assert.ok(typeof stored === 'string' && !stored.includes('\u0000'));
    assert.deepEqual(type.sql.decode(stored), [['\u0000', '\u0000\u0001']]);
  });

  it('are read from arrays, sets, objects and maps of the Cassandra driver', () => {
    assert.deepEqual(listOf(int).cql.fromDriver([3, 1, 3]), [3, 1, 3]);
    assert.deepEqual(setOf(int).cql.fromDriver([1, 3]), [1, 3]);
    assert.deepEqual(setOf(int).cql.fromDriver(new Set([1, 3])), [1, 3]);
    assert.deepEqual(mapOf(text, int).cql.fromDriver({ b: 1, 7: 2 }), [
      ['7', 2],
      ['b', 1],
    ]);
    assert.deepEqual(mapOf(text, int).cql.fromDriver(new Map([['__proto__', 1]])), [['__proto__', 1]]);
    // Elements without bytes, as of blobAsInt(0x).
    assert.deepEqual(listOf(int).cql.fromDriver([3, null, 1]), [3, 1]);
    assert.deepEqual(mapOf(text, int).cql.fromDriver({ a: null, b: 2 }), [['b', 2]]);
    assert.throws(() => listOf(int).cql.fromDriver({}), TypeError);
    assert.throws(() => mapOf(text, int).cql.fromDriver(null), TypeError);
  });
});

describe('members of containers', () => {
  const { container: list } = listOf(int);
  const { container: set } = setOf(int);
  const { container: map } = mapOf(text, int);

  it('are added to what is there, or make the container', () => {
    assert.deepEqual(list?.add([1, 2], [1]), [1, 2, 1]);
    assert.deepEqual(list?.add(null, [1]), [1]);
    assert.deepEqual(set?.add([1, 5], [2, 5]), [1, 2, 5]);
    assert.deepEqual(
      map?.add(
        [
          ['a', 1],
          ['b', 2],
        ],
        [
          ['b', 3],
          ['c', 4],
        ],
      ),
      [
        ['a', 1],
        ['b', 3],
        ['c', 4],
      ],
    );
    for (const container of [list, set, map]) assert.equal(container?.add(null, []), null);
  });

  it('are removed by their names, and the container with the last of them', () => {
    assert.deepEqual(list?.remove([1, 2, 1, 3], [3, 1]), [2]);
    assert.deepEqual(set?.remove([1, 2], [7, 2]), [1]);
    assert.deepEqual(
      map?.remove(
        [
          ['a', 1],
          ['b', 2],
        ],
        ['b', 'x'],
      ),
      [['a', 1]],
    );
    assert.equal(list?.remove([1, 1], [1]), null);
    for (const container of [list, set, map]) assert.equal(container?.remove(null, []), null);
  });
});

function reasonOf(type: ColumnType, json: JsonText): string {
  try {
    parse(type, json);
  } catch (error) {
    if (error instanceof ValueMismatch) return error.message;
  }
  return assert.fail(`${json} was accepted`);
}
