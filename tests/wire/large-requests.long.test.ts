// The bounds of what large requests may hold and find: bodies, replies and searches of tens of MiB.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { control, found, mib, rows, useLargeTables } from './large-tables.js';

const { at, send, data } = useLargeTables();

describe('a large body', () => {
  it('a body of more than 4,000,000 values: is refused, and one of more than 1,000,000 objects', async () => {
    const refused = '{"errors":[<REQUEST DOCUMENT SHRED_DOC_LIMIT_VIOLATION: Limit of a document exceeded>]}';
    const insert = (count: number) =>
      `{"insertOne":{"document":{"id":3,"l":[${Array<string>(count).fill('1').join(',')}]}}}`;
    await at(rows)(insert(4_000_000), refused, 'more than 4000000 values');
    await at(rows)(
      `[${Array<string>(1_100_000).fill('{}').join(',')}]`,
      refused,
      'more than 1000000 objects and arrays',
    );
    const { text } = await send({ path: rows, body: insert(3_900_000) });
    assert.match(text, /"insertedIds":\[\[3\]\]/);
    const { document } = await data(rows, '{"findOne":{"filter":{"id":3},"projection":{"l":1}}}');
    assert.equal((document as { l: number[] }).l.length, 3_900_000);
    await at(rows)('{"deleteOne":{"filter":{"id":3}}}', '{"status":{"deletedCount":-1}}');
  });
});

describe('large rows', () => {
  it('rows of more than 32 MiB in a reply: are refused, and can be read column by column', async () => {
    const value = control.repeat(3 * mib);
    for (const column of ['a', 'b']) {
      const body = `{"updateOne":{"filter":{"id":20},"update":{"$set":{"${column}":"${value}"}}}}`;
      assert.match((await send({ path: rows, body })).text, /"modifiedCount":1/);
    }
    const refused = '{"errors":[<REQUEST REPLY_SIZE_LIMIT_VIOLATION: Reply too large>]}';
    await at(rows)('{"findOne":{"filter":{"id":20}}}', refused, 'with a projection');
    await at(rows)('{"find":{"filter":{"id":20}}}', refused, 'longer than 33554432 characters');
    const { document } = await data(rows, '{"findOne":{"filter":{"id":20},"projection":{"b":1}}}');
    assert.equal((document as { b: string }).b.length, 3 * mib);
  });
});

describe('a search that finds large rows', () => {
  it('gives them up to 32 MiB, and refuses more', async () => {
    for (let id = 1; id <= 8; id += 1) {
      const body = `{"insertOne":{"document":{"id":${id},"note":"${'x'.repeat(5 * mib)}","v":[1,${id}]}}}`;
      assert.match((await send({ path: found, body })).text, /insertedIds/);
    }
    const find = (rest: string) => `{"find":{"sort":{"v":[0,1]}${rest}}}`;
    const { documents } = await data(found, find(',"options":{"limit":3}'));
    assert.deepEqual(
      documents?.map(({ id }) => id),
      [8, 7, 6],
    );
    const refused = '{"errors":[<REQUEST SORT OVERLOADED_SORT_ROW_LIMIT: Too many rows to sort>]}';
    await at(found)(find(''), refused, 'with a projection');
    const ids = await data(found, find(',"projection":{"id":1}'));
    assert.equal(ids.documents?.length, 8);
    const one = await data(found, '{"findOne":{"sort":{"v":[0,1]}}}');
    assert.equal((one.document as { id: number }).id, 8);
  });
});
