// Collections in the layout of the public Data API server, on a real node: commands leave them as they are.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { killWhenHeld, move, openGate } from '../acceptance/between-servers.js';
import { waitFor } from '../acceptance/ops-client.js';
import { makeTemporaryDirectory, type RunningServer } from '../acceptance/start-server.js';
import { messagesIn, shortened } from '../wire/wire-server.js';
import { post, startOnCluster } from './cluster-server.js';
import { publicCollectionStatements, publicComment, publicInsert } from './public-layout.js';
import { cassandraSkipReason, useCassandra } from './use-cassandra.js';

const keyspace = 'theirs';
/** The keyspace whose collections are moved. */
const shop = 'shop';
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

const off = '"lexical":{"enabled":false},"rerank":{"enabled":false}';
const withoutService = '"dimension":2,"metric":"euclidean"';
const service = '{"provider":"colonnade","modelName":"hashed-ngrams"}';
const withService = `{"dimension":64,"metric":"cosine","sourceModel":"other","service":${service}}`;
const words = '"lexical":{"enabled":true,"analyzer":"standard"},"rerank":{"enabled":false}';
const ofTexts = `{"defaultId":{"type":"objectId"},"vector":${withService},"indexing":{"deny":["notes"]},${words}}`;
/** The collections that are moved: the comments, the dimensions of their columns, and the options on the target. */
const made: readonly (readonly [name: string, comment: string, vector: number | undefined, shown: string])[] =
  [
    [
      'people',
      publicComment('people', `{"defaultId":{"type":""},"vector":{${withoutService},"service":null},${off}}`),
      2,
      `{"vector":{${withoutService},"sourceModel":"other"},${off}}`,
    ],
    ['texts', publicComment('texts', ofTexts), 64, ofTexts],
    ['early', '{"indexing":{"allow":["a"]}}', undefined, `{"indexing":{"allow":["a"]},${off}}`],
    ['plain', '', 3, `{"vector":{"dimension":3,"metric":"cosine","sourceModel":"other"},${off}}`],
  ];
