// Values of the extended dialect: maps with keys of all types, frozen lists, sets and maps, further literals.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useWireServer } from './wire-server.js';

const { at, send, cql } = useWireServer({ args: ['--dialect', 'extended'] });
const keyspace = at('/v1/default_keyspace');
const ok = '{"status":{"ok":1}}';
const inserted = (id: number) =>
  `{"status":{"insertedIds":[[${id}]],"primaryKeySchema":{"id":{"type":"int"}}}}`;
const updated = '{"status":{"matchedCount":1,"modifiedCount":1}}';

async function documentOf(table: string, id: number): Promise<string> {
  const body = `{"findOne":{"filter":{"id":${id}}}}`;
  const { text } = await send({ path: `/v1/default_keyspace/${table}`, body });
  return /"document":(.*)},"status"/.exec(text)?.[1] ?? text;
}

async function codeOf(table: string, body: string): Promise<string | undefined> {
  const { text } = await send({ path: `/v1/default_keyspace/${table}`, body });
  return /"errorCode":"(\w+)"/.exec(text)?.[1];
}

describe('maps with keys of other types than texts', () => {
  const rows = at('/v1/default_keyspace/maps');
  const keys: readonly (readonly [type: string, low: string, high: string])[] = [
    ['boolean', 'false', 'true'],
    ['tinyint', '-1', '7'],
    ['bigint', '-9223372036854775808', '9223372036854775807'],
    ['varint', '1', '12345678901234567890123456789012345678901234567890123456789012345678'],
    ['decimal', '-0.5', '123456789012345678901.5'],
    ['double', '0.5', '"NaN"'],
    ['blob', '{"$binary":"AAE="}', '{"$binary":"AQ=="}'],
    ['date', '"2024-01-01"', '"2024-02-01"'],
    ['time', '"10:15:00"', '"10:15:01"'],
    ['timestamp', '"2024-01-01T00:00:00.000Z"', '"2024-01-01T00:00:00.001Z"'],
    ['uuid', '"00000000-0000-4000-8000-000000000000"', '"00000000-0000-4000-8000-000000000001"'],
    ['inet', '"10.0.0.1"', '"10.0.0.2"'],
  ];

  it('keys of maps: are written as pairs, and returned as pairs in the order of the keys', async () => {
    const columns = keys.map(([type]) => `"${type}":{"type":"map","keyType":"${type}","valueType":"text"}`);
    await keyspace(
      `{"createTable":{"name":"maps","definition":{"columns":{"id":"int",${columns.join(',')}},"primaryKey":"id"}}}`,
      ok,
    );
    const written = keys.map(([type, low, high]) => `"${type}":[[${high},"b, c"],[${low},"a"]]`);
    const shown = keys.map(([type, low, high]) => `"${type}":[[${low},"a"],[${high},"b, c"]]`);
    await rows(`{"insertOne":{"document":{"id":1,${written.join(',')}}}}`, inserted(1));
    assert.equal(await documentOf('maps', 1), `{"id":1,${shown.join(',')}}`);
  });

  it('are written as objects where texts are literals of the keys', async () => {
    await rows('{"insertOne":{"document":{"id":2,"date":{"2024-02-01":"b","2024-01-01":"a"}}}}', inserted(2));
    assert.equal(await documentOf('maps', 2), '{"id":2,"date":[["2024-01-01","a"],["2024-02-01","b"]]}');
    assert.equal(
      await codeOf('maps', '{"insertOne":{"document":{"id":3,"tinyint":{"1":"a"}}}}'),
      'INVALID_COLUMN_VALUES',
    );
    assert.equal(
      await codeOf('maps', '{"insertOne":{"document":{"id":3,"tinyint":[]}}}'),
      'INVALID_COLUMN_VALUES',
    );
    await rows('{"insertOne":{"document":{"id":3,"tinyint":{}}}}', inserted(3));
    assert.equal(await documentOf('maps', 3), '{"id":3}');
  });

  it('get and lose entries by updates, few of many and many of few', async () => {
    const pairs = Array.from({ length: 300 }, (_, at) => `[${at * 2},"v,${at}"]`);
    const update = (clause: string) => rows(`{"updateOne":{"filter":{"id":4},"update":${clause}}}`, updated);
    await update(`{"$set":{"bigint":[${pairs.join(',')}]}}`);
    await update('{"$push":{"bigint":{"$each":[[3,"new"],[4,"other"]]}}}');
    await update('{"$pullAll":{"bigint":[0,598]}}');
    const expected = pairs.slice(1, -1).with(1, '[4,"other"]').toSpliced(1, 0, '[3,"new"]');
    assert.equal(await documentOf('maps', 4), `{"id":4,"bigint":[${expected.join(',')}]}`);
    await update(`{"$pullAll":{"bigint":[3,${pairs.map((_, at) => at * 2).join(',')}]}}`);
    assert.equal(await codeOf('maps', '{"findOne":{"filter":{"id":4}}}'), undefined);
  });

  it('cannot have keys without an order, or keys of user-defined types', async () => {
    for (const type of ['"duration"', '"counter"', '"timeuuid"', '{"type":"list","valueType":"int"}']) {
      const columns = `"id":"int","m":{"type":"map","keyType":${type},"valueType":"text"}`;
      const body = `{"createTable":{"name":"bad","definition":{"columns":{${columns}},"primaryKey":"id"}}}`;
      const { text } = await send({ path: '/v1/default_keyspace', body });
      assert.match(text, /"errorCode":"UNSUPPORTED_MAP_DEFINITION"/, type);
    }
  });
});

