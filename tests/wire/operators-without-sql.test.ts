// Filter operators that no engine translates: their `matches` is called, wherever a filter stands.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { unbroken, useWireServer } from './wire-server.js';

const keyspace = '/v1/default_keyspace';
const path = `${keyspace}/rows`;
const numbers = Array.from({ length: 40 }, (_, id) => id);
/** Every tenth row has no number, and none of these a name. */
const row = (id: number) => {
  const values =
    id % 10 === 0 ? '' : `,"n":${id},"big":${9007199254740993n + BigInt(id)},"name":"Name ${id}"`;
  return `{"part":${id % 2},"id":${id}${values},"v":[1,${id}]}`;
};
const { at, send } = useWireServer({
  isUnbundled: true,
  nodeArgs: ['--import', new URL('./operators-without-sql.js', import.meta.url).href],
  prepare: [
    [
      keyspace,
      unbroken(`{"createTable":{"name":"rows","definition":{
        "columns":{"part":"int","id":"int","n":"int","big":"bigint","name":"text",
          "v":{"type":"vector","dimension":2}},
        "primaryKey":{"partitionBy":["part"],"partitionSort":{"id":1}}}}}`),
    ],
    [path, '{"createVectorIndex":{"name":"by_v","definition":{"column":"v"}}}'],
    [path, '{"createIndex":{"name":"by_n","definition":{"column":"n"}}}'],
    [
      path,
      '{"createIndex":{"name":"by_name","definition":{"column":"name","options":{"caseSensitive":false}}}}',
    ],
    [path, `{"insertMany":{"documents":[${numbers.map(row).join(',')}]}}`],
  ],
});

/** The ids of the rows that a read finds. */
async function idsOf(filter: string, rest = ''): Promise<readonly number[]> {
  const body = `{"find":{"filter":${filter},"projection":{"id":1}${rest}}}`;
  const { text } = await send({ path, body });
  const { data }: { data?: { documents: readonly { id: number }[] } } = JSON.parse(text);
  assert.ok(data !== undefined, text);
  return data.documents.map(({ id }) => id);
}

const ascending = (left: number, right: number) => left - right;

describe('a filter operator that no engine translates', () => {
  const sevens = [7, 14, 21, 28, 35];
  const threes = numbers.filter((id) => id % 3 === 0 && id % 10 !== 0);

  it('finds rows, and those with a missing value where it matches them', async () => {
    assert.deepEqual([...(await idsOf('{"n":{"$multipleOf":7}}'))].sort(ascending), sevens);
    const others = numbers.filter((id) => !threes.includes(id));
    assert.deepEqual([...(await idsOf('{"n":{"$notMultipleOf":3}}'))].sort(ascending), others);
    assert.deepEqual([...(await idsOf('{"$not":{"n":{"$multipleOf":3}}}'))].sort(ascending), others);
  });

  it('compares integers beyond 2^53 exactly', async () => {
    const wanted = numbers.filter((id) => id % 10 !== 0 && (9007199254740993n + BigInt(id)) % 5n === 0n);
    assert.deepEqual([...(await idsOf('{"big":{"$multipleOf":5}}'))].sort(ascending), wanted);
  });

  it('stands beside and inside other filters', async () => {
    assert.deepEqual(await idsOf('{"part":1,"n":{"$multipleOf":7}}'), [7, 21, 35]);
    assert.deepEqual(await idsOf('{"part":1,"id":{"$gt":7},"n":{"$multipleOf":7}}'), [21, 35]);
    assert.deepEqual(await idsOf('{"part":1,"id":21,"n":{"$multipleOf":7}}'), [21]);
    assert.deepEqual(await idsOf('{"n":21,"id":{"$multipleOf":7}}'), [21]);
    const either = '{"$or":[{"n":{"$multipleOf":14}},{"n":5},{"n":{"$multipleOf":21}}]}';
    assert.deepEqual([...(await idsOf(either))].sort(ascending), [5, 14, 21, 28]);
    const { text } = await send({ path, body: '{"findOne":{"filter":{"n":{"$multipleOf":35}}}}' });
    assert.match(text, /"id":35,"n":35,/);
  });

  it('gives rows in the order of the key (embedded)', async () => {
    assert.deepEqual(await idsOf('{"n":{"$within":[4,9]}}'), [4, 6, 8, 5, 7, 9]);
  });

  it('gives a range of values without an index for it, in the order of the key', async () => {
    assert.deepEqual([...(await idsOf('{"n":{"$within":[4,9]}}'))].sort(ascending), [4, 5, 6, 7, 8, 9]);
    const outside = [...(await idsOf('{"n":{"$outside":[1,37]}}'))].sort(ascending);
    assert.deepEqual(outside, [0, 10, 20, 30, 38, 39]);
    assert.deepEqual(await idsOf('{"part":1,"id":{"$within":[4,9]}}'), [5, 7, 9]);
    assert.deepEqual(await idsOf('{"part":1,"n":{"$within":[4,9]}}'), [5, 7, 9]);
    assert.deepEqual(await idsOf('{"part":0,"n":{"$outside":[1,37]}}'), [0, 10, 20, 30, 38]);
    assert.deepEqual(await idsOf('{"part":1,"name":{"$within":["Name 5","Name 7"]}}'), [5, 7]);
  });

  it('stands beside sorts, pages and skips', async () => {
    const descending = ',"sort":{"n":-1},"options":{"limit":3}';
    assert.deepEqual(await idsOf('{"n":{"$multipleOf":7}}', descending), [35, 28, 21]);
    const skipped = ',"sort":{"n":1},"options":{"limit":2,"skip":1}';
    assert.deepEqual(await idsOf('{"n":{"$multipleOf":7}}', skipped), [14, 21]);
  });

  it('filters vector searches', async () => {
    const sort = ',"sort":{"v":[1,1000]},"options":{"limit":3}';
    assert.deepEqual(await idsOf('{"n":{"$multipleOf":7}}', sort), [35, 28, 21]);
    assert.deepEqual(await idsOf('{"n":{"$notMultipleOf":1}}', sort), [30, 20, 10]);
  });

  it('names rows to delete by a range (embedded)', async () => {
    await at(path)(
      '{"deleteMany":{"filter":{"part":1,"id":{"$within":[30,40]}}}}',
      '{"status":{"deletedCount":-1}}',
    );
    assert.deepEqual(await idsOf('{"part":1,"id":{"$gt":26}}'), [27, 29]);
  });

  it('names no rows to delete, unless it is a range', async () => {
    await at(path)(
      '{"deleteMany":{"filter":{"part":1,"id":{"$multipleOf":7}}}}',
      '{"errors":[<REQUEST FILTER INVALID_PRIMARY_KEY_FILTER: Filter selects no key, partition or slice>]}',
    );
  });
});
