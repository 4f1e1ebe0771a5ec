// The documented differences of the Cassandra engine, on a real node.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { hasUnknownIndex, isShadowed } from '../../src/data-service/engine/cassandra/schema/engine-state.js';
import type { Engine } from '../../src/data-service/engine/engine.js';
import type { ReadPlan } from '../../src/data-service/query/read.js';
import type { ColumnChange } from '../../src/data-service/query/write.js';
import type { Column, Table } from '../../src/data-service/schema/table.js';
import { openCqlSession } from '../../src/foundation/cassandra/open-cql-session.js';
import { waitFor } from '../acceptance/ops-client.js';
import {
  createTable,
  deleteRows,
  finishedRead,
  insert,
  makeKeyspace,
  objectOf,
  read,
  readPlan,
  refuses,
  rowsOf,
  rowText,
} from '../conformance/engine-steps.js';
import { createIndex, createVectorIndex, indexOf } from '../conformance/index-steps.js';
import { openEmptied } from './open-cassandra-engine.js';
import { cassandraSkipReason, useCassandra } from './use-cassandra.js';

describe('differences on a real node', { skip: cassandraSkipReason() }, () => {
  const cluster = useCassandra({ nodeCount: 1 });
  let engine: Engine;
  before(async () => {
    engine = await openEmptied(cluster().nodes[0]?.place.nativePort ?? 0);
  });
  after(() => engine.close());

  const columns = { p: 'int', c: 'int', v: 'int', n: 'int' };
  const filledTable = async (): Promise<Table> => {
    const table = await createTable(engine, { columns, clustering: { c: -1 } });
    const rows = [1, 2, 3, 4].flatMap((p) =>
      [1, 2, 3].map((c) => `{"p":${p},"c":${c},"v":${(p + c) % 3},"n":${c}}`),
    );
    await insert(engine, table, ...rows);
    return createIndex(engine, table, 'v');
  };
  const unsorted = async (table: Table, filter: string) => {
    const plan: ReadPlan = readPlan(table, filter, { order: null });
    return (await finishedRead(engine, plan)).rows.map((row) => JSON.parse(rowText(plan, row)));
  };

  /** A table that other tools made and filled. */
  const tableMadeElsewhere = async (definition: string, ...writes: readonly string[]): Promise<Table> => {
    await engine.changeSchema({ kind: 'dropKeyspace', name: 'elsewhere' }).catch(() => undefined); // it may be missing
    await makeKeyspace(engine, 'elsewhere');
    const port = cluster().nodes[0]?.place.nativePort ?? 0;
    const place = { contactPoints: ['127.0.0.1'], port, localDataCenter: 'datacenter1' };
    const session = await openCqlSession({ ...place, timeoutMs: 20_000 });
    try {
      await session.changeSchema(definition);
      for (const cql of writes) await session.run({ cql, values: [], isIdempotent: true });
    } finally {
      await session.close();
    }
    const find = async () => [
      ...((await engine.readSchema()).keyspaces.get('elsewhere')?.tables.values() ?? []),
    ];
    await waitFor('the table', async () => (await find()).length === 1);
    const [table] = await find();
    assert.ok(table);
    return table;
  };

  it('partitions with values of static columns alone: are not shown', async () => {
    const table = await tableMadeElsewhere(
      'CREATE TABLE elsewhere.settings (p int, c int, s text static, v text, PRIMARY KEY (p, c))',
      "INSERT INTO elsewhere.settings (p, s) VALUES (1, 'alone')",
      "INSERT INTO elsewhere.settings (p, c, s, v) VALUES (2, 1, 'shared', 'row')",
    );
    const columns = table.columns.filter(({ name }) => name !== 's');
    for (const filter of ['{}', '{"p":{"$in":[1,2]}}', '{"p":1}']) {
      const plan: ReadPlan = { ...readPlan(table, filter, { order: null }), columns };
      const { rows } = await finishedRead(engine, plan);
      assert.deepEqual(rows, filter === '{"p":1}' ? [] : [[2, 1, 'row']]);
      const keys = await finishedRead(engine, { ...plan, columns: table.partitionKey });
      assert.equal(keys.rows.length, rows.length);
    }
  });

  it('indexes of other kinds on a cluster: texts are compared as the folding index does', async () => {
    const table = await tableMadeElsewhere(
      'CREATE TABLE elsewhere.notes (id int PRIMARY KEY, t text)',
      "CREATE INDEX ON elsewhere.notes (t) USING 'legacy_local_table'",
      "CREATE INDEX ON elsewhere.notes (t) USING 'StorageAttachedIndex' WITH OPTIONS = {'case_sensitive': 'false'}",
      "INSERT INTO elsewhere.notes (id, t) VALUES (1, 'Abc')",
      "INSERT INTO elsewhere.notes (id, t) VALUES (2, 'aBC')",
    );
    const present = async () =>
      (await engine.readSchema()).keyspaces.get('elsewhere')?.tables.get(table.name);
    await waitFor('the index', async () => {
      const index = (await present())?.indexes[0];
      return index !== undefined && isShadowed(index) && index.isBuilding !== true;
    });
    const notes = await present();
    assert.ok(notes);
    for (const text of ['Abc', 'abc'])
      assert.equal((await unsorted(notes, `{"t":"${text}"}`)).length, 2, text);
  });

  it('indexes of other kinds on a cluster: the server compares what an analyzer may find otherwise', async () => {
    const sasi = "USING 'org.apache.cassandra.index.sasi.SASIIndex' WITH OPTIONS";
    const analyzer = 'org.apache.cassandra.index.sasi.analyzer.NonTokenizingAnalyzer';
    await tableMadeElsewhere(
      'CREATE TABLE elsewhere.words (id int PRIMARY KEY, t text)',
      `CREATE CUSTOM INDEX ON elsewhere.words (t) ${sasi} = {'analyzer_class': '${analyzer}', 'case_sensitive': 'false'}`,
      "INSERT INTO elsewhere.words (id, t) VALUES (1, 'Abc')",
      "INSERT INTO elsewhere.words (id, t) VALUES (2, 'aBC')",
    );
    const present = async () => (await engine.readSchema()).keyspaces.get('elsewhere')?.tables.get('words');
    await waitFor('the index', async () => hasUnknownIndex((await present())?.columnsByName.get('t') ?? {}));
    const words = await present();
    assert.ok(words);
    for (const [filter, ids] of [
      ['{"t":"Abc"}', [1]],
      ['{"t":"abc"}', []],
      ['{"t":{"$gt":"aA"}}', [2]],
      ['{"t":{"$in":["aBC","abc"]}}', [2]],
      ['{"id":1,"t":"aBC"}', []],
    ] as const)
      assert.deepEqual(
        (await unsorted(words, filter)).map(({ id }) => id),
        ids,
        filter,
      );
  });

  it('compact storage on a cluster: has the columns that clients gave to the table', async () => {
    const alone = await tableMadeElsewhere(
      'CREATE TABLE elsewhere.users (id int PRIMARY KEY, age int, city text) WITH COMPACT STORAGE',
      "INSERT INTO elsewhere.users (id, age, city) VALUES (1, 30, 'Bonn')",
    );
    await insert(engine, alone, '{"id":2,"age":40,"city":"Ulm"}');
    assert.deepEqual(await unsorted(alone, '{"age":{"$gt":20},"city":"Ulm"}'), [
      { id: 2, age: 40, city: 'Ulm' },
    ]);
    assert.equal((await unsorted(alone, '{}')).length, 2);
    const sorted = await tableMadeElsewhere(
      'CREATE TABLE elsewhere.seen (id int, at int, PRIMARY KEY (id, at)) WITH COMPACT STORAGE',
      'INSERT INTO elsewhere.seen (id, at) VALUES (1, 5)',
    );
    await insert(engine, sorted, '{"id":1,"at":4}');
    assert.deepEqual(await unsorted(sorted, '{"id":1}'), [
      { id: 1, at: 4 },
      { id: 1, at: 5 },
    ]);
  });

  it('materialized views on a cluster: are not tables, and keep the one that they are of', async () => {
    const table = await tableMadeElsewhere('CREATE TABLE elsewhere.orders (id int PRIMARY KEY, total int)');
    await engine.runNative?.(
      'CREATE MATERIALIZED VIEW elsewhere.by_total AS SELECT * FROM elsewhere.orders ' +
        'WHERE total IS NOT NULL AND id IS NOT NULL PRIMARY KEY (total, id)',
    );
    const { keyspaces } = await engine.readSchema(true);
    assert.deepEqual([...(keyspaces.get('elsewhere')?.tables.keys() ?? [])], ['orders']);
    await refuses('refused', engine.changeSchema({ kind: 'dropTable', table }));
    await engine.runNative?.('DROP MATERIALIZED VIEW elsewhere.by_total');
    await engine.changeSchema({ kind: 'dropTable', table });
  });

  it('values without bytes on a cluster: count as missing', async () => {
    const table = await tableMadeElsewhere(
      'CREATE TABLE elsewhere.empties (id int PRIMARY KEY, n int, l list<int>, m map<text, int>)',
      "INSERT INTO elsewhere.empties (id, n, l, m) VALUES (1, blobAsInt(0x), [blobAsInt(0x), 5], {'a': blobAsInt(0x)})",
    );
    const plan = readPlan(table, '{}');
    const { rows } = await finishedRead(engine, plan);
    assert.deepEqual(rows, [[1, [5], [], null]]);
  });

  it('texts that an index lacks on a cluster: are found', async () => {
    const table = await createTable(engine, { columns: { id: 'int', t: 'text' } });
    const indexed = await createIndex(engine, table, 't');
    const texts = ['x'.repeat(8_192), 'x'.repeat(8_193)];
    await insert(engine, indexed, ...texts.map((t, id) => JSON.stringify({ id, t })));
    for (const [id, t] of texts.entries())
      assert.deepEqual(await unsorted(indexed, JSON.stringify({ t })), [{ id, t }]);
  });

  it('a key over 65,535 bytes: is refused before a node refuses it, and none below', async () => {
    const columns = { a: 'text', b: 'text', c: 'text', d: 'text' };
    const table = await createTable(engine, {
      columns,
      partitionKey: ['a', 'b'],
      clustering: { c: 1, d: 1 },
    });
    const row = { a: 'x'.repeat(65_528), b: 'y', c: 'x'.repeat(65_534), d: 'y' };
    await insert(engine, table, JSON.stringify(row));
    assert.deepEqual(await unsorted(table, JSON.stringify(row)), [row]);
    const long = 'z'.repeat(70_000);
    for (const beyond of [
      { c: long },
      { c: row.c, d: 'yy' },
      { c: { $gt: long } },
      { c: { $in: ['', long] } },
    ]) {
      const { a, b } = row;
      await deleteRows(engine, table, JSON.stringify({ a, b, ...beyond }));
      assert.deepEqual(await unsorted(table, JSON.stringify({ a, b, ...beyond })), []);
    }
    assert.deepEqual(await unsorted(table, JSON.stringify(row)), [row]);
    await deleteRows(engine, table, JSON.stringify({ a: row.a, b: row.b, c: { $lt: long } }));
    assert.deepEqual(await unsorted(table, JSON.stringify(row)), []);
  });

  it('unsorted reads on a cluster: by token, by the keys of a filter, by the values of an index', async () => {
    const table = await filledTable();
    const all = await unsorted(table, '{}');
    const partitions = all.map(({ p }) => p).filter((p, at, list) => p !== list[at - 1]);
    assert.equal(all.length, 12);
    assert.equal(partitions.length, 4);
    assert.deepEqual(
      all.slice(0, 3).map(({ c }) => c),
      [3, 2, 1],
    );
    const named = await unsorted(table, '{"p":{"$in":[4,2]},"c":1}');
    assert.deepEqual(
      named.map(({ p }) => p),
      [2, 4],
    );
    const indexed = await unsorted(table, '{"v":{"$in":[2,0]}}');
    assert.deepEqual(
      indexed.map(({ v }) => v),
      [0, 0, 0, 0, 2, 2, 2, 2],
    );
  });

  it('filters on a cluster: the server compares what CQL cannot', async () => {
    const table = await filledTable();
    for (const [filter, count] of [
      ['{"$or":[{"v":1},{"n":3}]}', 6],
      ['{"v":{"$ne":1}}', 8],
      ['{"v":{"$nin":[1,2]},"n":{"$gt":1}}', 3],
    ] as const)
      assert.equal((await unsorted(table, filter)).length, count, filter);
  });

  it('a vector search with a filter on a cluster: finds rows that got their vector by an update', async () => {
    const shape = { columns: { p: 'int', q: 'int', v: 'vector<float,2>' }, partitionKey: ['p', 'q'] };
    const table = await createVectorIndex(engine, await createTable(engine, shape), 'v', 'euclidean');
    await insert(engine, table, '{"p":1,"q":1}');
    await insert(engine, table, '{"p":1,"q":1,"v":[1,2]}', '{"p":1,"q":2,"v":[1,2]}');
    const search = {
      kind: 'vector',
      column: columnOf(table, 'v'),
      query: Float32Array.of(1, 2),
      metric: 'euclidean',
    } as const;
    const plan = { ...readPlan(table, '{"p":1,"q":1}', { limit: 5, columns: table.keyColumns }), search };
    assert.deepEqual((await finishedRead(engine, plan)).rows.length, 1);
  });

  it('writes at the same time on a cluster: the later call wins', async () => {
    const table = await createTable(engine, { columns: { id: 'int', a: 'int', b: 'int' } });
    for (let round = 0; round < 20; round += 1) {
      await Promise.all([
        insert(engine, table, `{"id":1,"a":${round}}`),
        insert(engine, table, `{"id":1,"b":${round},"a":-1}`, `{"id":1,"a":7}`),
        deleteRows(engine, table, '{"id":1}'),
        insert(engine, table, `{"id":1,"b":${round}}`),
      ]);
      assert.deepEqual(await rowsOf(engine, table), [`{"id":1,"b":${round}}`]);
    }
  });

  it('a deleted counter on a cluster: does not count again', async () => {
    const table = await createTable(engine, { columns: { id: 'int', n: 'counter', m: 'counter' } });
    const change = (...changes: readonly ColumnChange[]) => engine.changeRow({ table, key: [1], changes });
    const [n, m] = [columnOf(table, 'n'), columnOf(table, 'm')];
    await change({ kind: 'add', column: n, value: 5n }, { kind: 'add', column: m, value: 6n });
    await change({ kind: 'set', column: n, value: null }, { kind: 'add', column: m, value: 1n });
    assert.deepEqual(await rowsOf(engine, table), ['{"id":1,"m":7}']);
    await change({ kind: 'add', column: n, value: 1n });
    assert.deepEqual(await rowsOf(engine, table), ['{"id":1,"m":7}']);
  });

  it('keyspaces on a cluster: have a replication factor, and data centers that are there', async () => {
    await makeKeyspace(engine, 'counted');
    const counted = (await engine.readSchema()).keyspaces.get('counted');
    assert.equal(counted?.replication.has('replication_factor'), true);
    const replication = objectOf('{"class":"NetworkTopologyStrategy","nowhere":3}');
    const wanted = { kind: 'createKeyspace' as const, name: 'placed', replication };
    await refuses('refused', engine.changeSchema(wanted));
  });

  it('lists of keyspaces and indexes on a cluster: come by name', async () => {
    for (const name of ['list_b', 'list_a']) await makeKeyspace(engine, name);
    const names = [...(await engine.readSchema()).keyspaces.keys()].filter((name) =>
      name.startsWith('list_'),
    );
    assert.deepEqual(names, ['list_a', 'list_b']);
    const table = await createTable(engine, { columns: { id: 'int', b: 'int', a: 'int' } });
    const indexed = await createIndex(engine, await createIndex(engine, table, 'b'), 'a');
    assert.deepEqual(
      indexed.indexes.map(({ column }) => column.name),
      ['a', 'b'],
    );
  });

  it('unsorted reads on a cluster: come in the order of Murmur3', async () => {
    const table = await createTable(engine, { columns: { id: 'int' } });
    await insert(engine, table, ...[1, 2, 3, 4, 5].map((id) => `{"id":${id}}`));
    const plan = readPlan(table, '{}', { order: null });
    const { rows } = await read(engine, plan);
    // The order of Murmur3.
    assert.deepEqual(
      rows.map((row) => rowText(plan, row)),
      [5, 1, 2, 4, 3].map((id) => `{"id":${id}}`),
    );
  });

  it('index options on key columns on a cluster: are refused', async () => {
    const columns = { p: 'text', c: 'text' };
    const table = await createTable(engine, { columns, clustering: { c: 1 } });
    const folded = indexOf(table, 'c', { caseSensitive: false });
    await refuses('unindexable', engine.changeSchema({ kind: 'createIndex', table, index: folded }));
    await engine.changeSchema({ kind: 'createIndex', table, index: indexOf(table, 'c') });
  });

  it('names of indexed columns on a cluster: have letters, digits and underscores', async () => {
    const table = await createTable(engine, { columns: { id: 'int', 'a b': 'int' } });
    await insert(engine, table, '{"id":1,"a b":2}');
    await refuses(
      'unindexable',
      engine.changeSchema({ kind: 'createIndex', table, index: indexOf(table, 'a b') }),
    );
    assert.deepEqual(await rowsOf(engine, table, '{"a b":2}'), ['{"id":1,"a b":2}']);
  });

  it('a column without a name on a cluster: is refused', async () => {
    await refuses('refused', createTable(engine, { columns: { id: 'int', '': 'int' } }));
  });
});

function columnOf({ columnsByName }: Table, name: string): Column {
  const column = columnsByName.get(name);
  assert.ok(column);
  return column;
}
