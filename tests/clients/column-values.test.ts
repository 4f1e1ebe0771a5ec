// Values of every scalar type travel through the official client and come back as its own classes.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { BigNumber } from '@datastax/astra-db-ts';
import { type AnyTable, type Connection, connect, createTable } from './connect.js';
import { describeValue, typedValues } from './typed-values.js';

describe('a column of the type', () => {
  let connection: Connection;
  before(async () => {
    connection = await connect();
  });
  after(() => connection.close());

  for (const { type, kind, values } of typedValues) {
    it(`${type} returns what the client wrote, as ${kind}`, async () => {
      const columns = { id: 'int', value: type };
      const table = await createTable(connection.db, `values_of_${type}`, { columns, primaryKey: 'id' });
      await table.insertMany(values.map((value, id) => ({ id, value })));
      const read = await readValues(table, values.length);
      assert.deepEqual(read.map(describeValue), values.map(describeValue));
      for (const value of read) assert.ok(describeValue(value).startsWith(`${kind} `), describeValue(value));
    });

    it(`${type} returns null for null and for what was left out`, async () => {
      const table = connection.db.table(`values_of_${type}`);
      await table.insertMany([{ id: 100, value: null }, { id: 101 }]);
      assert.deepEqual(await table.findOne({ id: 100 }), { id: 100, value: null });
      assert.deepEqual(await table.findOne({ id: 101 }), { id: 101, value: null });
    });

    it(`${type} takes each of them by updateOne`, async () => {
      const table = connection.db.table(`values_of_${type}`);
      for (const value of values) {
        await table.updateOne({ id: 200 }, { $set: { value } });
        assert.equal(describeValue((await table.findOne({ id: 200 }))?.['value']), describeValue(value));
      }
    });

    it(`${type} is found by each of them in a filter`, async () => {
      const table = connection.db.table(`values_of_${type}`);
      for (const [id, value] of values.entries()) {
        const found = await table.find({ value, id: { $lt: 100 } }).toArray();
        assert.deepEqual(
          found.map((row) => row['id']),
          [id],
          describeValue(value),
        );
      }
    });
  }

  it('decimal and varint return a whole number that the client writes with an exponent', async () => {
    const columns = { id: 'int', d: 'decimal', v: 'varint' };
    const table = await createTable(connection.db, 'exponents', { columns, primaryKey: 'id' });
    const value = BigNumber('1.2321321321312312321312312321e+28');
    await table.insertOne({ id: 1, d: value, v: value });
    const row = await table.findOne({ id: 1 });
    assert.equal(describeValue(row?.['d']), describeValue(value));
    assert.equal(row?.['v'], 12321321321312312321312312321n);
  });

  it('varint returns the hundred and twenty digits that an exponent stands for', async () => {
    const columns = { id: 'int', v: 'varint' };
    const table = await createTable(connection.db, 'long_numbers', { columns, primaryKey: 'id' });
    await table.insertOne({ id: 1, v: BigNumber('7e119') });
    assert.equal((await table.findOne({ id: 1 }))?.['v'], 7n * 10n ** 119n);
  });
});

async function readValues(table: AnyTable, count: number): Promise<readonly unknown[]> {
  const values: unknown[] = [];
  for (let id = 0; id < count; id += 1) values.push((await table.findOne({ id }))?.['value']);
  return values;
}
