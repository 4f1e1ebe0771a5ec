// A data directory that is opened in both dialects in turn.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeTemporaryDirectory, type RunningServer, startServer } from './start-server.js';

type Send = (path: string, body: string) => Promise<string>;
type Cql = (query: string) => Promise<void>;

function cqlOf({ opsUrl }: RunningServer): Cql {
  return async (query) => {
    const headers = { 'content-type': 'application/json' };
    const reply = await fetch(`${opsUrl}/local/cql`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query }),
    });
    assert.equal(reply.status, 200, await reply.text());
  };
}

const keyspace = '/v1/default_keyspace';
const table = `${keyspace}/t`;
const dataDir = makeTemporaryDirectory();

async function inDialect(dialect: string, use: (send: Send, cql: Cql) => Promise<void>): Promise<void> {
  const server: RunningServer = await startServer({ args: ['--dialect', dialect], dataDir });
  try {
    await use(async (path, body) => {
      const headers = { 'content-type': 'application/json' };
      const reply = await fetch(server.url + path, { method: 'POST', headers, body });
      return reply.text();
    }, cqlOf(server));
  } finally {
    await server.stop();
  }
}

async function rowsOf(send: Send, name: string): Promise<unknown> {
  return JSON.parse(await send(`${keyspace}/${name}`, '{"find":{}}')).data.documents;
}

describe('a data directory of the extended dialect', () => {
  const ok = '{"status":{"ok":1}}';
  const idsOf = async (send: Send, filter: string) => {
    const text = await send(table, `{"find":{"filter":${filter},"projection":{"id":1}}}`);
    return JSON.parse(text).data.documents.map(({ id }: { id: number }) => id);
  };

  it('a data directory of both dialects: opens in the strict one, which keeps what it does not know', async () => {
    await inDialect('extended', async (send) => {
      const type = '"definition":{"fields":{"x":"text","y":"int"}}';
      assert.equal(await send(keyspace, `{"createType":{"name":"a",${type}}}`), ok);
      const columns =
        '"id":"int","n":"text","u":{"type":"userDefined","udtName":"a"},"l":{"type":"list","valueType":"text"},' +
        '"m":{"type":"map","keyType":"int","valueType":"text"}';
      const definition = `"definition":{"columns":{${columns}},"primaryKey":"id"}`;
      assert.equal(await send(keyspace, `{"createTable":{"name":"t",${definition}}}`), ok);
      for (const [name, column] of [
        ['on_l', '"l"'],
        ['on_m', '{"m":"$keys"}'],
      ])
        assert.equal(
          await send(table, `{"createIndex":{"name":"${name}","definition":{"column":${column}}}}`),
          ok,
        );
      assert.equal(await send(table, '{"createTextIndex":{"name":"on_n","definition":{"column":"n"}}}'), ok);
      const rows =
        '{"id":1,"n":"a","u":{"x":"p"},"l":["q","r"],"m":[[1,"one"]]},' +
        '{"id":2,"u":{"y":2},"l":["r"],"m":[[2,"two"]]}';
      await send(table, `{"insertMany":{"documents":[${rows}]}}`);
    });
    await inDialect('strict', async (send) => {
      const tables = await send(keyspace, '{"listTables":{"options":{"explain":true}}}');
      for (const [name, type] of [
        ['u', 'default_keyspace.a'],
        ['m', 'map<int, text>'],
      ]) {
        const none = '"createTable":false,"insert":false,"read":false,"filter":false';
        const part = `"${name}":{"type":"UNSUPPORTED","apiSupport":{${none},"cqlDefinition":"${type}"}}`;
        assert.ok(tables.includes(part), tables);
      }
      assert.equal(await send(keyspace, '{"listTypes":{}}'), '{"status":{"types":["a"]}}');
      const indexes = await send(table, '{"listIndexes":{"options":{"explain":true}}}');
      assert.equal(indexes.split('"indexType":"UNKNOWN"').length, 4, indexes);
      const all = JSON.parse(await send(table, '{"find":{}}'));
      assert.deepEqual(all.data.documents, [
        { id: 1, n: 'a', l: ['q', 'r'] },
        { id: 2, l: ['r'] },
      ]);
      assert.match(await send(table, '{"find":{"filter":{"l":{"$in":["q"]}}}}'), /INVALID_FILTER_EXPRESSION/);
      for (const [part, code] of [
        ['"filter":{"n":{"$match":"a"}}', 'CANNOT_LEXICAL_FILTER_NON_INDEXED_COLUMNS'],
        ['"sort":{"n":"a"}', 'CANNOT_LEXICAL_SORT_NON_INDEXED_COLUMNS'],
      ])
        assert.ok((await send(table, `{"find":{${part}}}`)).includes(`"${code}"`));
      assert.match(
        await send(table, '{"insertOne":{"document":{"id":4,"u":{}}}}'),
        /UNSUPPORTED_COLUMN_TYPES/,
      );
      const drop = '{"alterTable":{"operation":{"drop":{"columns":["m"]}}}}';
      assert.match(await send(table, drop), /CANNOT_DROP_INDEXED_COLUMNS/);
      await send(table, '{"insertOne":{"document":{"id":3,"n":"A word","l":["q"]}}}');
      await send(table, '{"updateOne":{"filter":{"id":1},"update":{"$set":{"l":["z"]}}}}');
      await send(table, '{"deleteOne":{"filter":{"id":2}}}');
    });
  });

  it('has everything when it is opened in the extended one again', async () => {
    await inDialect('extended', async (send) => {
      const all = JSON.parse(await send(table, '{"find":{}}'));
      assert.deepEqual(all.data.documents, [
        { id: 1, n: 'a', u: { x: 'p' }, l: ['z'], m: [[1, 'one']] },
        { id: 3, n: 'A word', l: ['q'] },
      ]);
      assert.deepEqual(await idsOf(send, '{"l":{"$in":["q"]}}'), [3]);
      assert.deepEqual(await idsOf(send, '{"n":{"$match":"word"}}'), [3]);
      assert.deepEqual(await idsOf(send, '{"l":{"$in":["z"]}}'), [1]);
      assert.deepEqual(await idsOf(send, '{"l":{"$in":["r"]}}'), []);
      assert.deepEqual(await idsOf(send, '{"m":{"$keys":{"$in":[1,2]}}}'), [1]);
    });
  });

  it('keeps static and frozen columns, and containers of user-defined types, in the strict one', async () => {
    const first = { p: 1, c: 1, s: 'shared', f: [2, 1], l: [{ x: 'in' }, {}], v: 1 };
    await inDialect('extended', async (send, cql) => {
      await cql(
        'CREATE TABLE default_keyspace.kept (p int, c int, s text STATIC, f frozen<list<int>>, ' +
          'l list<frozen<a>>, v int, PRIMARY KEY (p, c))',
      );
      await send(`${keyspace}/kept`, `{"insertOne":{"document":${JSON.stringify(first)}}}`);
    });
    await inDialect('strict', async (send) => {
      assert.deepEqual(await rowsOf(send, 'kept'), [{ p: 1, c: 1, v: 1 }]);
      await send(`${keyspace}/kept`, '{"insertOne":{"document":{"p":1,"c":2,"v":2}}}');
      await send(`${keyspace}/kept`, '{"updateOne":{"filter":{"p":1,"c":1},"update":{"$set":{"v":3}}}}');
    });
    await inDialect('extended', async (send) => {
      assert.deepEqual(await rowsOf(send, 'kept'), [
        { ...first, v: 3 },
        { p: 1, c: 2, s: 'shared', v: 2 },
      ]);
    });
  });
});
