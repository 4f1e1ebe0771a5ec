// `colonnade export` and `colonnade import` from the embedded engine to a real Cassandra node, and back.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  begin,
  createKeyspace,
  createTable,
  insertAll,
  killWhenHeld,
  move,
  newExportDirectory,
  openGate,
  query,
  rowsOf,
  send,
} from '../acceptance/between-servers.js';
import { createEveryType, createNotes } from '../acceptance/moved-tables.js';
import { makeTemporaryDirectory, type RunningServer, startServer } from '../acceptance/start-server.js';
import { argsFor } from './run-on-node.js';
import { cassandraSkipReason, useCassandra } from './use-cassandra.js';

/** Servers of a cluster with the same secret accept the page states of each other. */
const secret = ['--page-state-secret', 'a-secret-of-all-servers-of-the-cluster'];

/** The servers in the order in which tables are moved. */
interface Road {
  readonly source: RunningServer;
  readonly onNode: RunningServer;
  readonly back: RunningServer;
}

const allDocuments = /^docs: 3000 documents, checksum [0-9a-f]{64}, verified$/m;

describe('tables and collections moved to a real node and back', { skip: cassandraSkipReason() }, () => {
  const cluster = useCassandra({ nodeCount: 1 });
  let road: Road;
  before(async () => {
    const [source, onNode, back] = await Promise.all([
      startServer({ args: ['--dialect', 'extended'] }),
      startServer({ args: [...argsFor(cluster()), '--dialect', 'extended', ...secret] }),
      startServer({ args: ['--dialect', 'extended'] }),
    ]);
    road = { source, onNode, back };
  });
  after(() => Promise.all(Object.values(road).map((server) => server.stop())));

  /** Moves a keyspace along, which the imports verify, and compares what both ends show of its tables. */
  async function moveAndCompare(keyspace: string, tables: readonly string[]): Promise<void> {
    const first = await moveOn(keyspace, road.source, road.onNode);
    const second = await moveOn(keyspace, road.onNode, road.back);
    assert.deepEqual(second, first);
    const [ours, theirs] = [await shownBy(road.source), await shownBy(road.back)];
    assert.deepEqual(theirs, ours);

    async function shownBy({ url }: RunningServer): Promise<readonly string[]> {
      const shown = [await send(url, `/${keyspace}`, '{"listTables":{"options":{"explain":true}}}')];
      for (const table of tables) {
        const path = `/${keyspace}/${table}`;
        shown.push(await send(url, path, '{"listIndexes":{"options":{"explain":true}}}'));
        shown.push(await rowsOf(url, path));
      }
      return shown;
    }
  }

  it('keep every column type with its boundary values, also in keys', async () => {
    const { url } = road.source;
    await createKeyspace(url, 'types');
    await moveAndCompare('types', await createEveryType(url, 'types'));
  });

  it('keep embedding services, indexes with their options, and vectors', async () => {
    const { url } = road.source;
    await createKeyspace(url, 'vectors');
    await createNotes(url, 'vectors');
    await createTable(url, '/vectors', 'folded', {
      columns: {
        id: 'int',
        a: 'text',
        b: 'ascii',
        c: 'text',
        n: 'decimal',
        v: { type: 'vector', dimension: 3 },
      },
      primaryKey: { partitionBy: ['id'], partitionSort: { n: -1 } },
    });
    const fold = { ascii: true, caseSensitive: false, normalize: true };
    for (const [command, column, options] of [
      ['createIndex', 'a', fold],
      ['createIndex', 'b', { ascii: false, caseSensitive: true, normalize: false }],
      ['createIndex', 'c', {}],
      ['createIndex', 'n', undefined],
      ['createVectorIndex', 'v', { metric: 'euclidean', sourceModel: 'bert' }],
    ] as const) {
      const definition = options === undefined ? { column } : { column, options };
      const body = { [command]: { name: `folded_${column}`, definition } };
      await send(url, '/vectors/folded', JSON.stringify(body));
    }
    await insertAll(url, '/vectors/folded', ['{"id":1,"n":1e30,"a":"É","b":"x","c":"é","v":[0,-0.0,1e-20]}']);
    await moveAndCompare('vectors', ['notes', 'folded']);
  });

  it('keep collections: options, ids of every kind, digits, vectors and words', async () => {
    const { url } = road.source;
    await createKeyspace(url, 'documents');
    await createCollections(url, 'documents');
    const first = await moveOn('documents', road.source, road.onNode);
    assert.deepEqual(await moveOn('documents', road.onNode, road.back), first);
    for (const [path, command] of [
      ['', '{"findCollections":{"options":{"explain":true}}}'],
      ['/plain', '{"find":{"filter":{"tags":"t7","n":{"$lt":500}},"sort":{"n":1},"options":{"limit":50}}}'],
      ['/plain', '{"find":{"sort":{"$vector":[1.2,0.5]},"options":{"limit":3}}}'],
      ['/plain', '{"find":{"sort":{"$lexical":"seven 7"},"projection":{"_id":true},"options":{"limit":1}}}'],
      ['/rich', '{"find":{"sort":{"$vectorize":"text 7"},"projection":{"*":true},"options":{"limit":1}}}'],
    ] as const) {
      const ours = await send(url, `/documents${path}`, command);
      assert.equal(await send(road.back.url, `/documents${path}`, command), ours, command);
      assert.equal(await send(road.onNode.url, `/documents${path}`, command), ours, command);
    }
  });

  it('continue a collection behind a kill in the middle', async () => {
    const { url } = road.source;
    await createKeyspace(url, 'killed');
    await send(url, '/killed', '{"createCollection":{"name":"docs"}}');
    const documents = Array.from({ length: 3000 }, (_, at) => `{"_id":${at},"at":${at}}`);
    await insertAll(url, '/killed/docs', documents);
    const directory = newExportDirectory();
    await move(['export', directory, '--keyspace', 'killed', '--url', url]);
    const gate = await openGate(road.onNode.url, (command, count) =>
      command === 'insertMany' && count === 25 ? 'hold' : 'pass',
    );
    const args = ['import', directory, '--url', gate.url];
    const { child, ended } = begin(args);
    await gate.held;
    child.kill('SIGKILL');
    await ended;
    const { stdout } = await move(args);
    assert.match(stdout, /^docs: 3000 documents, checksum [0-9a-f]{64}, verified$/m);
    assert.ok(gate.count('insertMany') < 45, `${gate.count('insertMany')} requests, of which 30 are needed`);
    gate.close();
  });

  it('continue through another server of the cluster', async () => {
    const [beside, foreign] = await Promise.all(
      [secret, []].map((more) =>
        startServer({ args: [...argsFor(cluster()), '--dialect', 'extended', ...more] }),
      ),
    );
    assert.ok(beside !== undefined && foreign !== undefined);
    const { url } = road.source;
    await createKeyspace(url, 'shared');
    await send(url, '/shared', '{"createCollection":{"name":"docs"}}');
    const text = 'x'.repeat(1000);
    const documents = Array.from({ length: 3000 }, (_, at) => `{"_id":${at},"text":"${text}"}`);
    await insertAll(url, '/shared/docs', documents);
    const into = await openGate(road.onNode.url, (command, count) =>
      command === 'insertMany' && count === 25 ? 'hold' : 'pass',
    );
    const progress = join(makeTemporaryDirectory(), 'progress.json');
    const importing = ['import', '--from', url, '--from-keyspace', 'shared', '--progress', progress, '--url'];
    await killWhenHeld([...importing, into.url], into.held);
    assert.match((await move([...importing, foreign.url], 1)).stderr, /--page-state-secret/);
    const rest = await openGate(beside.url, () => 'pass');
    assert.match((await move([...importing, rest.url])).stdout, allDocuments);
    assert.ok(rest.count('insertMany') < 15, `${rest.count('insertMany')} requests of 30`);

    const directory = newExportDirectory();
    const out = await openGate(beside.url, (command) =>
      command === 'find' && existsSync(join(directory, 'export-progress.json')) ? 'hold' : 'pass',
    );
    const exporting = ['export', directory, '--keyspace', 'shared', '--url'];
    await killWhenHeld([...exporting, out.url], out.held);
    assert.match((await move([...exporting, foreign.url], 1)).stderr, /--page-state-secret/);
    const continued = await move([...exporting, road.onNode.url]);
    assert.doesNotMatch(continued.stdout, /starts again/);
    const { stdout } = await move(['import', directory, '--url', road.back.url]);
    assert.match(stdout, allDocuments);
    for (const gate of [into, rest, out]) gate.close();
    await Promise.all([beside.stop(), foreign.stop()]);
  });

  it('name what the target cannot hold before a row is sent, and move the rest if that is allowed', async () => {
    const { url } = road.source;
    const strict = await startServer({ args: argsFor(cluster()) });
    await createKeyspace(url, 'words');
    const columns = { id: 'int', words: 'text', n: 'int' };
    await createTable(url, '/words', 'texts', { columns, primaryKey: 'id' });
    const index = (command: string, column: string) =>
      send(
        url,
        '/words/texts',
        `{"${command}":{"name":"texts_${column}","definition":{"column":"${column}"}}}`,
      );
    await index('createTextIndex', 'words');
    await index('createIndex', 'n');
    await insertAll(url, '/words/texts', ['{"id":1,"words":"some words","n":5}']);
    await send(url, '/words', '{"createCollection":{"name":"docs"}}');
    await insertAll(url, '/words/docs', ['{"_id":1}']);
    const gate = await openGate(strict.url, () => 'pass');
    const from = ['--from', url, '--from-keyspace', 'words', '--progress', newExportDirectory()];
    const args = ['import', ...from, '--url', gate.url];
    const refusal =
      /the target cannot hold the index texts_words \(text\) of the table texts: LEXICAL_FEATURE_NOT_ENABLED/;
    const refused = await move(args, 1);
    assert.match(refused.stderr, refusal);
    assert.match(refused.stderr, /--allow-unsupported/);
    assert.equal(gate.count('insertMany'), 0);
    assert.doesNotMatch(await send(gate.url, '/words', '{"listTables":{}}'), /texts/);
    const allowed = await move([...args, '--allow-unsupported']);
    assert.match(allowed.stderr, refusal);
    assert.match(allowed.stdout, /^texts: 1 rows, checksum [0-9a-f]{64}, verified$/m);
    assert.match(allowed.stdout, /^docs: 1 documents, checksum [0-9a-f]{64}, verified$/m);
    const indexes = await send(gate.url, '/words/texts', '{"listIndexes":{}}');
    assert.equal(indexes, '{"status":{"indexes":["texts_n"]}}');
    assert.match(await send(gate.url, '/words/texts', '{"findOne":{"filter":{"n":5}}}'), /some words/);
    gate.close();
    await strict.stop();
  });

  it('keep the text indexes of tables', async () => {
    const { url } = road.source;
    await createKeyspace(url, 'searched');
    const columns = { id: 'int', body: 'text' };
    await createTable(url, '/searched', 'notes', { columns, primaryKey: 'id' });
    const definition = '{"column":"body","options":{"analyzer":"english"}}';
    const create = `{"createTextIndex":{"name":"body_words","definition":${definition}}}`;
    await send(url, '/searched/notes', create);
    await insertAll(url, '/searched/notes', ['{"id":1,"body":"foxes"}', '{"id":2,"body":"bears"}']);
    await moveAndCompare('searched', ['notes']);
    const find = '{"find":{"filter":{"body":{"$match":"fox"}},"projection":{"id":1}}}';
    for (const server of Object.values(road))
      assert.match(await send(server.url, '/searched/notes', find), /"documents":\[\{"id":1\}\]/);
  });

  it('keep columns that commands cannot create, where the table is there', async () => {
    const columns = 't timeuuid, w list<timeuuid>, x varchar';
    for (const { url, opsUrl } of Object.values(road)) {
      await createKeyspace(url, 'native');
      await query(opsUrl, `CREATE TABLE native.times (id int, ${columns}, PRIMARY KEY (id, t))`);
    }
    const time = '13814000-1dd2-11b2-8000-000000000001';
    await insertAll(road.source.url, '/native/times', [`{"id":1,"t":"${time}","w":["${time}"],"x":"é"}`]);
    await moveAndCompare('native', ['times']);
  });
});

