// Statements of the native query language about user-defined types and indexes, in the extended dialect.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useWireServer } from './wire-server.js';

const { cql, send, sendToOps } = useWireServer({ args: ['--dialect', 'extended'] });

/** Sends a statement that is refused with this message. */
async function refused(query: string, message: string | RegExp): Promise<void> {
  const { status, text } = await sendToOps({ path: '/local/cql', body: JSON.stringify({ query }) });
  if (message instanceof RegExp) return assert.match(text, message);
  assert.deepEqual([status, text], [400, JSON.stringify({ type: 'BadRequest', message, details: [] })]);
}

describe('native statements about types and indexes', () => {
  const table = 'default_keyspace.typed';

  it('create, change and drop user-defined types', async () => {
    await cql('CREATE TYPE default_keyspace.place (street text, zip int)');
    await refused(
      'CREATE TYPE default_keyspace.place (a int)',
      'the type default_keyspace.place already exists',
    );
    await cql('CREATE TYPE IF NOT EXISTS default_keyspace.place (a int)');
    await cql(
      `CREATE TABLE ${table} (id int, no int, a place, f frozen<place>, l list<frozen<place>>, m map<int, text>, ` +
        's place STATIC, PRIMARY KEY (id, no))',
    );
    await cql(
      `INSERT INTO ${table} (id, no, a, f, l, m, s) VALUES (1, 1, {zip: 7}, {street: 'x', "zip": 2}, ` +
        `[{street: 'y'}, {}], {1: 'one'}, {street: 's'})`,
    );
    await cql('ALTER TYPE default_keyspace.place RENAME zip TO code AND street TO road');
    await cql('ALTER TYPE default_keyspace.place ADD town text, other int');
    assert.match(
      await cql(`SELECT a, f, l, m, s FROM ${table} WHERE id = 1`),
      /\[\[\{"code":7\},\{"road":"x","code":2\},\[\{"road":"y"\},\{\}\],\[\[1,"one"\]\],\{"road":"s"\}\]\]/,
    );
    await refused('DROP TYPE default_keyspace.place', 'the type place is used by the tables typed');
  });

  it('create types with fields that commands cannot create', async () => {
    await cql('CREATE TYPE default_keyspace.visit (at timeuuid, name varchar)');
    const path = '/v1/default_keyspace';
    const { text } = await send({ path, body: '{"listTypes":{"options":{"explain":true}}}' });
    const support =
      '{"createTable":false,"insert":true,"read":true,"filter":true,"cqlDefinition":"timeuuid"}';
    const fields = `{"at":{"type":"timeuuid","apiSupport":${support}},"name":{"type":"text"}}`;
    assert.ok(text.includes(`"udtName":"visit","definition":{"fields":${fields}}`), text);
    const columns = '{"id":"int","v":{"type":"userDefined","udtName":"visit"}}';
    await send({
      path,
      body: `{"createTable":{"name":"visits","definition":{"columns":${columns},"primaryKey":"id"}}}`,
    });
    const document = '{"id":1,"v":{"at":"13814000-1dd2-11b2-8000-000000000001","name":"a"}}';
    await send({ path: `${path}/visits`, body: `{"insertOne":{"document":${document}}}` });
    const { text: read } = await send({ path: `${path}/visits`, body: '{"findOne":{}}' });
    assert.ok(read.includes(`{"data":{"document":${document}}`) && read.includes(fields), read);
    await send({ path, body: '{"dropTable":{"name":"visits"}}' });
    await refused(
      'CREATE TYPE default_keyspace.odd (c counter)',
      'the field c must have a scalar type, not counter',
    );
    await cql('DROP TYPE default_keyspace.visit');
  });

  it('refuse what is not a type, a field or its value', async () => {
    await refused(
      `INSERT INTO ${table} (id, no, a) VALUES (1, 1, {nope: 7})`,
      'the column a (place): "nope" is not a field of the type place, which has "road", "code", "town", "other"',
    );
    await refused(
      `INSERT INTO ${table} (id, no, a) VALUES (1, 1, {road 7})`,
      /expected \\":\\", found \\"7\\"/,
    );
    await refused(
      'CREATE TYPE default_keyspace.odd (l list<int>)',
      'the field l must have a scalar type, not list<int>',
    );
    await refused('CREATE TYPE default_keyspace.odd (a int, a text)', 'the field a is named twice');
    await refused(
      'CREATE TABLE default_keyspace.odd (id int PRIMARY KEY, l list<place>)',
      'place inside list<place> must be frozen',
    );
    await refused(
      'ALTER TYPE default_keyspace.gone ADD a int',
      /there is no type default_keyspace.gone; its types are: place/,
    );
    await cql('ALTER TYPE IF EXISTS default_keyspace.gone ADD a int');
    await refused('ALTER TYPE default_keyspace.place RENAME gone TO b', /gone/);
    await refused('DROP TYPE default_keyspace.gone', /there is no type default_keyspace.gone/);
    await cql('DROP TYPE IF EXISTS default_keyspace.gone');
  });

  it('create and drop indexes', async () => {
    await cql(`CREATE INDEX ON ${table} (no)`);
    await cql(`CREATE INDEX by_key ON ${table} (keys(m))`);
    await cql(`CREATE INDEX IF NOT EXISTS by_key ON ${table} (values(m))`);
    await cql(`CREATE CUSTOM INDEX by_value ON ${table} (values(m)) USING 'StorageAttachedIndex'`);
    await cql(`CREATE INDEX by_entry ON ${table} (entries(m)) USING 'sai'`);
    const { text } = await sendToOps({
      path: '/local/cql',
      body: JSON.stringify({ query: `CREATE INDEX by_key ON ${table} (no)` }),
    });
    assert.match(text, /by_key/);
    await refused(`CREATE INDEX no ON ${table} (keys(l))`, 'the column l (list<place>) has no keys');
    await refused(`CREATE INDEX no ON ${table} (gone)`, /there is no column gone; the table has id, no, a/);
    await refused(`CREATE INDEX no ON ${table} (f)`, /frozen/);
    await refused(`CREATE INDEX no ON ${table} (full(m))`, /keys\(m\), values\(m\) or entries\(m\)/);
    await refused(`CREATE INDEX no ON ${table} (m) USING 'other'`, /the only kind of index/);
    const listed = await sendTo('{"listIndexes":{}}');
    assert.match(listed, /\["typed_no_idx","by_key","by_value","by_entry"\]/);
    await cql('DROP INDEX default_keyspace.by_entry');
    await refused('DROP INDEX default_keyspace.by_entry', 'there is no index default_keyspace.by_entry');
    await cql('DROP INDEX IF EXISTS default_keyspace.by_entry');
    await cql(`DROP TABLE ${table}`);
    await cql('DROP TYPE default_keyspace.place');
  });
});

async function sendTo(body: string): Promise<string> {
  return (await send({ path: '/v1/default_keyspace/typed', body })).text;
}
