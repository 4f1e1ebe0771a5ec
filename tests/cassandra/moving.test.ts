// `colonnade export` and `colonnade import` from the embedded engine to a real Cassandra node, and back.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  createKeyspace,
  createTable,
  insertAll,
  move,
  newExportDirectory,
  query,
  rowsOf,
  send,
} from '../acceptance/between-servers.js';
import { createEveryType, createNotes } from '../acceptance/moved-tables.js';
import { type RunningServer, startServer } from '../acceptance/start-server.js';
import { argsFor } from './run-on-node.js';
import { cassandraSkipReason, useCassandra } from './use-cassandra.js';

/** The servers in the order in which tables are moved. */
interface Road {
  readonly source: RunningServer;
  readonly onNode: RunningServer;
  readonly back: RunningServer;
}

describe('tables moved to a real node and back', { skip: cassandraSkipReason() }, () => {
  const cluster = useCassandra({ nodeCount: 1 });
  let road: Road;
  before(async () => {
    const [source, onNode, back] = await Promise.all([
      startServer(),
      startServer({ args: argsFor(cluster()) }),
      startServer(),
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

/** Exports and imports a keyspace; the exported numbers of rows and checksums by the names of tables. */
async function moveOn(keyspace: string, from: RunningServer, to: RunningServer): Promise<object> {
  const directory = newExportDirectory();
  await move(['export', directory, '--keyspace', keyspace, '--url', from.url]);
  const { stdout } = await move(['import', directory, '--url', to.url]);
  const manifest: { readonly tables: readonly Totals[] } = JSON.parse(
    readFileSync(join(directory, 'manifest.json'), 'utf8'),
  );
  for (const { name, rows, checksum } of manifest.tables)
    assert.ok(stdout.includes(`${name}: ${rows} rows, checksum ${checksum}, verified\n`), stdout);
  return Object.fromEntries(manifest.tables.map(({ name, rows, checksum }) => [name, { rows, checksum }]));
}

interface Totals {
  readonly name: string;
  readonly rows: number;
  readonly checksum: string;
}
