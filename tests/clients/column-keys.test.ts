// Values of every scalar type as partition keys and as clustering keys, through the official client.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Connection, connect, createTable } from './connect.js';
import { describeValue, typedValues } from './typed-values.js';

describe('a key of the type', () => {
  let connection: Connection;
  before(async () => {
    connection = await connect();
  });
  after(() => connection.close());

  for (const { type, values } of typedValues.filter(({ canBeKey }) => canBeKey)) {
    it(`${type} names partitions: each value finds its own row`, async () => {
      const definition = { columns: { key: type, place: 'int' }, primaryKey: 'key' };
      const table = await createTable(connection.db, `partitions_of_${type}`, definition);
      const { insertedIds } = await table.insertMany(values.map((key, place) => ({ key, place })));
      assert.equal(insertedIds.length, values.length);
      for (const [place, key] of values.entries()) {
        const found = await table.find({ key }).toArray();
        assert.deepEqual(
          found.map((row) => row['place']),
          [place],
          describeValue(key),
        );
        assert.equal(describeValue(found[0]?.['key']), describeValue(key));
      }
    });

    for (const direction of [1, -1] as const) {
      const order = direction === 1 ? 'ascending' : 'descending';
      it(`${type} orders a partition ${order}, and slices of it`, async () => {
        const table = await createTable(connection.db, `${order}_${type}`, {
          columns: { partition: 'text', key: type, place: 'int' },
          primaryKey: { partitionBy: ['partition'], partitionSort: { key: direction } },
        });
        const rows = values.map((key, place) => ({ partition: 'a', key, place }));
        await table.insertMany([...rows].sort(byPlaceMixedUp));
        const inOrder = direction === 1 ? values : [...values].reverse();
        const all = await table.find({ partition: 'a' }).toArray();
        assert.deepEqual(
          all.map((row) => describeValue(row['key'])),
          inOrder.map(describeValue),
        );
        const middle = values[1];
        const upper = await table.find({ partition: 'a', key: { $gte: middle } }).toArray();
        assert.deepEqual(
          upper.map((row) => describeValue(row['key'])),
          (direction === 1 ? inOrder.slice(1) : inOrder.slice(0, -1)).map(describeValue),
        );
        await table.deleteOne({ partition: 'a', key: middle });
        assert.equal(await table.findOne({ partition: 'a', key: middle }), null);
      });
    }
  }

  it('duration is refused', async () => {
    const made = createTable(connection.db, 'durations', { columns: { key: 'duration' }, primaryKey: 'key' });
    await assert.rejects(made, /duration/);
  });
});

/** Some order that is not the values' own. */
function byPlaceMixedUp(left: { place: number }, right: { place: number }): number {
  return ((left.place * 7) % 5) - ((right.place * 7) % 5) || right.place - left.place;
}