describe('frozen lists, sets and maps', () => {
  const rows = at('/v1/default_keyspace/frozen');

  it('frozen lists, sets and maps: are listed with their types, and written and read as a whole', async () => {
    await cql(
      'CREATE TABLE default_keyspace.frozen (id int PRIMARY KEY, l frozen<list<text>>, m frozen<map<text, int>>)',
    );
    const { text } = await send({
      path: '/v1/default_keyspace',
      body: '{"listTables":{"options":{"explain":true}}}',
    });
    const part =
      '"l":{"type":"list","valueType":"text","apiSupport":' +
      '{"createTable":false,"insert":true,"read":true,"filter":true,"cqlDefinition":"frozen<list<text>>"}}';
    assert.ok(text.includes(part), text);
    await rows('{"insertOne":{"document":{"id":1,"l":["b","a"],"m":{"x":1}}}}', inserted(1));
    assert.equal(await documentOf('frozen', 1), '{"id":1,"l":["b","a"],"m":{"x":1}}');
    await rows('{"updateOne":{"filter":{"id":1},"update":{"$set":{"l":["c"]},"$unset":{"m":""}}}}', updated);
    assert.equal(await documentOf('frozen', 1), '{"id":1,"l":["c"]}');
  });

  it('cannot be changed in parts, sorted or indexed', async () => {
    const update = (clause: string) =>
      codeOf('frozen', `{"updateOne":{"filter":{"id":1},"update":${clause}}}`);
    assert.equal(await update('{"$push":{"l":"d"}}'), 'UNSUPPORTED_UPDATE_OPERATOR');
    assert.equal(await update('{"$pullAll":{"l":["d"]}}'), 'UNSUPPORTED_UPDATE_OPERATOR');
    assert.equal(await codeOf('frozen', '{"find":{"sort":{"l":1}}}'), 'INVALID_REGULAR_SORT_EXPRESSION');
    const index = '{"createIndex":{"name":"on_l","definition":{"column":"l"}}}';
    assert.equal(await codeOf('frozen', index), 'UNSUPPORTED_INDEXING_FOR_FROZEN_COLUMN');
  });
});

describe('further literals', () => {
  const rows = at('/v1/default_keyspace/literals');

  it('literals: further forms are accepted in rows, keys and filters', async () => {
    const columns = '"id":"int","i":"inet","t":"time","s":"timestamp","d":"duration"';
    await keyspace(
      `{"createTable":{"name":"literals","definition":{"columns":{${columns}},
        "primaryKey":{"partitionBy":["id"],"partitionSort":{"s":1}}}}}`,
      ok,
    );
    const row = '"id":1,"i":"127.1","t":"10:15","s":{"$date":1.5},"d":"P2W"';
    assert.equal(await codeOf('literals', `{"insertOne":{"document":{${row}}}}`), undefined);
    const shown =
      '{"data":{"document":{"id":1,"i":"127.0.0.1","t":"10:15:00","s":"1970-01-01T00:00:00.001Z","d":"P14D"}}';
    const filter = '"id":1,"i":"localhost","t":"10:15:00.","s":{"$date":1.9}';
    const { text } = await send({
      path: '/v1/default_keyspace/literals',
      body: `{"findOne":{"filter":{${filter}}}}`,
    });
    assert.ok(text.startsWith(shown), text);
    await rows(
      '{"deleteOne":{"filter":{"id":1,"s":"1970-01-01t00:00:00.001999z"}}}',
      '{"status":{"deletedCount":-1}}',
    );
    assert.equal(await documentOf('literals', 1), 'null');
  });
});
