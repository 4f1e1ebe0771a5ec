// The official clients against servers whose rows are in a real Cassandra node.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { waitFor } from '../acceptance/ops-client.js';
import { type RunningServer, startServer } from '../acceptance/start-server.js';
import { type AnyTable, assertRefused, connectTo, createTable } from '../clients/connect.js';
import { argsFor, runOnNode } from './run-on-node.js';
import { cassandraSkipReason, useCassandra } from './use-cassandra.js';

const folder = fileURLToPath(new URL('../clients', import.meta.url));
const withoutPython = process.env['ASTRAPY_PYTHON'] === undefined && 'ASTRAPY_PYTHON names no Python';

describe('the official clients, with rows in a real node', { skip: cassandraSkipReason() }, () => {
  const cluster = useCassandra({ nodeCount: 1, keepsSchema: true });
  const servers: RunningServer[] = [];
  const start = async () => {
    const server = await startServer({ args: argsFor(cluster()) });
    servers.push(server);
    return connectTo(server);
  };
  after(async () => {
    for (const server of servers) await server.stop();
  });

  it('pass the tests that they pass with the embedded engine', async (test) => {
    const names = readdirSync(folder).filter((name) => name.endsWith('.test.js'));
    const { failed, passed } = await runOnNode(folder, names, argsFor(cluster()));
    assert.deepEqual([...failed], []);
    test.diagnostic(`${passed.length} tests passed`);
  });

  it('pass the tests of the Python client, too', { skip: withoutPython }, async () => {
    const { failed } = await runOnNode(folder, ['python/astrapy.test.js'], argsFor(cluster()));
    assert.deepEqual([...failed], []);
  });

  describe('vectors that damage a node', () => {
    const most = Math.fround(1e17);
    const large = [2 * most, 1];
    let table: AnyTable;
    before(async () => {
      const { db } = await start();
      await db.admin({ environment: 'other' }).createKeyspace('default_keyspace');
      const vector = { type: 'vector', dimension: 2 } as const;
      const columns = { id: 'int', bare: vector, v: vector };
      table = await createTable(db, 'limited', { columns, primaryKey: 'id' });
      await table.createVectorIndex('limited_v', 'v', { options: { metric: 'dot_product' } });
    });
    const refusesWrites = async (vector: readonly number[], message: RegExp) => {
      for (const column of ['bare', 'v']) {
        const values = { [column]: vector };
        const code = 'INVALID_COLUMN_VALUES';
        await assertRefused(table.insertOne({ id: 1, ...values }), { code, scope: 'DOCUMENT', message });
        const updated = table.updateOne({ id: 1 }, { $set: values });
        await assertRefused(updated, { code, scope: 'UPDATE', message });
      }
    };

    it('zero vectors on a cluster: are refused in every column', () => refusesWrites([0, -0], /zero vector/));

    it('vectors with large elements on a cluster: are refused in every column, and in searches', async () => {
      await table.insertOne({ id: 2, v: [most, -most], bare: [most, 0] });
      await refusesWrites(large, /element 1 is/);
      const found = table.find({}, { sort: { v: large } }).toArray();
      await assertRefused(found, { code: 'INVALID_VECTOR_SORT_EXPRESSION', scope: 'SORT' });
      assert.equal((await table.find({}, { sort: { v: [1, 1] } }).toArray()).length, 1);
    });

    it('leave a node that starts again after a kill', async () => {
      const [node] = cluster().nodes;
      assert.ok(node);
      node.signal('SIGKILL');
      await node.stop();
      await node.restart();
      await waitFor('a row in the node', async () => {
        const stored = table.insertOne({ id: 3, v: [1, 1] });
        return stored.then(
          () => true,
          () => false,
        );
      });
    });
  });

  it('get an error for rows that are larger than nodes take, and nothing else is refused', async () => {
    const { db } = await start();
    await db.admin({ environment: 'other' }).createKeyspace('default_keyspace');
    const definition = { columns: { id: 'int', words: 'text' }, primaryKey: 'id' };
    const table = await createTable(db, 'large_rows', definition);
    const rowOf = (mebibytes: number) => ({ id: mebibytes, words: 'x'.repeat(mebibytes * 2 ** 20) });
    for (const mebibytes of [16, 18])
      await assertRefused(table.insertOne(rowOf(mebibytes)), {
        code: 'SHRED_DOC_LIMIT_VIOLATION',
        scope: 'DOCUMENT',
      });
    await table.insertOne(rowOf(1));
    const stored = await table.find({}).toArray();
    assert.deepEqual(
      stored.map(({ id }) => id),
      [1],
    );
  });

  it('sees what another server of the cluster changed', async () => {
    const [connection, other] = [await start(), await start()];
    await connection.db.admin({ environment: 'other' }).createKeyspace('default_keyspace');
    const definition = { columns: { id: 'int', z: 'text', a: 'text' }, primaryKey: 'id' } as const;
    await other.db.createTable('shared', { definition });
    await waitFor('the table in the first server', async () => {
      return (await connection.db.listTables({ nameOnly: true })).includes('shared');
    });
    const [shared] = (await connection.db.listTables()).filter(({ name }) => name === 'shared');
    assert.deepEqual(Object.keys(shared?.definition.columns ?? {}), ['id', 'z', 'a']);
    await other.db.table('shared').insertOne({ id: 1, z: 'there' });
    assert.deepEqual(await connection.db.table('shared').findOne({ id: 1 }), {
      id: 1,
      z: 'there',
      a: null,
    });
  });

  it('sees what another server changes of a table, and takes turns with it', async () => {
    const [connection, other] = [await start(), await start()];
    await connection.db.admin({ environment: 'other' }).createKeyspace('default_keyspace');
    const definition = { columns: { id: 'int', a: 'text' }, primaryKey: 'id' } as const;
    const make = async ({ db }: typeof other) => {
      const table = await db.createTable('turns', { definition, ifNotExists: true });
      await table.createIndex('turns_a', 'a', { ifNotExists: true });
    };
    await Promise.all([make(connection), make(other), make(connection)]);
    const definitionSeenBy = async ({ db }: typeof other) =>
      (await db.listTables()).find(({ name }) => name === 'turns')?.definition;
    await other.db.table('turns').alter({ operation: { add: { columns: { b: 'int' } } } });
    await waitFor('the column in the first server', async () =>
      Object.hasOwn((await definitionSeenBy(connection))?.columns ?? {}, 'b'),
    );
    await connection.db.table('turns').insertOne({ id: 1, a: 'x', b: 2 });
    await other.db.table('turns').alter({ operation: { drop: { columns: ['b'] } } });
    await waitFor(
      'the first server without the column',
      async () => !Object.hasOwn((await definitionSeenBy(connection))?.columns ?? {}, 'b'),
    );
    await connection.db.dropTableIndex('turns_a');
    await waitFor(
      'the second server without the index',
      async () => (await other.db.table('turns').listIndexes({ nameOnly: true })).length === 0,
    );
    await Promise.all([connection, other].map(({ db }) => db.dropTable('turns', { ifExists: true })));
    await waitFor(
      'both servers without the table',
      async () =>
        (await definitionSeenBy(connection)) === undefined && (await definitionSeenBy(other)) === undefined,
    );
  });
});
