// A cluster that is used in both dialects.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type RunningServer, startServer } from '../acceptance/start-server.js';
import { argsFor } from './run-on-node.js';
import { cassandraSkipReason, useCassandra } from './use-cassandra.js';

describe('a cluster in both dialects', { skip: cassandraSkipReason() }, () => {
  const cluster = useCassandra({ nodeCount: 1 });
  const servers: RunningServer[] = [];
  const start = async (...args: readonly string[]): Promise<RunningServer> => {
    const server = await startServer({ args: [...argsFor(cluster()), ...args] });
    servers.push(server);
    return server;
  };
  const send = async ({ url }: RunningServer, path: string, command: unknown): Promise<string> => {
    const headers = { 'content-type': 'application/json' };
    const reply = await fetch(`${url}/v1${path}`, { method: 'POST', headers, body: JSON.stringify(command) });
    return reply.text();
  };
  let extended: RunningServer;
  before(async () => {
    extended = await start('--dialect', 'extended');
    const place = { type: 'userDefined', udtName: 'place' };
    const columns = { id: 'int', p: place, n: { type: 'map', keyType: 'int', valueType: 'text' }, t: 'text' };
    const tags = { type: 'set', valueType: 'text' };
    const definition = { columns: { ...columns, tags }, primaryKey: 'id' };
    const ok = '{"status":{"ok":1}}';
    const fields = { zip: 'int' };
    assert.equal(await send(extended, '', { createKeyspace: { name: 'both' } }), ok);
    const create = { createType: { name: 'place', definition: { fields } } };
    assert.equal(await send(extended, '/both', create), ok);
    assert.equal(await send(extended, '/both', { createTable: { name: 'things', definition } }), ok);
    const index = { createIndex: { name: 'by_tag', definition: { column: 'tags' } } };
    assert.equal(await send(extended, '/both/things', index), ok);
    const document = { id: 1, p: { zip: 7 }, n: [[1, 'a']], t: 'x', tags: ['a', 'b'] };
    assert.match(await send(extended, '/both/things', { insertOne: { document } }), /"insertedIds"/);
  });
  after(async () => {
    for (const server of servers) await server.stop();
  });

  it('a data directory of both dialects: the strict one lists what it does not know, and reads around it', async () => {
    const strict = await start();
    assert.equal(await send(strict, '/both', { listTypes: {} }), '{"status":{"types":["place"]}}');
    const tables = await send(strict, '/both', { listTables: { options: { explain: true } } });
    for (const name of ['p', 'n']) assert.ok(tables.includes(`"${name}":{"type":"UNSUPPORTED"`), tables);
    const indexes = await send(strict, '/both/things', { listIndexes: { options: { explain: true } } });
    assert.match(indexes, /"name":"by_tag","definition":\{"column":"UNKNOWN".*values\(tags\)/);
    const read = await send(strict, '/both/things', { findOne: {} });
    assert.ok(read.includes('"document":{"id":1,"t":"x","tags":["a","b"]}'), read);
    assert.match(read, /"errorCode":"UNSUPPORTED_COLUMN_TYPES"/);
    const filter = { id: 1 };
    await send(strict, '/both/things', { updateOne: { filter, update: { $set: { tags: ['c'] } } } });
    const found = await send(extended, '/both/things', { findOne: { filter: { tags: { $in: ['c'] } } } });
    assert.ok(found.includes('"document":{"id":1,"p":{"zip":7},"n":[[1,"a"]],"t":"x","tags":["c"]}'), found);
  });

  it('the extended one filters the members of what the strict one wrote', async () => {
    const strict = await start();
    const columns = {
      id: 'int',
      l: { type: 'list', valueType: 'int' },
      m: { type: 'map', keyType: 'text', valueType: 'int' },
    };
    const createTable = { name: 'plain', definition: { columns, primaryKey: 'id' } };
    assert.equal(await send(strict, '/both', { createTable }), '{"status":{"ok":1}}');
    const documents = [
      { id: 1, l: [1, 2], m: { a: 1 } },
      { id: 2, l: [3], m: { b: 2 } },
    ];
    await send(strict, '/both/plain', { insertMany: { documents } });
    const index = { createIndex: { name: 'by_entry', definition: { column: 'm' } } };
    assert.equal(await send(extended, '/both/plain', index), '{"status":{"ok":1}}');
    for (const filter of [{ l: { $all: [1, 2] } }, { m: { $in: [['a', 1]] } }, { l: { $nin: [3] } }]) {
      const found = await send(extended, '/both/plain', { find: { filter } });
      assert.ok(found.includes('"documents":[{"id":1,"l":[1,2],"m":{"a":1}}]'), found);
    }
    const listed = await send(strict, '/both/plain', { listIndexes: { options: { explain: true } } });
    assert.match(listed, /"name":"by_entry","definition":\{"column":"UNKNOWN"/);
  });

  it('rows read with a type that another server changes have all their fields', async () => {
    const other = await start('--dialect', 'extended');
    await send(other, '/both/things', { findOne: {} });
    const rename = { fields: { zip: 'postcode' } };
    const add = { fields: { street: 'text' } };
    const changed = await send(extended, '/both', { alterType: { name: 'place', rename, add } });
    assert.equal(changed, '{"status":{"ok":1}}');
    const read = await send(other, '/both/things', { findOne: {} });
    assert.ok(read.includes('"p":{"postcode":7}'), read);
  });
});
