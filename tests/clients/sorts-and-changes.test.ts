// Sorted reads and changes of tables by the official client.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type AnyTable, assertRefused, type Connection, connect, createTable } from './connect.js';

describe('sorts of the official client', () => {
  let connection: Connection;
  let table: AnyTable;
  const rows = Array.from({ length: 130 }, (_, place) => ({
    part: place % 2,
    place,
    word: `word ${(place * 37) % 130}`,
  }));
  const byWord = rows.toSorted((left, right) => (left.word < right.word ? -1 : 1));
  before(async () => {
    connection = await connect();
    table = await createTable(connection.db, 'numbers', {
      columns: { part: 'int', place: 'int', word: 'text' },
      primaryKey: { partitionBy: ['part'], partitionSort: { place: 1 } },
    });
    await table.insertMany(rows);
  });
  after(() => connection.close());

  const placesOf = (found: readonly Record<string, unknown>[]) => found.map((row) => row['place']);
  /** What the work gives, with the codes of the warnings that came with it. */
  async function withWarnings<Result>(work: () => Promise<Result>): Promise<readonly [Result, Set<string>]> {
    connection.warningCodes.length = 0;
    const result = await work();
    return [result, new Set(connection.warningCodes)];
  }

  it('go through all pages in the reverse of the clustering order, without a warning', async () => {
    const [found, codes] = await withWarnings(() =>
      table.find({ part: 1 }).sort({ place: -1 }).project<{ place: number }>({ place: true }).toArray(),
    );
    assert.deepEqual(
      placesOf(found),
      Array.from({ length: 65 }, (_, at) => 129 - 2 * at),
    );
    assert.deepEqual(codes, new Set());
    const limited = await table.find({ part: 1 }, { sort: { place: -1 }, limit: 55 }).toArray();
    assert.deepEqual([limited.length, limited.at(-1)?.['place']], [55, 21]);
  });

  it('sort by other columns with a warning, and give a window of the rows', async () => {
    const [found, codes] = await withWarnings(() => table.find({}).sort({ word: 1 }).limit(50).toArray());
    assert.deepEqual(found, byWord.slice(0, 50));
    assert.deepEqual(
      codes,
      new Set(['ZERO_FILTER_OPERATIONS', 'IN_MEMORY_SORTING_DUE_TO_NON_PARTITION_SORTING']),
    );
    const [window, windowCodes] = await withWarnings(() =>
      table.find({ part: 0 }).sort({ word: -1, place: 1 }).skip(10).limit(7).toArray(),
    );
    const backwards = byWord.filter(({ part }) => part === 0).toReversed();
    assert.deepEqual(window, backwards.slice(10, 17));
    assert.deepEqual(windowCodes, new Set(['IN_MEMORY_SORTING_DUE_SKIP_OPTIONS']));
    assert.deepEqual(await table.find({}).sort({ word: 1 }).skip(128).toArray(), byWord.slice(128));
    assert.deepEqual(await table.find({}).sort({ word: 1 }).skip(130).toArray(), []);
  });

  it('find the first row in an order', async () => {
    assert.deepEqual(await table.findOne({}, { sort: { word: -1 } }), byWord.at(-1));
    assert.deepEqual(await table.findOne({ part: 1 }, { sort: { place: -1 } }), rows[129]);
  });

  it('are refused unknown columns, and a skip without a sort', async () => {
    const unknown = table.find({}).sort({ nobody: 1 }).toArray();
    await assertRefused(unknown, { code: 'CANNOT_SORT_UNKNOWN_COLUMNS', scope: 'SORT', message: /nobody/ });
    const skipped = table.find({}).skip(1).toArray();
    await assertRefused(skipped, { code: 'COMMAND_FIELD_VALUE_INVALID', scope: '', message: /skip/ });
  });
});

describe('changes of tables by the official client', () => {
  let connection: Connection;
  before(async () => {
    connection = await connect();
  });
  after(() => connection.close());

  it('add columns, drop them and add them again', async () => {
    const table = await createTable(connection.db, 'changing', {
      columns: { id: 'int', n: 'int' },
      primaryKey: 'id',
    });
    await table.insertMany([
      { id: 1, n: 5 },
      { id: 2, n: 6 },
    ]);
    await table.alter({ operation: { add: { columns: { note: 'text', big: { type: 'varint' } } } } });
    await table.updateOne({ id: 1 }, { $set: { note: 'new', big: 12345678901234567890n } });
    const filled = await table.findOne({ id: 1 });
    assert.deepEqual(
      [filled?.['n'], filled?.['note'], String(filled?.['big'])],
      [5, 'new', '12345678901234567890'],
    );
    await table.alter({ operation: { drop: { columns: ['n', 'note', 'big'] } } });
    assert.deepEqual(await table.findOne({ id: 1 }), { id: 1 });
    assert.deepEqual(await table.definition(), {
      columns: { id: { type: 'int' } },
      primaryKey: { partitionBy: ['id'], partitionSort: {} },
    });
    await table.alter({ operation: { add: { columns: { n: 'int' } } } });
    assert.deepEqual((await table.find({}).toArray()).map(({ id }) => id).toSorted(), [1, 2]);
    assert.deepEqual(await table.find({ n: { $gt: 0 } }).toArray(), []);
  });

  it('are refused what cannot be changed', async () => {
    const table = await createTable(connection.db, 'fixed', {
      columns: { id: 'int', n: 'int' },
      primaryKey: 'id',
    });
    const added = (columns: Readonly<Record<string, 'int' | 'text'>>) =>
      table.alter({ operation: { add: { columns } } });
    const dropped = (...columns: string[]) => table.alter({ operation: { drop: { columns } } });
    const refusals = [
      [() => added({ n: 'int' }), 'CANNOT_ADD_EXISTING_COLUMNS'],
      [() => added({}), 'MISSING_ALTER_TABLE_OPERATIONS'],
      [() => dropped('id'), 'CANNOT_DROP_PRIMARY_KEY_COLUMNS'],
      [() => dropped('nobody'), 'CANNOT_DROP_UNKNOWN_COLUMNS'],
    ] as const;
    for (const [work, code] of refusals) await assertRefused(work(), { code, scope: 'SCHEMA' });
    await dropped('n');
    await assertRefused(added({ n: 'text' }), {
      code: 'CANNOT_ADD_PREVIOUSLY_DROPPED_COLUMN',
      scope: 'SCHEMA',
    });
  });
});
