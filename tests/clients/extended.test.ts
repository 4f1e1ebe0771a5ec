// The official TypeScript client with the extended dialect: user-defined types, maps, members, words,
// services for each column, frozen and static columns.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { DataAPIInet, Db } from '@datastax/astra-db-ts';
import { type AnyTable, assertRefused, type Connection, connectTo, startEmpty } from './connect.js';

type Extended = Omit<Connection, 'close'>;

const address = { street: 'text', zip: 'int' } as const;
const columns = {
  id: 'int',
  home: { type: 'userDefined', udtName: 'address' },
  others: { type: 'list', valueType: { type: 'userDefined', udtName: 'address' } },
  byYear: { type: 'map', keyType: 'int', valueType: 'text' },
  tags: { type: 'set', valueType: 'text' },
  note: 'text',
  at: 'time',
  host: 'inet',
} as const;

describe('the official client with the extended dialect', () => {
  let connection: Extended;
  let db: Db;
  let people: AnyTable;
  before(async () => {
    connection = connectTo(await startEmpty({ args: ['--dialect', 'extended'] }));
    db = connection.db;
    await db.createType('address', { definition: { fields: address } });
    people = await db.createTable('people', { definition: { columns, primaryKey: 'id' } });
  });
  after(async () => {
    await connection.client.close();
    await connection.server.stop();
  });
  const ids = async (filter: object) =>
    (await people.find(filter as never).toArray()).map(({ id }) => id).sort();

  it('lists user-defined types and the columns that use them', async () => {
    assert.deepEqual(await db.listTypes({ nameOnly: true }), ['address']);
    const [type] = await db.listTypes();
    assert.deepEqual(type, {
      name: 'address',
      definition: { fields: { street: { type: 'text' }, zip: { type: 'int' } } },
      apiSupport: type?.apiSupport,
    });
    const { columns: listed } = await people.definition();
    assert.deepEqual(listed['others'], columns.others);
    assert.deepEqual(listed['byYear'], columns.byYear);
  });

  it('writes and reads values of user-defined types, and maps with other keys than texts', async () => {
    await people.insertMany([
      {
        id: 1,
        home: { street: 'Main St', zip: 12_345 },
        others: [{ street: 'A' }, { zip: 2 }],
        byYear: new Map([
          [2001, 'moved'],
          [-5, 'before'],
        ]),
        tags: new Set(['old', 'new']),
        note: 'The quick brown fox.',
      },
      {
        id: 2,
        home: { zip: 7 },
        byYear: new Map([[2001, 'born']]),
        tags: new Set(['new']),
        note: 'a lazy fox',
      },
      { id: 3, note: 'A fox, a fox, a fox' },
    ]);
    const row = await people.findOne({ id: 1 });
    assert.deepEqual(row?.['home'], { street: 'Main St', zip: 12_345 });
    assert.deepEqual(
      row?.['others'].map((each: object) => ({ ...each })),
      [
        { street: 'A', zip: null },
        { street: null, zip: 2 },
      ].map((each) => ({ ...each })),
    );
    assert.deepEqual(
      [...row['byYear']],
      [
        [-5, 'before'],
        [2001, 'moved'],
      ],
    );
  });

  it('changes them by updates', async () => {
    await people.updateOne({ id: 2 }, { $set: { home: { street: 'Side St', zip: null } } });
    await people.updateOne({ id: 2 }, { $push: { byYear: [1999, 'first'], tags: 'pushed' } });
    await people.updateOne({ id: 2 }, { $pullAll: { byYear: [2001] } });
    const row = await people.findOne({ id: 2 });
    assert.equal(row?.['home'].street, 'Side St');
    assert.deepEqual([...row['byYear']], [[1999, 'first']]);
    assert.deepEqual([...row['tags']], ['new', 'pushed']);
  });

  it('filters on members, with an index as without', async () => {
    const filters: readonly (readonly [filter: object, ids: readonly number[]])[] = [
      [{ tags: { $in: ['old', 'pushed'] } }, [1, 2]],
      [{ tags: { $all: ['old', 'new'] } }, [1]],
      [{ byYear: { $keys: { $in: [2001] } } }, [1]],
      [{ byYear: { $values: { $in: ['first', 'before'] } } }, [1, 2]],
      [{ byYear: { $in: [[-5, 'before']] } }, [1]],
      [{ $not: { tags: { $in: ['old'] } } }, [2, 3]],
    ];
    for (const [filter, expected] of filters)
      assert.deepEqual(await ids(filter), expected, JSON.stringify(filter));
    await people.createIndex('by_tag', 'tags');
    await people.createIndex('by_year', { byYear: '$keys' });
    await people.createIndex('by_event', { byYear: '$values' });
    for (const [filter, expected] of filters)
      assert.deepEqual(await ids(filter), expected, JSON.stringify(filter));
    const listed = (await people.listIndexes()).sort((left, right) => (left.name < right.name ? -1 : 1));
    assert.deepEqual(
      listed.map(({ name, definition }) => [name, (definition as { readonly column?: unknown }).column]),
      [
        ['by_event', { byYear: '$values' }],
        ['by_tag', { tags: '$values' }],
        ['by_year', { byYear: '$keys' }],
      ],
    );
  });

  it('changes a type over the rows that use it', async () => {
    await db.alterType('address', { operation: { rename: { fields: { zip: 'code' } } } });
    await db.alterType('address', { operation: { add: { fields: { town: 'text' } } } });
    const row = await people.findOne({ id: 1 });
    assert.deepEqual({ ...row?.['home'] }, { street: 'Main St', code: 12_345, town: null });
    await assertRefused(db.dropType('address'), { code: 'CANNOT_DROP_TYPE_USED_BY_TABLE', scope: 'SCHEMA' });
  });

  it('writes further forms of values', async () => {
    await people.updateOne({ id: 3 }, { $set: { at: '10:15', host: '127.1' } });
    const row = await people.findOne({ id: 3 });
    assert.match(String(row?.['at']), /^10:15:00(\.0+)?$/);
    assert.equal(String(row?.['host'] as DataAPIInet), '127.0.0.1');
  });

  it('searches words', async () => {
    await people.createTextIndex('by_word', 'note', { options: { analyzer: 'english' } });
    const [index] = (await people.listIndexes()).filter(({ indexType }) => indexType === 'text');
    assert.deepEqual(index?.definition, { column: 'note', options: { analyzer: 'english' } });
    assert.deepEqual(await ids({ note: { $match: 'foxes' } }), [1, 2, 3]);
    const best = await people.find({}, { sort: { note: 'fox' }, limit: 2 }).toArray();
    assert.deepEqual(
      best.map(({ id }) => id),
      [3, 2],
    );
    assert.equal((await people.findOne({}, { sort: { note: 'quick' } }))?.['id'], 1);
  });

  it('embeds texts by a service for each column', async () => {
    const service = { provider: 'colonnade', modelName: 'hashed-ngrams' } as const;
    const vectorOf = (dimension: number) => ({ type: 'vector', dimension, service }) as const;
    const definition = {
      columns: { id: 'int', title: vectorOf(128), body: vectorOf(256) },
      primaryKey: 'id',
    };
    const table = (await db.createTable('articles', { definition: definition as never })) as AnyTable;
    await table.createVectorIndex('by_title', 'title');
    await table.createVectorIndex('by_body', 'body');
    await table.insertMany([
      { id: 1, title: 'red foxes', body: 'penguins walk on ice' },
      { id: 2, title: 'penguins', body: 'a fox in the snow' },
    ]);
    assert.equal((await table.findOne({}, { sort: { title: 'penguin' } }))?.['id'], 2);
    assert.equal((await table.findOne({}, { sort: { body: 'penguin' } }))?.['id'], 1);
    const row = await table.findOne({ id: 1 });
    assert.deepEqual([row?.['title'].asArray().length, row?.['body'].asArray().length], [128, 256]);
    await table.alter({ operation: { dropVectorize: { columns: ['title'] } } });
    await table.updateOne({ id: 1 }, { $set: { body: 'rain in the north' } });
    const code = 'UNSUPPORTED_VECTORIZE_WHEN_MISSING_VECTORIZE_DEFINITION';
    await assertRefused(table.updateOne({ id: 1 }, { $set: { title: 'a text' } }), {
      code,
      scope: 'UPDATE',
    });
  });

  it('reads and writes frozen and static columns that native queries made', async () => {
    const cql = async (query: string) => {
      const headers = { 'content-type': 'application/json' };
      const url = `${connection.server.opsUrl}/local/cql`;
      const { status } = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query }) });
      assert.equal(status, 200, query);
    };
    await cql('CREATE TYPE default_keyspace.box (width int, height int)');
    await cql(
      'CREATE TABLE default_keyspace.parts (p int, c int, b frozen<box>, l frozen<list<int>>, ' +
        'm frozen<map<int, text>>, s text STATIC, PRIMARY KEY (p, c))',
    );
    const parts = db.table('parts') as AnyTable;
    const { columns: listed } = await parts.definition();
    assert.deepEqual(listed['b'], { type: 'userDefined', udtName: 'box' });
    assert.deepEqual(listed['l'], {
      type: 'list',
      valueType: 'int',
      apiSupport: {
        createTable: false,
        insert: true,
        read: true,
        filter: true,
        cqlDefinition: 'frozen<list<int>>',
      },
    });
    const pairs = [[1, 'one']] as const;
    await parts.insertMany([
      { p: 1, c: 1, b: { width: 2, height: null }, l: [3, 4], m: new Map(pairs), s: 'first' },
      { p: 1, c: 2, b: { width: 2, height: 5 }, s: 'last' },
    ]);
    const row = await parts.findOne({ p: 1, c: 1 });
    assert.deepEqual({ ...row?.['b'] }, { width: 2, height: null });
    assert.deepEqual([row?.['l'], [...(row?.['m'] ?? [])], row?.['s']], [[3, 4], pairs, 'last']);
    const found = async (filter: object) =>
      (await parts.find(filter as never).toArray()).map(({ c }) => c).sort();
    assert.deepEqual(await found({ b: { $in: [{ width: 2 }] } }), [1]);
    assert.deepEqual(await found({ l: { $all: [4, 3] } }), [1]);
    assert.deepEqual(await found({ m: { $keys: { $nin: [1] } } }), [2]);
    assert.deepEqual(await found({ s: 'last' }), [1, 2]);
    await parts.updateOne({ p: 1, c: 2 }, { $set: { s: 'set', b: { height: 1 }, l: [9] } });
    assert.deepEqual(
      (await parts.find({ p: 1 }).toArray()).map(({ s, b, l }) => [s, b.height, l]),
      [
        ['set', null, [3, 4]],
        ['set', 1, [9]],
      ],
    );
    await parts.updateOne({ p: 1, c: 2 }, { $unset: { s: '', b: '', l: '' } });
    assert.deepEqual({ ...(await parts.findOne({ p: 1, c: 2 })) }['s'], null);
  });
});
