// The laws every column type keeps, checked by its own examples alone.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { describe, it } from 'node:test';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { type ColumnType, ValueMismatch } from '../../src/data-service/column-types/column-type.js';
import { listOf, mapOf, setOf } from '../../src/data-service/column-types/containers.js';
import { frozenOf } from '../../src/data-service/column-types/frozen.js';
import { int } from '../../src/data-service/column-types/integers.js';
import { columnTypeNamed, columnTypes } from '../../src/data-service/column-types/registry.js';
import { ascii, text } from '../../src/data-service/column-types/text.js';
import { columnTypeOfName } from '../../src/data-service/column-types/type-names.js';
import { unsupportedOf } from '../../src/data-service/column-types/unsupported.js';
import { maxDimension, vectorOf } from '../../src/data-service/column-types/vector.js';
import { readAllTimestamps } from '../../src/foundation/cassandra/driver-timestamps.js';
import type { JsonValue } from '../../src/foundation/json/json-value.js';
import { parseJson } from '../../src/foundation/json/parse-json.js';
import type { SqlValue } from '../../src/foundation/sqlite/sql-value.js';

const containers = columnTypes.flatMap((type) => [
  listOf(type),
  setOf(type),
  mapOf(text, type),
  mapOf(ascii, type),
]);

const vectors = [1, 2, 3, 384, maxDimension].map(vectorOf);
const frozen = [...columnTypes.map(listOf), setOf(int), mapOf(text, text)].map(frozenOf);

for (const type of [...columnTypes, ...containers, ...vectors, ...frozen]) {
  describe(`the type ${type.name}`, () => {
    it('is found by its name', () => {
      assert.equal(columnTypeOfName(type.name), type);
    });

    it('reads its accepted examples and what it writes of them', () => {
      for (const example of type.examples.accepts) {
        const numbers = example.replaceAll(/"(\\.|[^"\\])*"/g, '').match(/[-+.\w]+/g) ?? [];
        assert.ok(
          numbers.every(({ length }) => length <= 100),
          'a literal has at most 100 characters',
        );
        const value = type.parse(read(example));
        const written = type.serialize(value);
        const again = type.parse(read(written));
        assert.equal(type.compare(again, value), 0, example);
        assert.equal(type.serialize(again), written, example);
      }
    });

    it('refuses its rejected examples with a reason', () => {
      for (const example of type.examples.rejects) {
        assert.throws(
          () => type.parse(read(example)),
          (error) => error instanceof ValueMismatch && error.message.length > 10,
          example,
        );
      }
    });

    it('orders its accepted examples strictly ascending', () => {
      const values = valuesOf(type);
      for (const [leftAt, left] of values.entries()) {
        for (const [rightAt, right] of values.entries()) {
          const pair = `${type.examples.accepts[leftAt]} and ${type.examples.accepts[rightAt]}`;
          assert.equal(Math.sign(type.compare(left, right)), Math.sign(leftAt - rightAt), pair);
        }
      }
    });

    it('keeps that order in SQLite and reads back what it stored', () => {
      const values = valuesOf(type);
      const database = storeAll(type, values);
      try {
        checkEveryForm(type, values, database);
        // SQLite keeps containers and never compares them.
        if (isContainer(type)) return;
        const pairs = database.prepare(
          `SELECT l.position AS "left", r.position AS "right",
            l.value < r.value AS below, l.value = r.value AS equal FROM sample l, sample r`,
        );
        // The statement selects these columns; so below.
        for (const pair of pairs.all() as { left: number; right: number; below: number; equal: number }[]) {
          const sign = Math.sign(type.compare(values[pair.left], values[pair.right]));
          assert.deepEqual(
            [pair.below, pair.equal],
            [Number(sign < 0), Number(sign === 0)],
            JSON.stringify(pair),
          );
        }
        // An index and ORDER BY compare as `<` does, but not by the same code.
        database.exec('CREATE INDEX by_value ON sample (value)');
        const ordered = database.prepare('SELECT position FROM sample ORDER BY value').all() as {
          position: number;
        }[];
        assert.deepEqual(
          ordered.map((row) => row.position),
          values.map((_, position) => position),
        );
      } finally {
        database.close();
      }
    });

    it('finds its own values by equality with a bound value in SQLite', () => {
      const values = valuesOf(type);
      const database = storeAll(type, values);
      try {
        const find = database.prepare('SELECT position FROM sample WHERE value = ?');
        const above = database.prepare('SELECT count(*) AS count FROM sample WHERE value > ?');
        for (const [position, value] of values.entries()) {
          assert.deepEqual({ ...find.get(type.sql.encode(value)) }, { position });
          if (isContainer(type)) continue;
          assert.deepEqual({ ...above.get(type.sql.encode(value)) }, { count: values.length - position - 1 });
        }
      } finally {
        database.close();
      }
    });

    it('sends bytes that the Cassandra driver decodes to the same value', () => {
      // The driver reads frozen values as it does others, and does not know the word.
      const column = dataTypes.getByName((type.frozen ?? type).cql.type);
      for (const [position, value] of valuesOf(type).entries()) {
        const driverValue = encoder.decode(type.cql.encode(value), column);
        const again = type.cql.fromDriver(driverValue);
        assert.equal(type.compare(again, value), 0, type.examples.accepts[position]);
        assert.equal(type.serialize(again), type.serialize(value));
      }
    });
  });
}

