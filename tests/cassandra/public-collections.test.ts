// Collections in the layout of the public Data API server, on a real node: commands leave them as they are.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { waitFor } from '../acceptance/ops-client.js';
import { type RunningServer, runColonnade } from '../acceptance/start-server.js';
import { messagesIn, shortened } from '../wire/wire-server.js';
import { post, startOnCluster } from './cluster-server.js';
import { publicCollectionStatements, publicComment, publicInsert } from './public-layout.js';
import { cassandraSkipReason, useCassandra } from './use-cassandra.js';

const keyspace = 'theirs';
/** The comments of the tables, by their names. */
const comments: Readonly<Record<string, string>> = {
  people: publicComment('people', '{"defaultId":"","lexical":{"enabled":false}}'),
  early: '',
  indexed: '{"indexing":{"deny":["notes"]}}',
  later: publicComment('later', '{}', '99'),
};
const names = Object.keys(comments);
const reserved = '<REQUEST SCHEMA TABLE_RESERVED: Table not available to commands>';
const kept =
  '<REQUEST SCHEMA CANNOT_DROP_KEYSPACE_WITH_PUBLIC_COLLECTIONS: Keyspace has collections of the public server>';
const unknownIndex = '<REQUEST SCHEMA CANNOT_DROP_UNKNOWN_INDEX: ';

