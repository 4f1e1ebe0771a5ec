// What the server refuses reaches users of the official client as `DataAPIResponseError` with its code.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { BigNumber } from '@datastax/astra-db-ts';
import { type AnyTable, assertRefused, type Connection, connect, createTable } from './connect.js';

interface Refusal {
  readonly title: string;
  readonly work: (table: AnyTable, connection: Connection) => Promise<unknown>;
  readonly code: string;
  readonly scope: string;
  readonly message?: RegExp;
}

const key = { id: 1, place: 1 };

const refusals: readonly Refusal[] = [
  {
    title: 'a keyspace that is not there',
    work: (_, { db }) => db.table('rows', { keyspace: 'nowhere' }).findOne({}),
    code: 'UNKNOWN_KEYSPACE',
    scope: 'SCHEMA',
    message: /default_keyspace/,
  },
  {
    title: 'a table that is not there',
    work: (_, { db }) => db.table('nobody').insertOne({ id: 1 }),
    code: 'UNKNOWN_COLLECTION_OR_TABLE',
    scope: 'SCHEMA',
    message: /nobody(.|\n)*rows/,
  },
  ...inserts('UNKNOWN_TABLE_COLUMNS', { 'a column that is not there': { ...key, color: 'red' } }),
  ...inserts('MISSING_PRIMARY_KEY_COLUMNS', {
    'a row without a part of its key': { id: 1 },
    'a null in the key': { id: 1, place: null },
  }),
  ...inserts('INVALID_COLUMN_VALUES', {
    'a string for an int': { id: '1', place: 1 },
    'an int out of range': { id: 2_147_483_648, place: 1 },
    'a fraction for an int': { id: 1.5, place: 1 },
    'a day that no month has': { ...key, day: '2023-02-29' },
    'a date with a time': { ...key, day: '2023-02-28T00:00:00Z' },
    'a time without seconds': { ...key, at: '10:15' },
    'a duration with its units in disorder': { ...key, took: '1s1h' },
    'a host name for an address': { ...key, address: 'localhost' },
    'base64 without padding': { ...key, bytes: { $binary: 'AQ' } },
    'a letter beyond ASCII': { ...key, plain: 'ä' },
    'a number beyond 32 bits of float': { ...key, small: 1e39 },
    'the text NaN for a decimal': { ...key, price: 'NaN' },
  }),
  ...inserts('REQUEST_NOT_JSON', {
    'the bare NaN that the client writes for a BigNumber': { ...key, price: BigNumber(Number.NaN) },
    'a bare Infinity': { ...key, price: BigNumber(Number.POSITIVE_INFINITY) },
  }),
  ...inserts('SHRED_DOC_LIMIT_VIOLATION', {
    'a number of more than a hundred characters': { ...key, large: 10n ** 100n },
  }),
  ...updates({
    'an update of a key column': [{ $set: { place: 2 } }, 'UNSUPPORTED_UPDATE_FOR_PRIMARY_KEY_COLUMNS'],
    'an update of nothing': [{}, 'MISSING_UPDATE_OPERATIONS'],
    'an update of an unknown column': [{ $set: { color: 'red' } }, 'UNKNOWN_TABLE_COLUMNS'],
    'an update with a value that does not fit': [{ $set: { day: 'today' } }, 'INVALID_COLUMN_VALUES'],
    'an update of a column twice': [
      { $set: { plain: 'a' }, $unset: { plain: '' } },
      'UNSUPPORTED_OVERLAPPING_UPDATE_OPERATIONS',
    ],
    'an operator of documents': [{ $inc: { large: 1 } }, 'UNSUPPORTED_UPDATE_OPERATIONS_FOR_TABLE'],
  }),
  ...filters({
    'an update without the whole key': [
      (table) => table.updateOne({ id: 1 }, { $set: { plain: 'a' } }),
      'MISSING_FULL_PRIMARY_KEY_FOR_UPDATE_DELETE',
    ],
    'a deleteOne without a filter': [(table) => table.deleteOne({}), 'MISSING_FILTER_FOR_UPDATE_DELETE'],
    'a deleteOne with a range': [
      (table) => table.deleteOne({ id: 1, place: { $gt: 1 } }),
      'UNSUPPORTED_FILTER_FOR_UPDATE_ONE_DELETE_ONE',
    ],
    'a deleteMany by another column': [
      (table) => table.deleteMany({ plain: 'a' }),
      'UNSUPPORTED_NON_PRIMARY_KEY_FILTER_FOR_UPDATE_DELETE',
    ],
    'a deleteMany without its partition': [
      (table) => table.deleteMany({ place: 1 }),
      'INVALID_PRIMARY_KEY_FILTER',
    ],
    'a filter on an unknown column': [(table) => table.findOne({ color: 'red' }), 'UNKNOWN_TABLE_COLUMNS'],
    'a filter value that does not fit': [
      (table) => table.findOne({ day: 'today' }),
      'INVALID_FILTER_COLUMN_VALUES',
    ],
    'an unknown operator': [
      (table) => table.findOne({ plain: { $like: 'a%' } }),
      'FILTER_UNSUPPORTED_OPERATOR',
    ],
    'a range of durations': [(table) => table.findOne({ took: { $gt: '1h' } }), 'INVALID_FILTER_EXPRESSION'],
  }),
  {
    title: 'a projection of unknown columns only',
    work: (table) => table.findOne({}, { projection: { color: true } }),
    code: 'UNKNOWN_TABLE_COLUMNS',
    scope: 'PROJECTION',
  },
  {
    title: 'a projection that takes and leaves',
    work: (table) => table.findOne({}, { projection: { plain: true, day: false } }),
    code: 'UNSUPPORTED_PROJECTION_PARAM',
    scope: 'PROJECTION',
  },
  {
    title: 'a command for collections of documents',
    work: (_, { db }) => db.collection('rows').countDocuments({}, 10),
    code: 'UNSUPPORTED_TABLE_COMMAND',
    scope: '',
  },
];

