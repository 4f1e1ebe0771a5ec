// Tables with columns that only native queries make, through the official client.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { BigNumber, UUID } from '@datastax/astra-db-ts';
import { defineUserType } from '../acceptance/user-types.js';
import { type AnyTable, assertRefused, type Connection, connect } from './connect.js';

const time = '13814000-1dd2-11b2-8000-000000000001';

describe('a table with counters', () => {
  let connection: Connection;
  let table: AnyTable;
  before(async () => {
    connection = await connect();
    await cql(connection, 'CREATE TABLE default_keyspace.counts (id text PRIMARY KEY, n counter, m counter)');
    await cql(connection, `UPDATE default_keyspace.counts SET n = n + 9007199254740993 WHERE id = 'a'`);
    table = connection.db.table('counts');
  });
  after(() => connection.close());

  it('is read and filtered with all digits', async () => {
    const found = await table.findOne({ id: 'a' });
    assert.deepEqual(found, { id: 'a', n: 9007199254740993n, m: null });
    assert.deepEqual(await table.find({ n: 9007199254740993n }).toArray(), [found]);
    assert.deepEqual(await table.find({ n: { $lt: 9007199254740993n } }).toArray(), []);
  });

  it('takes neither rows nor updates', async () => {
    const code = 'UNSUPPORTED_COLUMN_TYPES';
    await assertRefused(table.insertOne({ id: 'b', n: 1n }), { code, scope: 'DOCUMENT' });
    await assertRefused(table.insertOne({ id: 'b' }), { code, scope: 'DOCUMENT' });
    await assertRefused(table.updateOne({ id: 'a' }, { $set: { n: 1n } }), {
      code: 'UNSUPPORTED_UPDATE_OPERATOR',
      scope: 'UPDATE',
    });
    await table.deleteOne({ id: 'a' });
    assert.equal(await table.findOne({ id: 'a' }), null);
  });
});

describe('a table with timeuuid, varchar, frozen and unsupported columns', () => {
  let connection: Connection;
  let table: AnyTable;
  before(async () => {
    connection = await connect();
    await defineUserType('default_keyspace.address');
    const columns =
      'id timeuuid, v varchar, big varint, l frozen<list<int>>, t tuple<int>, u address, PRIMARY KEY (id)';
    await cql(connection, `CREATE TABLE default_keyspace.mixed (${columns})`);
    await cql(connection, `INSERT INTO default_keyspace.mixed (id, l) VALUES (${time}, [1, 2])`);
    table = connection.db.table('mixed');
  });
  after(() => connection.close());

  it('takes rows and updates for what it can read, and warns of the rest', async () => {
    const key = new UUID(time);
    const { insertedId } = await table.insertOne({
      id: key,
      v: 'é',
      big: BigNumber('123456789012345678901234567890'),
    });
    assert.ok(insertedId['id'] instanceof UUID);
    assert.equal(insertedId['id'].toString(), time);
    await table.updateOne({ id: key }, { $set: { v: 'x' } });
    connection.warningCodes.length = 0;
    const row = await table.findOne({ id: key });
    assert.deepEqual(connection.warningCodes, ['UNSUPPORTED_COLUMN_TYPES']);
    assert.deepEqual(Object.keys(row ?? {}).sort(), ['big', 'id', 'v']);
    assert.ok(row?.['id'] instanceof UUID);
    assert.deepEqual(
      [row['id'].toString(), row['v'], String(row['big'])],
      [time, 'x', '123456789012345678901234567890'],
    );
    assert.equal((await table.find({ id: { $in: [key] } }).toArray()).length, 1);
  });

  it('refuses what it cannot read', async () => {
    const code = 'UNSUPPORTED_COLUMN_TYPES';
    await assertRefused(table.findOne({}, { projection: { l: 1 } }), { code, scope: 'PROJECTION' });
    await assertRefused(table.findOne({ t: 1 }), { code, scope: 'FILTER' });
    await assertRefused(table.insertOne({ id: new UUID(time), l: [1] }), { code, scope: 'DOCUMENT' });
    const update = table.updateOne({ id: new UUID(time) }, { $set: { u: 'x' } });
    await assertRefused(update, { code, scope: 'UPDATE' });
  });

  it('is listed with what commands do with its columns', async () => {
    const [listed] = await connection.db.listTables();
    const { columns } = listed?.definition ?? {};
    assert.deepEqual(columns?.['v'], { type: 'text' });
    assert.deepEqual(columns?.['l'], {
      type: 'list',
      valueType: 'int',
      apiSupport: {
        createTable: false,
        insert: false,
        read: false,
        filter: false,
        cqlDefinition: 'frozen<list<int>>',
      },
    });
    assert.deepEqual(columns?.['u'], {
      type: 'UNSUPPORTED',
      apiSupport: { createTable: false, insert: false, read: false, filter: false, cqlDefinition: 'address' },
    });
  });
});

async function cql({ server }: Connection, query: string): Promise<void> {
  const reply = await fetch(`${server.opsUrl}/local/cql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  assert.equal(reply.status, 200, await reply.text());
}
