// Reads of the official client: by key, by partition, by slice, page by page, and with projections.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type AnyTable, assertRefused, type Connection, connect, createTable } from './connect.js';

/** More than ten pages of fifty rows. */
const rowCount = 520;
const partitionCount = 4;

describe('find of the official client', () => {
  let connection: Connection;
  let table: AnyTable;
  before(async () => {
    connection = await connect();
    table = await createTable(connection.db, 'numbers', {
      columns: { part: 'int', place: 'int', word: 'text', half: 'double' },
      primaryKey: { partitionBy: ['part'], partitionSort: { place: -1 } },
    });
    await table.insertMany(Array.from({ length: rowCount }, (_, place) => rowAt(place)));
  });
  after(() => connection.close());

  const placesOf = (rows: readonly Record<string, unknown>[]) => rows.map((row) => row['place']);
  const partition = descending(rowCount).filter((place) => place % partitionCount === 1);

  it('gives every row of a table once, page by page', async () => {
    const seen = placesOf(await table.find({}).toArray());
    assert.equal(seen.length, rowCount);
    assert.deepEqual(new Set(seen), new Set(descending(rowCount)));
  });

  it('returns every row once to a loop that stops and continues with the page state', async () => {
    const seen: unknown[] = [];
    let pageState: string | null | undefined;
    let pageCount = 0;
    do {
      const cursor = table.find({}, pageState == null ? {} : { initialPageState: pageState });
      const page = await cursor.fetchNextPage();
      seen.push(...placesOf(page.result));
      pageState = page.nextPageState;
      pageCount += 1;
    } while (pageState !== null);
    assert.ok(pageCount > 5, `${pageCount} pages`);
    assert.deepEqual([...seen].sort(byNumber), [...descending(rowCount)].reverse());
  });

  it('gives the rows of a partition in clustering order', async () => {
    assert.deepEqual(placesOf(await table.find({ part: 1 }).toArray()), partition);
  });

  const slices: readonly (readonly [filter: Record<string, unknown>, keeps: (place: number) => boolean])[] = [
    [{ $gt: 101, $lt: 110 }, (place) => place > 101 && place < 110],
    [{ $gte: 401 }, (place) => place >= 401],
    [{ $lte: 101 }, (place) => place <= 101],
    [{ $in: [5, 9, 6, 1001] }, (place) => place === 5 || place === 9],
    [{ $eq: 13 }, (place) => place === 13],
    [{ $ne: 13 }, (place) => place !== 13],
  ];
  for (const [place, keeps] of slices) {
    it(`gives the slice ${JSON.stringify(place)} of a partition in clustering order`, async () => {
      assert.deepEqual(placesOf(await table.find({ part: 1, place }).toArray()), partition.filter(keeps));
    });
  }

  it('filters on other columns, with "and" and "or" and a warning', async () => {
    connection.warningCodes.length = 0;
    const filter = { $or: [{ word: 'word 7' }, { $and: [{ half: { $gte: 100 } }, { half: { $lt: 101 } }] }] };
    const found = placesOf(await table.find(filter).toArray());
    assert.deepEqual([...found].sort(byNumber), [7, 200, 201]);
    assert.deepEqual(new Set(connection.warningCodes), new Set(['MISSING_INDEX']));
  });

  it('stops at a limit, also one that is larger than a page', async () => {
    assert.deepEqual(placesOf(await table.find({ part: 1 }, { limit: 3 }).toArray()), partition.slice(0, 3));
    assert.deepEqual(placesOf(await table.find({ part: 1 }).limit(77).toArray()), partition.slice(0, 77));
  });

  it('gives only the columns asked for, or all but some', async () => {
    const filter = { part: 1, place: 13 };
    const project = async (projection: Record<string, boolean>) => table.findOne(filter, { projection });
    assert.deepEqual(await project({ word: true }), { word: 'word 13' });
    assert.deepEqual(await project({ word: true, half: true, nobody: true }), { word: 'word 13', half: 6.5 });
    assert.deepEqual(await project({ half: false }), { part: 1, place: 13, word: 'word 13' });
    const cursor = table.find({ part: 1 }).project<{ word: string }>({ word: true }).limit(2);
    assert.deepEqual(
      await cursor.toArray(),
      partition.slice(0, 2).map((place) => ({ word: `word ${place}` })),
    );
  });

  it('maps rows, iterates over them and says whether there are more', async () => {
    const cursor = table.find({ part: 1 }).map((row) => Number(row['place']) * 2);
    assert.ok(await cursor.hasNext());
    const first = await cursor.next();
    const rest: number[] = [];
    for await (const doubled of cursor) rest.push(doubled);
    assert.deepEqual(
      [first, ...rest],
      partition.map((place) => place * 2),
    );
  });

  it('findOne gives the row of a key, null for none, and any row without a filter', async () => {
    assert.deepEqual(await table.findOne({ part: 1, place: 13 }), rowAt(13));
    assert.equal(await table.findOne({ part: 1, place: 14 }), null);
    assert.equal(typeof (await table.findOne({}))?.['word'], 'string');
  });

  it('warns of a read without a filter and of an incomplete key, and reads all the same', async () => {
    const warningsOf = async (filter: Record<string, unknown>) => {
      connection.warningCodes.length = 0;
      const found = await table.find(filter, { limit: 5 }).toArray();
      return { codes: [...new Set(connection.warningCodes)], count: found.length };
    };
    assert.deepEqual(await warningsOf({}), { codes: ['ZERO_FILTER_OPERATIONS'], count: 5 });
    assert.deepEqual(await warningsOf({ place: 13 }), { codes: ['INCOMPLETE_PRIMARY_KEY_FILTER'], count: 1 });
    assert.deepEqual(await warningsOf({ part: 1 }), { codes: [], count: 5 });
  });

  it('is refused a page state of another filter, and a text that is not a page state', async () => {
    const { nextPageState } = await table.find({}).fetchNextPage();
    assert.ok(nextPageState);
    for (const [filter, initialPageState] of [
      [{ part: 1 }, nextPageState],
      [{}, 'AAAA'],
    ] as const) {
      const page = table.find(filter, { initialPageState }).fetchNextPage();
      await assertRefused(page, { code: 'COMMAND_FIELD_VALUE_INVALID', scope: '', message: /pageState/ });
    }
  });
});

function rowAt(place: number) {
  return { part: place % partitionCount, place, word: `word ${place}`, half: place / 2 };
}

function descending(count: number): readonly number[] {
  return Array.from({ length: count }, (_, place) => count - 1 - place);
}

function byNumber(left: unknown, right: unknown): number {
  return Number(left) - Number(right);
}