/** The documents of each collection, as a read of them must show them. */
const theirDocuments: Readonly<Record<string, readonly string[]>> = {
  people: [
    '{"_id":"a","of":"people"}',
    '{"_id":7.50,"name":"Ada","born":{"$date":-4845398400000},"big":1.0E+2,"deep":{"list":[1,{"x":null}]}}',
    '{"_id":{"$uuid":"0189bb1e-7b86-7c3f-8d55-9d2b8f1f2a11"},"$vector":[0.250,-1.0E-3],"z":1}',
    '{"_id":{"$objectId":"656a1c2f9c1e4a0012345678"},"text":"two\\nlines"}',
  ],
  texts: ['{"_id":true,"$lexical":"some words","$vectorize":"some text","$vector":[1],"n":1}'],
  early: [],
  plain: ['{"_id":null,"$vector":{"$binary":"PczMzT5MzM0+TMzN"}}'],
};

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
  const progressDirectory = makeTemporaryDirectory();
  let original: string;

  before(async () => {
    server = await startOnCluster(cluster().nodes[0]?.place.nativePort ?? 0);
    await waitFor('the cluster', async () => (await fetch(`${server.url}/health/ready`)).status === 200);
    for (const name of [keyspace, shop]) await send('', { createKeyspace: { name } });
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

  it('are moved by one command with their options, and compared', async () => {
    for (const [name, comment, vector] of made) {
      const collection = { keyspace: shop, name, comment, ...(vector === undefined ? {} : { vector }) };
      for (const statement of publicCollectionStatements(collection)) await cql(statement);
      for (const [at, document] of (theirDocuments[name] ?? []).entries())
        await cql(publicInsert(collection, [1, String(at)], document));
    }
    const { stdout } = await move([...fromPublic(), '--to-keyspace', 'moved', '--url', server.url]);
    for (const [name] of made)
      assert.match(
        stdout,
        new RegExp(
          `^${name}: ${theirDocuments[name]?.length} documents, checksum [0-9a-f]{64}, verified$`,
          'm',
        ),
      );
    const shown = JSON.parse(await send('/moved', { findCollections: { options: { explain: true } } }));
    for (const [name, , , options] of made)
      assert.deepEqual(
        shown.status.collections.find((each: { readonly name: string }) => each.name === name).options,
        JSON.parse(options),
        name,
      );
    const found = await send('/moved/people', { find: { projection: { '*': 1 } } });
    const texts = JSON.parse(found).data.documents.map((document: object) =>
      JSON.stringify(sorted(document)),
    );
    const wanted = theirDocuments['people']?.map((document) => JSON.stringify(sorted(JSON.parse(document))));
    assert.deepEqual(texts.sort(), wanted?.sort());
    assert.match(await send('/moved/texts', { findOne: { sort: { $vectorize: 'text' } } }), /"n":1/);
  });

  it('are moved again without doubles, into collections that keep their options', async () => {
    const { stdout } = await move([...fromPublic(), '--to-keyspace', 'moved', '--url', server.url]);
    assert.match(stdout, /^people exists on the target and keeps its options$/m);
    assert.match(stdout, /^people: 4 documents, checksum [0-9a-f]{64}, verified$/m);
  });

  it('are moved to the end behind a kill in the middle', async () => {
    const many = { keyspace: shop, name: 'many', comment: publicComment('many', '{}') };
    for (const statement of publicCollectionStatements(many)) await cql(statement);
    const inserts = Array.from({ length: 3000 }, (_, at) =>
      publicInsert(many, [2, String(at)], `{"_id":${at},"at":${at}}`).replace(' IF NOT EXISTS', ''),
    );
    for (let at = 0; at < inserts.length; at += 100)
      await cql(`BEGIN UNLOGGED BATCH ${inserts.slice(at, at + 100).join('; ')}; APPLY BATCH`);
    const gate = await openGate(server.url, (command, count) =>
      command === 'insertMany' && count === 25 ? 'hold' : 'pass',
    );
    const args = [...fromPublic('many'), '--to-keyspace', 'moved', '--url', gate.url];
    await killWhenHeld(args, gate.held);
    const { stdout } = await move(args);
    assert.match(stdout, /^many: 3000 documents, checksum [0-9a-f]{64}, verified$/m);
    assert.ok(gate.count('insertMany') < 45, `${gate.count('insertMany')} requests, of which 30 are needed`);
    gate.close();
  });

  it('are moved to the end while the server that reads them is killed and started again', async () => {
    const nativePort = cluster().nodes[0]?.place.nativePort ?? 0;
    const reading = await startOnCluster(nativePort);
    const gate = await openGate(reading.opsUrl, (command, count) =>
      command === 'query' && count === 12 ? 'hold' : 'pass',
    );
    const moved = move([
      ...['import', '--from-public', gate.url, '--from-keyspace', shop, '--tables', 'many'],
      ...['--to-keyspace', 'again', '--url', server.url, '--progress', join(progressDirectory, 'again.json')],
    ]);
    await Promise.race([gate.held, moved]);
    reading.signal('SIGKILL');
    await reading.ended;
    gate.release();
    const opsPort = new URL(reading.opsUrl).port;
    const restarted = await startOnCluster(nativePort, { args: ['--ops-port', opsPort] });
    const { stdout, stderr } = await moved;
    gate.close();
    await restarted.stop();
    assert.match(stdout, /^many: 3000 documents, checksum [0-9a-f]{64}, verified$/m);
    assert.match(stderr, /; again in \d+ ms \(1 of 10\)$/m);
    assert.ok(gate.count('query') < 50, `${gate.count('query')} reads of 31 pages`);
  });

  it('are refused before a document is sent where the target cannot hold them', async () => {
    const vector = { service: { provider: 'unheard-of', modelName: 'x' } };
    const foreign = {
      keyspace: shop,
      name: 'foreign',
      comment: publicComment('foreign', JSON.stringify({ vector })),
    };
    for (const statement of publicCollectionStatements(foreign)) await cql(statement);
    await cql(publicInsert(foreign, [1, 'a'], '{"_id":"a"}'));
    const gate = await openGate(server.url, () => 'pass');
    const args = [...fromPublic('foreign,people'), '--url', gate.url];
    const refused = await move([...args, '--to-keyspace', 'half'], 1);
    assert.match(refused.stderr, /the target cannot hold the collection foreign: [A-Z_]+: .*unheard-of/);
    const taken = await move([...fromPublic('people'), '--url', gate.url], 1);
    assert.match(taken.stderr, /TABLE_RESERVED: .*--to-keyspace/);
    assert.equal(gate.count('insertMany'), 0);
    const allowed = await move([...args, '--to-keyspace', 'half', '--allow-unsupported']);
    assert.match(allowed.stdout, /^people: 4 documents, checksum [0-9a-f]{64}, verified$/m);
    gate.close();
    const absent = await move([...fromPublic('nothing'), '--to-keyspace', 'half', '--url', server.url], 1);
    assert.match(
      absent.stderr,
      /shop\.nothing is not a collection of the public server; those of shop are: early, /,
    );
  });

  it('can be created first with other options', async () => {
    await send('', { createKeyspace: { name: 'chosen' } });
    await send('/chosen', { createCollection: { name: 'foreign', options: { indexing: { deny: ['x'] } } } });
    const { stdout } = await move([...fromPublic('foreign'), '--to-keyspace', 'chosen', '--url', server.url]);
    assert.match(stdout, /^foreign exists on the target and keeps its options$/m);
    assert.match(stdout, /^foreign: 1 documents, checksum [0-9a-f]{64}, verified$/m);
  });

  /** The arguments that move collections of `shop`; `names`: these only. */
  function fromPublic(names?: string): readonly string[] {
    const progress = join(progressDirectory, `${names ?? 'all'}.json`);
    const chosen = names === undefined ? [] : ['--tables', names];
    return [
      'import',
      '--from-public',
      server.opsUrl,
      '--from-keyspace',
      shop,
      '--progress',
      progress,
      ...chosen,
    ];
  }
});

/** The document with its members in the order of their names. */
function sorted(document: object): object {
  return Object.fromEntries(Object.entries(document).sort(([left], [right]) => (left < right ? -1 : 1)));
}