/** Creates a collection of 2,000 documents with vectors and words, and one with ids of every kind and a service. */
async function createCollections(url: string, keyspace: string): Promise<void> {
  const plain = { vector: { dimension: 2, metric: 'euclidean' }, indexing: { deny: ['notes'] } };
  await send(url, `/${keyspace}`, JSON.stringify({ createCollection: { name: 'plain', options: plain } }));
  const numbers = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
  const documents = Array.from({ length: 2000 }, (_, at) => {
    const word = numbers[at % numbers.length];
    return `{"_id":${at},"n":${at},"tags":["t${at % 10}"],"a":{"b":[${at}.50,null]},"notes":"x",
      "$vector":[${at},0.25],"$lexical":"${word} ${at}"}`;
  });
  await insertAll(url, `/${keyspace}/plain`, documents);
  const service = { provider: 'colonnade', modelName: 'hashed-ngrams' };
  const rich = { vector: { service }, lexical: { enabled: false }, defaultId: { type: 'objectId' } };
  await send(url, `/${keyspace}`, JSON.stringify({ createCollection: { name: 'rich', options: rich } }));
  const ids = [
    ...['1', '"x"', 'true', 'null', '1.5', '{"$date":7}', '{"$uuid":"018f0000-0000-7000-8000-000000000001"}'],
    '{"$objectId":"507f1f77bcf86cd799439011"}',
  ];
  const documentOf = (id: string, at: number) =>
    `{"_id":${id},"n":12345678901234567890.123456789,"z":[{},[]],"$vectorize":"text ${at}"}`;
  await insertAll(url, `/${keyspace}/rich`, ids.map(documentOf));
}

/** Exports and imports a keyspace; the exported numbers of rows and checksums by the names of tables. */
async function moveOn(keyspace: string, from: RunningServer, to: RunningServer): Promise<object> {
  const directory = newExportDirectory();
  await move(['export', directory, '--keyspace', keyspace, '--url', from.url]);
  const { stdout } = await move(['import', directory, '--url', to.url]);
  const manifest: { readonly tables: readonly Totals[] } = JSON.parse(
    readFileSync(join(directory, 'manifest.json'), 'utf8'),
  );
  for (const { name, kind, rows, checksum } of manifest.tables)
    assert.ok(
      stdout.includes(
        `${name}: ${rows} ${kind === 'table' ? 'rows' : 'documents'}, checksum ${checksum}, verified\n`,
      ),
      stdout,
    );
  return Object.fromEntries(manifest.tables.map(({ name, rows, checksum }) => [name, { rows, checksum }]));
}

interface Totals {
  readonly name: string;
  readonly kind: 'table' | 'collection';
  readonly rows: number;
  readonly checksum: string;
}