describe('a keyspace of the public server', { skip: cassandraSkipReason() }, () => {
  const cluster = useCassandra({ nodeCount: 1 });
  let server: RunningServer;
  const cql = async (query: string) => {
    const { status, text } = await post(`${server.opsUrl}/local/cql`, { query });
    assert.equal(status, 200, `${query}\n${text}`);
    return JSON.parse(text).rows as unknown[][];
  };
  const send = async (path: string, body: object) => (await post(`${server.url}/v1${path}`, body)).text;
  const refuses = async (path: string, body: object, error: string, message: RegExp) => {
    const text = await send(path, body);
    assert.ok(shortened(text).includes(error), text);
    assert.match(messagesIn(text), message);
  };
  const documents = async () => {
    const rows = await Promise.all(names.map((name) => cql(`SELECT doc_json FROM "${keyspace}"."${name}"`)));
    const indexes = await cql(
      `SELECT index_name FROM system_schema.indexes WHERE keyspace_name = '${keyspace}'`,
    );
    return JSON.stringify([rows, indexes]);
  };
  let original: string;

  before(async () => {
    server = await startOnCluster(cluster().nodes[0]?.place.nativePort ?? 0);
    await waitFor('the cluster', async () => (await fetch(`${server.url}/health/ready`)).status === 200);
    await send('', { createKeyspace: { name: keyspace } });
    for (const name of names) {
      const statements = publicCollectionStatements({ keyspace, name, comment: comments[name] ?? '' });
      for (const statement of statements) await cql(statement);
      await cql(publicInsert({ keyspace, name }, [1, 'a'], `{"_id":"a","of":"${name}"}`));
    }
    const definition = { columns: { id: 'int', note: 'text' }, primaryKey: 'id' };
    assert.equal(
      await send(`/${keyspace}`, { createTable: { name: 'own', definition } }),
      '{"status":{"ok":1}}',
    );
    original = await documents();
  });
  after(() => server.stop());

  it('collections of the public Data API server on a cluster: are not listed as tables', async () => {
    assert.equal(await send(`/${keyspace}`, { listTables: {} }), '{"status":{"tables":["own"]}}');
    assert.match(
      await send(`/${keyspace}`, { listTables: { options: { explain: true } } }),
      /^[^{]*\{[^}]*"own"/,
    );
  });

  const commands: readonly object[] = [
    { deleteMany: { filter: {} } },
    { deleteOne: { filter: { key: 'a' } } },
    { find: {} },
    { findOne: {} },
    { insertOne: { document: { key: 'b' } } },
    { insertMany: { documents: [{ key: 'b' }] } },
    { updateOne: { filter: { key: 'a' }, update: { $set: { doc_json: '{}' } } } },
    { alterTable: { operation: { add: { columns: { more: 'int' } } } } },
    { alterTable: { operation: { drop: { columns: ['doc_json'] } } } },
    { createIndex: { name: 'more', definition: { column: 'doc_json' } } },
    { createVectorIndex: { name: 'more', definition: { column: 'query_vector_value' } } },
    { listIndexes: {} },
  ];
  for (const command of commands)
    it(`are refused with what they are: ${JSON.stringify(command).slice(0, 60)}`, async () => {
      for (const name of names)
        await refuses(
          `/${keyspace}/${name}`,
          command,
          reserved,
          new RegExp(`theirs\\.${name} is a collection in the layout of the public Data API server`),
        );
    });

  it('are not dropped, and their names are taken', async () => {
    const definition = { columns: { id: 'int' }, primaryKey: 'id' };
    for (const name of names)
      for (const command of [
        { dropTable: { name } },
        { dropTable: { name, options: { ifExists: true } } },
        { createTable: { name, definition } },
        { createTable: { name, definition, options: { ifNotExists: true } } },
      ])
        await refuses(`/${keyspace}`, command, reserved, /public Data API server/);
  });

  it('stand beside a name that is reserved for the settings of this server, before they exist', async () => {
    const name = 'colonnade_settings';
    const definition = { columns: { id: 'int' }, primaryKey: 'id' };
    for (const command of [{ createTable: { name, definition } }, { createCollection: { name } }])
      await refuses(`/${keyspace}`, command, reserved, /is a table for settings/);
  });

  it('keep their indexes', async () => {
    const drop = { dropIndex: { name: 'people_exists_keys' } };
    await refuses(`/${keyspace}`, drop, unknownIndex, /people_exists_keys/);
    await send(`/${keyspace}`, { dropIndex: { name: 'people_exists_keys', options: { ifExists: true } } });
  });

  it('keep their keyspace', async () => {
    await refuses('', { dropKeyspace: { name: keyspace } }, kept, /people/);
    await refuses('', { dropNamespace: { name: keyspace } }, kept, /native query/);
  });

  it('are as they were, behind all that', async () => {
    assert.equal(await documents(), original);
  });

  it('are copied into a collection of this server, with every kind of id', async () => {
    const documents = [
      '{"_id":"a","of":"people"}',
      '{"_id":7.50,"name":"Ada","born":{"$date":-4845398400000},"deep":{"list":[1,{"x":null}]}}',
      '{"_id":{"$uuid":"0189bb1e-7b86-7c3f-8d55-9d2b8f1f2a11"},"$vector":[0.25,-1]}',
      '{"_id":{"$objectId":"656a1c2f9c1e4a0012345678"},"text":"two\\nlines"}',
    ];
    const ids = [
      [1, 'a'],
      [2, '7.5'],
      [4, 'u'],
      [1, 'o'],
    ] as const;
    for (const [at, document] of documents.entries())
      await cql(publicInsert({ keyspace, name: 'people' }, ids[at] ?? [1, ''], document));
    const create = { createCollection: { name: 'copied', options: { vector: { dimension: 2 } } } };
    assert.equal(await send(`/${keyspace}`, create), '{"status":{"ok":1}}');
    const directory = mkdtempSync(join(tmpdir(), 'colonnade-public-'));
    try {
      const read = await runColonnade([
        'cql',
        '--documents',
        `${keyspace}.people`,
        '--ops-url',
        server.opsUrl,
      ]);
      assert.equal(read.code, 0, read.stderr);
      const file = join(directory, 'people.ndjson');
      writeFileSync(file, read.stdout);
      const target = ['--collection', 'copied', '--to-keyspace', keyspace, '--url', server.url];
      const imported = await runColonnade(['import', file, ...target]);
      assert.equal(imported.code, 0, imported.stdout + imported.stderr);
    } finally {
      rmSync(directory, { recursive: true });
    }
    const found = await send(`/${keyspace}/copied`, { find: { projection: { '*': 1 } } });
    const texts = JSON.parse(found).data.documents.map((document: object) => JSON.stringify(document));
    assert.deepEqual(texts.sort(), documents.map((document) => JSON.stringify(JSON.parse(document))).sort());
  });
});
