// What the Cassandra engine does in another way than the embedded one, on a real node.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Engine } from '../../src/data-service/engine/engine.js';
import {
  createTable,
  insert,
  makeKeyspace,
  objectOf,
  read,
  readPlan,
  refuses,
  rowsOf,
  rowText,
} from '../conformance/engine-steps.js';
import { createIndex, indexOf } from '../conformance/index-steps.js';
import { openEmptied } from './open-cassandra-engine.js';
import { cassandraSkipReason, useCassandra } from './use-cassandra.js';

describe('a Cassandra cluster differs from the embedded engine', { skip: cassandraSkipReason() }, () => {
  const cluster = useCassandra({ nodeCount: 1 });
  let engine: Engine;
  before(async () => {
    engine = await openEmptied(cluster().nodes[0]?.place.nativePort ?? 0);
  });
  after(() => engine.close());

  it('keyspaces (Cassandra): have a replication factor, and data centers that are there', async () => {
    await makeKeyspace(engine, 'counted');
    const counted = (await engine.readSchema()).keyspaces.get('counted');
    assert.equal(counted?.replication.has('replication_factor'), true);
    const replication = objectOf('{"class":"NetworkTopologyStrategy","nowhere":3}');
    const wanted = { kind: 'createKeyspace' as const, name: 'placed', replication };
    await assert.rejects(engine.changeSchema(wanted), /nowhere/);
  });

  it('lists of keyspaces and indexes (Cassandra): come by name', async () => {
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

  it('unsorted reads (Cassandra): come by the token of the partition', async () => {
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

  it('index options on key columns (Cassandra): are refused', async () => {
    const columns = { p: 'text', c: 'text' };
    const table = await createTable(engine, { columns, clustering: { c: 1 } });
    const folded = indexOf(table, 'c', { caseSensitive: false });
    await refuses('unindexable', engine.changeSchema({ kind: 'createIndex', table, index: folded }));
    await engine.changeSchema({ kind: 'createIndex', table, index: indexOf(table, 'c') });
  });

  it('names of indexed columns (Cassandra): have letters, digits and underscores', async () => {
    const table = await createTable(engine, { columns: { id: 'int', 'a b': 'int' } });
    await insert(engine, table, '{"id":1,"a b":2}');
    await refuses(
      'unindexable',
      engine.changeSchema({ kind: 'createIndex', table, index: indexOf(table, 'a b') }),
    );
    assert.deepEqual(await rowsOf(engine, table, '{"a b":2}'), ['{"id":1,"a b":2}']);
  });

  it('a column without a name (Cassandra): is refused', async () => {
    await assert.rejects(createTable(engine, { columns: { id: 'int', '': 'int' } }), /mismatched input/);
  });

  it('a counter that was deleted (Cassandra): is gone, and what is added behind that may be lost', async () => {
    const table = await createTable(engine, { columns: { id: 'int', n: 'counter' } });
    const column = table.columnsByName.get('n');
    assert.ok(column);
    await engine.changeRow({ table, key: [1], changes: [{ kind: 'add', column, value: 1n }] });
    assert.deepEqual(await rowsOf(engine, table), ['{"id":1,"n":1}']);
    await engine.changeRow({ table, key: [1], changes: [{ kind: 'set', column, value: null }] });
    assert.deepEqual(await rowsOf(engine, table), []);
  });
});
