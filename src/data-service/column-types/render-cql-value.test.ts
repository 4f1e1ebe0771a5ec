// Values of the driver as JSON, also of types that the data service does not have.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import driver from 'cassandra-driver';
import { renderCqlValue } from './render-cql-value.js';

const { BigDecimal, Duration, Integer, Tuple, Uuid } = driver.types;
const large = Integer.fromBuffer(Buffer.concat([Buffer.from([1]), Buffer.alloc(200)]));
const largeText = String(1n << 1600n);
const uuid = '00000000-0000-4000-8000-000000000001';

const cases: readonly (readonly [type: string, value: unknown, text: string])[] = [
  ['int', null, 'null'],
  ['bigint', 9_223_372_036_854_775_807n, '9223372036854775807'],
  ['blob', Buffer.from([255]), '{"$binary":"/w=="}'],
  ['duration', Duration.fromString('1d2h'), '"P1DT2H"'],
  ['map<text, int>', new Map([['a', 1]]), '{"a":1}'],
  ['map<int, text>', new Map([[2, 'b']]), '[[2,"b"]]'],
  ['map<int, text>', { 2: 'b' }, '{"2":"b"}'],
  ['list<map<text, int>>', [new Map([['__proto__', 5n]])], '[{"__proto__":5}]'],
  ['tuple<int, text>', new Tuple(3, 'c'), '"(3,c)"'],
  ['tuple<varint, decimal>', new Tuple(large, BigDecimal.fromString('1.5')), `"(${largeText},1.5)"`],
  ['numbers', { large }, `{"large":${largeText}}`],
  ['varint', large, largeText],
  [
    'list<timestamp>',
    [new Date(0), 2n ** 63n - 1n],
    '["1970-01-01T00:00:00.000Z","+292278994-08-17T07:12:55.807Z"]',
  ],
  [
    'place',
    { street: 'x', number: 4, id: Uuid.fromString(uuid) },
    `{"street":"x","number":4,"id":"${uuid}"}`,
  ],
];

for (const [type, value, text] of cases)
  it(`renders ${type} as ${text}`, () => assert.equal(renderCqlValue(type, value), text));