it('refuses a name that is not a type', () => {
  const names = [
    'list<>',
    'list<list<int>>',
    'set<int,int>',
    'map<int>',
    'map<text,vector>',
    'List<int>',
    'vector<float,0>',
    'vector<float,03>',
    'vector<float,8193>',
    'vector<float, 3>',
    'vector<int,3>',
    'list<INT>',
    'frozen<int>',
    'frozen<list<list<int>>>',
    'frozen<frozen<list<int>>>',
    'address',
    'static int',
  ];
  for (const name of names) assert.equal(columnTypeOfName(name), undefined, name);
  for (const name of ['', 'INT', 'vector', 'list', 'constructor'])
    assert.equal(columnTypeNamed(name), undefined);
});

it('finds a type that is listed only by its name, and reads no value of it', () => {
  for (const definition of ['static int', 'frozen<tuple<int, text>>', 'address']) {
    const type = columnTypeOfName(`unsupported ${definition}`);
    assert.equal(type, unsupportedOf(definition));
    assert.equal(type?.cql.type, definition);
    for (const example of type?.examples.rejects ?? [])
      assert.throws(() => type?.parse(read(example)), ValueMismatch);
  }
});

/** Frozen ones, too. */
function isContainer({ container, frozen: notFrozen }: ColumnType): boolean {
  return container !== undefined || notFrozen !== undefined;
}

/** Numbers are written out in full by replies, so that what comes back is longer than what a command may hold. */
function read(text: string): JsonValue {
  return parseJson(text, { maxDepth: 10, maxNumberLength: 250_000 });
}

function valuesOf(type: ColumnType): readonly unknown[] {
  return type.examples.accepts.map((example) => type.parse(read(example)));
}

function storeAll(type: ColumnType, values: readonly unknown[]): DatabaseSyncInstance {
  const database = new DatabaseSync(':memory:');
  database.exec(`CREATE TABLE sample (position INTEGER, value ${type.sql.columnType})`);
  const insert = database.prepare('INSERT INTO sample VALUES (?, ?)');
  for (const [position, value] of values.entries()) insert.run(position, type.sql.encode(value));
  return database;
}

function checkEveryForm(type: ColumnType, values: readonly unknown[], database: DatabaseSyncInstance): void {
  checkSerialized(type, values, database);
  for (const readsBigInt of type.sql.readsBigInt ? [true] : [false, true])
    checkStored(type, values, database, readsBigInt);
}

/** What SQLite writes itself; of a text with U+0001 only that it shows. */
function checkSerialized(type: ColumnType, values: readonly unknown[], database: DatabaseSyncInstance): void {
  const expression = type.sql.serialized?.('value');
  if (expression === undefined) return;
  // Joined to a text as in a row: a number would come back as one.
  const rows = database.prepare(`SELECT '' || ${expression} AS written FROM sample ORDER BY position`).all();
  for (const [position, value] of values.entries()) {
    // The driver types rows as `any`.
    const { written } = rows[position] as { written: string };
    if (type.isOmitted?.(value) === true) assert.equal(written, 'null');
    else if (!written.includes('\\u0001')) assert.equal(written, type.serialize(value));
    else assert.match(type.serialize(value), /\\u000[01]/);
  }
}

function checkStored(
  type: ColumnType,
  values: readonly unknown[],
  database: DatabaseSyncInstance,
  readsBigInt: boolean,
): void {
  const all = database.prepare('SELECT value, typeof(value) AS class FROM sample ORDER BY position');
  all.setReadBigInts(readsBigInt);
  const rows = all.all() as { value: Exclude<SqlValue, null>; class: string }[];
  for (const [position, row] of rows.entries()) {
    assert.equal(row.class, type.sql.columnType.toLowerCase());
    const again = type.sql.decode(row.value);
    assert.equal(type.compare(again, values[position]), 0, type.examples.accepts[position]);
    assert.equal(type.serialize(again), type.serialize(values[position]));
    const shown = type.sql.written?.(String(row.value));
    if (shown !== undefined) assert.equal(shown, type.serialize(again));
    if (type.sql.serializeStored === undefined) continue;
    const digits =
      row.value instanceof Uint8Array
        ? Buffer.from(row.value).toString('hex').toUpperCase()
        : String(row.value);
    assert.equal(type.sql.serializeStored(digits), type.serialize(again), digits);
  }
}

interface DriverEncoder {
  decode(bytes: Buffer, type: unknown): unknown;
}

const require = createRequire(import.meta.url);
// The decoder is not part of the driver's typed interface.
const Encoder = require('cassandra-driver/lib/encoder.js') as new (
  version: number,
  options: object,
) => DriverEncoder;
const { dataTypes } = require('cassandra-driver').types as {
  dataTypes: { getByName(name: string): unknown };
};
const encoder = new Encoder(4, {});
readAllTimestamps();
