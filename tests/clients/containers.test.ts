// Lists, sets and maps travel through the official client as arrays, `Set` and `Map`.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { BigNumber, DataAPIBlob, DataAPIDate, UUID } from '@datastax/astra-db-ts';
import { type AnyTable, assertRefused, type Connection, connect, createTable } from './connect.js';
import { describeValue, typedValues } from './typed-values.js';

const id = new UUID('123e4567-e89b-42d3-a456-426614174000');
/** The client keeps all digits of a reply that describes a column of a type like this one, and only then. */
const digits = { digits: 'varint' } as const;
const columns = {
  id: 'int',
  ...digits,
  tags: { type: 'set', valueType: 'text' },
  days: { type: 'list', valueType: 'date' },
  sizes: { type: 'map', keyType: 'text', valueType: 'bigint' },
  owners: { type: 'map', keyType: 'ascii', valueType: 'uuid' },
} as const;
const empty = { digits: null, tags: new Set(), days: [], sizes: new Map(), owners: new Map() };

describe('lists, sets and maps of the official client', () => {
  let connection: Connection;
  let table: AnyTable;
  before(async () => {
    connection = await connect();
    table = await connection.db.createTable('containers', { definition: { columns, primaryKey: 'id' } });
  });
  after(() => connection.close());
  const read = (row: number) => table.findOne({ id: row });

  it('come back as they were written, sets and maps in ascending order', async () => {
    const days = [new DataAPIDate('2024-02-29'), new DataAPIDate('2023-01-01')];
    const sizes = new Map([
      ['b', 9_223_372_036_854_775_807n],
      ['a', -1n],
    ]);
    await table.insertOne({
      id: 1,
      tags: new Set(['b', 'a', 'b']),
      days,
      sizes,
      owners: new Map([['x', id]]),
    });
    const row = await read(1);
    assert.deepEqual([...(row?.['tags'] ?? [])], ['a', 'b']);
    assert.ok(row?.['tags'] instanceof Set && row['sizes'] instanceof Map);
    assert.deepEqual(row['days'].map(String), days.map(String));
    assert.deepEqual([...row['sizes']], [...sizes].reverse());
    assert.deepEqual(
      [...row['owners']].map(([key, value]) => [key, String(value)]),
      [['x', String(id)]],
    );
  });

  it('are empty for null, for nothing, and for empty ones', async () => {
    await table.insertMany([
      { id: 2 },
      { id: 3, ...empty },
      { id: 4, tags: null, days: null, sizes: null, owners: null },
    ]);
    for (const row of [2, 3, 4]) assert.deepEqual(await read(row), { id: row, ...empty });
  });

  it('are written over, pushed to and pulled from', async () => {
    await table.updateOne({ id: 5 }, { $set: { tags: new Set(['x']), sizes: new Map([['a', 1n]]) } });
    await table.updateOne(
      { id: 5 },
      {
        $push: {
          tags: { $each: ['y', 'a'] },
          days: new DataAPIDate('2024-01-01'),
          sizes: { $each: [{ b: 2n }, ['c', 3n]] },
          owners: ['k', id],
        },
      },
    );
    const pushed = await read(5);
    assert.deepEqual([...(pushed?.['tags'] ?? [])], ['a', 'x', 'y']);
    assert.deepEqual(String(pushed?.['days']), '2024-01-01');
    assert.equal(String(pushed?.['owners'].get('k')), String(id));
    assert.deepEqual(
      [...(pushed?.['sizes'] ?? [])].flat(),
      ['a', 1, 'b', 2, 'c', 3].map((part) => (typeof part === 'number' ? BigInt(part) : part)),
    );
    await table.updateOne({ id: 5 }, { $pullAll: { tags: ['x', 'q'], sizes: ['a', 'c'], owners: ['k'] } });
    const pulled = await read(5);
    assert.deepEqual([...(pulled?.['tags'] ?? [])], ['a', 'y']);
    assert.deepEqual([...(pulled?.['sizes'] ?? [])], [['b', 2n]]);
    assert.equal(pulled?.['owners'].size, 0);
  });

  it('keep every one of many pushes at the same time', async () => {
    const words = Array.from({ length: 64 }, (_, at) => `word ${String(at).padStart(2, '0')}`);
    await Promise.all(words.map((word) => table.updateOne({ id: 6 }, { $push: { tags: word } })));
    assert.deepEqual([...((await read(6))?.['tags'] ?? [])], words);
  });

  it('are described by the table', async () => {
    const definition = await table.definition();
    assert.deepEqual(definition.columns, { ...columns, id: { type: 'int' }, digits: { type: 'varint' } });
  });

  it('are refused in filters, sorts and keys', async () => {
    const filtered = { code: 'INVALID_FILTER_EXPRESSION', scope: 'FILTER' };
    await assertRefused(table.findOne({ tags: { $in: ['a'] } }), filtered);
    await assertRefused(table.find({ sizes: { $keys: { $in: ['a'] } } }).toArray(), filtered);
    await assertRefused(table.find({}, { sort: { tags: 1 } }).toArray(), {
      code: 'INVALID_REGULAR_SORT_EXPRESSION',
      scope: 'SORT',
    });
    await assertRefused(connection.db.createTable('keyed', { definition: { columns, primaryKey: 'tags' } }), {
      code: 'UNSUPPORTED_PRIMARY_KEY_TYPES',
      scope: 'SCHEMA',
    });
  });

  for (const { type, values } of typedValues) {
    it(`of the type ${type} return what the client wrote`, async () => {
      // Cassandra has no order for durations, and so no set of them.
      const isInSets = type !== 'duration';
      const definition = {
        columns: {
          id: 'int',
          ...digits,
          l: { type: 'list', valueType: type },
          ...(isInSets && { s: { type: 'set', valueType: type } }),
          m: { type: 'map', keyType: 'text', valueType: type },
        },
        primaryKey: 'id',
      };
      const own = await createTable(connection.db, `containers_of_${type}`, definition);
      const entries = values.map((value, at) => [`key ${String(at).padStart(3, '0')}`, value] as const);
      await own.insertOne({ id: 1, l: values, m: new Map(entries), ...(isInSets && { s: new Set(values) }) });
      const row: Record<string, unknown> | null = await own.findOne({ id: 1 });
      const { l, s = new Set(values), m } = row ?? {};
      assert.ok(Array.isArray(l) && s instanceof Set && m instanceof Map);
      const written = values.map(describeValue);
      assert.deepEqual(l.map(describeValue), written);
      assert.deepEqual([...s].map(describeValue), written);
      assert.deepEqual([...m.values()].map(describeValue), written);
      assert.deepEqual(
        [...m.keys()],
        entries.map(([key]) => key),
      );
    });
  }

  it('hold numbers with all their digits, and bytes', async () => {
    const definition = {
      columns: {
        id: 'int',
        ...digits,
        d: { type: 'list', valueType: 'decimal' },
        b: { type: 'set', valueType: 'blob' },
      },
      primaryKey: 'id',
    } as const;
    const own: AnyTable = await connection.db.createTable('digits', { definition });
    const number = BigNumber('1234567890123456789012345678901234567890.5');
    await own.insertOne({ id: 1, d: [number], b: new Set([new DataAPIBlob({ $binary: 'AAEC' })]) });
    const row = await own.findOne({ id: 1 });
    assert.equal(String(row?.['d'][0].toFixed()), number.toFixed());
    assert.deepEqual(
      [...(row?.['b'] ?? [])].map((blob) => blob.asBase64()),
      ['AAEC'],
    );
  });
});