describe('the official client is refused', () => {
  let connection: Connection;
  let table: AnyTable;
  before(async () => {
    connection = await connect();
    table = await createTable(connection.db, 'rows', {
      columns: {
        id: 'int',
        place: 'int',
        day: 'date',
        at: 'time',
        took: 'duration',
        address: 'inet',
        bytes: 'blob',
        plain: 'ascii',
        small: 'float',
        price: 'decimal',
        large: 'varint',
      },
      primaryKey: { partitionBy: ['id'], partitionSort: { place: 1 } },
    });
  });
  after(() => connection.close());

  for (const { title, work, ...expected } of refusals) {
    it(`${title}: ${expected.code}`, async () => {
      await assertRefused(work(table, connection), expected);
      assert.deepEqual(await table.find({}).toArray(), [], 'something was stored');
    });
  }
});

function inserts(code: string, rows: Readonly<Record<string, Record<string, unknown>>>): readonly Refusal[] {
  const scope = code === 'REQUEST_NOT_JSON' ? '' : 'DOCUMENT';
  return Object.entries(rows).map(([title, row]) => ({
    title,
    work: (table) => table.insertOne(row),
    code,
    scope,
  }));
}

function updates(
  changes: Readonly<Record<string, readonly [update: object, code: string]>>,
): readonly Refusal[] {
  return Object.entries(changes).map(([title, [update, code]]) => ({
    title,
    work: (table) => table.updateOne(key, update),
    code,
    scope: 'UPDATE',
  }));
}

function filters(
  reads: Readonly<Record<string, readonly [work: Refusal['work'], code: string]>>,
): readonly Refusal[] {
  return Object.entries(reads).map(([title, [work, code]]) => ({ title, work, code, scope: 'FILTER' }));
}
