// Single rows and groups of rows, written and changed by the official client.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { DataAPIResponseError, TableInsertManyError, UUID } from '@datastax/astra-db-ts';
import { type AnyTable, type Connection, connect, createTable } from './connect.js';

describe('rows of the official client', () => {
  let connection: Connection;
  let table: AnyTable;
  before(async () => {
    connection = await connect();
    table = await createTable(connection.db, 'visits', {
      columns: { page: 'text', day: 'date', visitor: 'uuid', hour: 'int', note: 'text', length: 'double' },
      primaryKey: { partitionBy: ['page'], partitionSort: { hour: 1, visitor: -1 } },
    });
  });
  beforeEach(() => table.deleteMany({}));
  after(() => connection.close());

  const visitor = new UUID('123e4567-e89b-42d3-a456-426614174000');
  const key = { page: '/', hour: 9, visitor };
  const read = async () => dropNulls((await table.findOne(key)) ?? {});

  it('are inserted one by one, and the reply names the key', async () => {
    const { insertedId } = await table.insertOne({ ...key, note: 'first', length: 0.5 });
    assert.deepEqual(insertedId, key);
    assert.deepEqual(await read(), { ...key, note: 'first', length: 0.5 });
  });

  it('are written over column by column when their key comes again', async () => {
    await table.insertOne({ ...key, note: 'first', length: 0.5 });
    await table.insertOne({ ...key, note: 'second' });
    assert.deepEqual(await read(), { ...key, note: 'second', length: 0.5 });
    await table.insertOne({ ...key, length: null });
    assert.deepEqual(await read(), { ...key, note: 'second' });
  });

  it('are changed by $set and $unset, and made by an update when they are not there', async () => {
    await table.updateOne(key, { $set: { note: 'made', length: 1 } });
    assert.deepEqual(await read(), { ...key, note: 'made', length: 1 });
    await table.updateOne(key, { $set: { note: 'changed' }, $unset: { length: '' } });
    assert.deepEqual(await read(), { ...key, note: 'changed' });
  });

  it('that only updates made are gone with their last value; inserted ones stay', async () => {
    await table.updateOne(key, { $set: { note: 'made' } });
    await table.updateOne(key, { $unset: { note: '' } });
    assert.equal(await table.findOne(key), null);
    await table.insertOne({ ...key, note: 'inserted' });
    await table.updateOne(key, { $set: { note: null } });
    assert.deepEqual(await read(), key);
  });

  it('are deleted one by one; a row that is not there is no error', async () => {
    await table.insertMany([key, { ...key, hour: 10 }]);
    await table.deleteOne(key);
    await table.deleteOne(key);
    assert.equal(await table.findOne(key), null);
    assert.notEqual(await table.findOne({ ...key, hour: 10 }), null);
  });

  for (const ordered of [true, false]) {
    const manner = ordered ? 'ordered' : 'unordered';

    it(`are inserted in hundreds, ${manner}, and the ids come in the rows' order`, async () => {
      const rows = manyRows(230);
      const { insertedCount, insertedIds } = await table.insertMany(rows, { ordered });
      assert.equal(insertedCount, rows.length);
      const hours = insertedIds.map((id) => id['hour']).sort((left, right) => left - right);
      assert.deepEqual(
        hours,
        rows.map(({ hour }) => hour),
      );
      assert.equal((await table.find({ page: '/' }).toArray()).length, rows.length);
    });
  }

  it('that do not fit do not keep the others out when the command is unordered', async () => {
    const rows = manyRows(6).map((row) => (row.hour % 3 === 1 ? { ...row, length: 'long' } : row));
    const error = await failureOf(table.insertMany(rows, { ordered: false }));
    assert.deepEqual(
      error
        .insertedIds()
        .map((id) => id['hour'])
        .sort(),
      [0, 2, 3, 5],
    );
    assert.deepEqual(codesOf(error), ['INVALID_COLUMN_VALUES']);
    assert.deepEqual(await storedHours(table), [0, 2, 3, 5]);
  });

  it('behind one that does not fit are not written when the command is ordered', async () => {
    const rows = manyRows(6).map((row) => (row.hour === 3 ? { ...row, unknown: 1 } : row));
    const error = await failureOf(table.insertMany(rows, { ordered: true }));
    assert.deepEqual(
      error.insertedIds().map((id) => id['hour']),
      [0, 1, 2],
    );
    assert.deepEqual(codesOf(error), ['UNKNOWN_TABLE_COLUMNS']);
    assert.deepEqual(await storedHours(table), [0, 1, 2]);
  });

  it('of one page are deleted by key, by slice, by partition, or all of them', async () => {
    const fill = () => table.insertMany([...manyRows(6), { ...key, page: '/other' }]);
    await fill();
    await table.deleteMany({ ...key, hour: 2 });
    assert.deepEqual(await storedHours(table), [0, 1, 3, 4, 5]);
    await table.deleteMany({ page: '/', hour: { $gt: 0, $lte: 3 } });
    assert.deepEqual(await storedHours(table), [0, 4, 5]);
    await table.deleteMany({ page: '/', hour: { $in: [0, 5, 77] } });
    assert.deepEqual(await storedHours(table), [4]);
    await table.deleteMany({ page: '/' });
    assert.deepEqual(await storedHours(table), []);
    assert.equal((await table.find({}).toArray()).length, 1);
    await fill();
    await table.deleteMany({});
    assert.deepEqual(await table.find({}).toArray(), []);
  });

  function manyRows(count: number) {
    return Array.from({ length: count }, (_, hour) => ({ ...key, hour }));
  }
});

async function storedHours(table: AnyTable): Promise<readonly unknown[]> {
  return (await table.find({ page: '/' }).toArray()).map((row) => row['hour']);
}

async function failureOf(work: Promise<unknown>): Promise<TableInsertManyError> {
  const error = await work.catch((thrown: unknown) => thrown);
  if (!(error instanceof TableInsertManyError)) throw error;
  return error;
}

function codesOf(error: TableInsertManyError): readonly unknown[] {
  const causes = error.errors().map((cause) => {
    assert.ok(cause instanceof DataAPIResponseError);
    return cause.errorDescriptors.map(({ errorCode }) => errorCode);
  });
  return [...new Set(causes.flat())];
}

/** The client fills in null for every column without a value. */
function dropNulls(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}
