// What each dialect accepts, and the names and stored forms of user-defined types.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseJson } from '../../foundation/json/parse-json.js';
import { type ColumnType, cqlDefinition, isReadable, isWritable, ValueMismatch } from './column-type.js';
import { listOf, mapOf, setOf } from './containers.js';
import { inDialect } from './dialect.js';
import { duration } from './durations.js';
import { frozenOf } from './frozen.js';
import { inet } from './inet.js';
import { int } from './integers.js';
import { columnTypes } from './registry.js';
import { text } from './text.js';
import { time } from './times.js';
import { timestamp } from './timestamps.js';
import { columnTypeOfName } from './type-names.js';
import { userDefinedOf } from './user-types.js';

const person = userDefinedOf({
  keyspace: 'k',
  name: 'person',
  fields: [
    { name: "o'clock", type: time },
    { name: 'a.b:c%', type: int },
  ],
});

function read(type: ColumnType, literal: string): string {
  return type.serialize(type.parse(parseJson(literal, { maxDepth: 10, maxNumberLength: 100 })));
}

describe('the extended dialect', () => {
  const literals: readonly (readonly [type: ColumnType, literal: string, value: string])[] = [
    [time, '"10:15"', '"10:15:00"'],
    [time, '"23:59:00."', '"23:59:00"'],
    [timestamp, '"2024-01-01T00:00:00.123456Z"', '"2024-01-01T00:00:00.123Z"'],
    [timestamp, '"2024-01-01t00:00:00.999999999+01:00"', '"2023-12-31T23:00:00.999Z"'],
    [timestamp, '"2024-01-01T00:00:00z"', '"2024-01-01T00:00:00.000Z"'],
    [timestamp, '{"$date":1.9}', '"1970-01-01T00:00:00.001Z"'],
    [timestamp, '{"$date":-1.9}', '"1969-12-31T23:59:59.999Z"'],
    [duration, '"P2W"', '"P14D"'],
    [duration, '"-P2W"', '"-P14D"'],
    [duration, '"P0001-00-02T14:20:00"', '"P1Y2DT14H20M"'],
    [inet, '"127.1"', '"127.0.0.1"'],
    [inet, '"127.0.1"', '"127.0.0.1"'],
    [inet, '"192.168.36095"', '"192.168.140.255"'],
    [inet, '"192.11046143"', '"192.168.140.255"'],
    [inet, '"localhost"', '"127.0.0.1"'],
    [inet, '"::ffff:192.168.0.1"', '"192.168.0.1"'],
  ];
  for (const [type, literal, value] of literals) {
    it(`reads ${literal} as the ${type.name} ${value}, also inside lists, sets and maps`, () => {
      assert.equal(read(inDialect(type, 'extended'), literal), value);
      assert.equal(read(inDialect(listOf(type), 'extended'), `[${literal}]`), `[${value}]`);
      assert.equal(read(inDialect(mapOf(text, type), 'extended'), `{"a":${literal}}`), `{"a":${value}}`);
    });
  }

  it('refuses what the strict dialect refuses otherwise', () => {
    for (const type of columnTypes) {
      const form = inDialect(type, 'extended');
      for (const literal of type.examples.accepts) assert.equal(read(form, literal), read(type, literal));
      const accepted = new Set([...literals.map(([, literal]) => literal), ...lenient]);
      for (const literal of type.examples.rejects.filter((each) => !accepted.has(each)))
        assert.throws(() => read(form, literal), ValueMismatch, `${type.name} ${literal}`);
    }
    for (const literal of ['"24:00:00"', '"1:00:00"', '"10:15:30.1234567890"'])
      assert.throws(() => read(inDialect(time, 'extended'), literal));
    for (const literal of [
      '"10.10.10.1000"',
      '"300.1"',
      '"127.0.0.0.1"',
      '"01.2"',
      '"1.2/8"',
      '"127.16777216"',
      '""',
    ])
      assert.throws(() => read(inDialect(inet, 'extended'), literal));
  });

  it('gives access to frozen lists, sets and maps, and filters on all of them', () => {
    const frozen = inDialect(frozenOf(setOf(int)), 'extended');
    assert.ok(isReadable(frozen) && isWritable(frozen) && frozen.traits.filterable);
    assert.ok(inDialect(listOf(int), 'extended').traits.filterable);
    assert.equal(inDialect(listOf(int), 'strict').traits.filterable, false);
  });

  it('gives the same object for the same type, and for one that is already of the dialect', () => {
    const form = inDialect(listOf(time), 'extended');
    assert.equal(inDialect(listOf(time), 'extended'), form);
    assert.equal(inDialect(form, 'extended'), form);
  });
});

/** Rejected examples that the extended dialect accepts for other reasons than the literals above. */
const lenient = [
  ...['"1.2.3"', '"P1W"', '"P2024-01-01T00:00:00"', '"10:15:30."', '{"$date":1.5}'],
  ...['"2024-01-01t00:00:00Z"', '"2024-01-01T00:00:00.1234Z"', '"2024-01-01T00:00:00.123001Z"'],
];

describe('the strict dialect', () => {
  it('lists types of the other dialect, and neither reads nor writes them', () => {
    for (const type of [person, listOf(person), mapOf(int, text), mapOf(text, person), frozenOf(person)]) {
      const form = inDialect(type, 'strict');
      assert.equal(form.definition, '{"type":"UNSUPPORTED"}');
      assert.equal(isReadable(form) || isWritable(form), false);
      assert.equal(cqlDefinition(form), cqlDefinition(type));
      assert.equal(form.name, type.name);
    }
    assert.equal(inDialect(mapOf(text, int), 'strict'), mapOf(text, int));
  });
});

describe('a user-defined type', () => {
  it('is found by its name, which contains its definition', () => {
    assert.match(person.name, /^user\{[\w%.:]+\}$/);
    assert.deepEqual(columnTypeOfName(person.name)?.userType, person.userType);
    for (const type of [listOf(person), setOf(person), mapOf(int, person), frozenOf(person)])
      assert.equal(columnTypeOfName(type.name)?.name, type.name);
    assert.equal(columnTypeOfName(`map<${person.name},int>`), undefined);
  });

  it('is stored by the order of its fields', () => {
    const value = person.parse(new Map([['a.b:c%', null]]));
    assert.equal(person.sql.encode(value), '[]');
    assert.equal(person.sql.encode([3_600_000_000_000, null]), '["01:00:00"]');
    assert.deepEqual(person.sql.decode('["01:00:00"]'), [3_600_000_000_000, null]);
    const list = listOf(person);
    assert.equal(
      list.sql.encode([
        [null, 5],
        [null, null],
      ]),
      '[[null,5],[]]',
    );
    assert.equal(list.serialize(list.sql.decode('[[null,5],[]]')), '[{"a.b:c%":5},{}]');
  });

  it('orders values field by field, null first', () => {
    const values = [
      [null, null],
      [null, 1],
      [1, null],
      [1, 2],
      [2, null],
    ];
    for (const [at, value] of values.entries())
      for (const [other, more] of values.entries())
        assert.equal(Math.sign(person.compare(value, more)), Math.sign(at - other));
  });
});
