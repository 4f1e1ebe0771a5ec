// Checks data sessions against a real Cassandra node.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { CqlSession } from '../../src/foundation/cassandra/cql-session.js';
import { openCqlSession } from '../../src/foundation/cassandra/open-cql-session.js';
import { CassandraFailure, type CassandraFailureKind } from '../../src/foundation/cassandra/session.js';
import { waitFor } from '../acceptance/ops-client.js';
import { cassandraSkipReason, useCassandra } from './use-cassandra.js';

describe('a data session with a real node', { skip: cassandraSkipReason() }, () => {
  // A timer or connection that a close leaves behind would keep this process from its end.
  after(() => session.close());
  const cluster = useCassandra({ nodeCount: 1 });
  const nodeOf = () => {
    const [node] = cluster().nodes;
    assert.ok(node !== undefined);
    return node;
  };
  const changedKeyspaces: (string | undefined)[] = [];
  const problems: (string | undefined)[] = [];
  let session: CqlSession;

  const open = (changes: { readonly port?: number; readonly localDataCenter?: string } = {}) =>
    openCqlSession({
      contactPoints: ['127.0.0.1'],
      port: nodeOf().place.nativePort,
      localDataCenter: 'datacenter1',
      timeoutMs: 20_000,
      ...changes,
    });
  const run = (cql: string, values: readonly (Buffer | null)[] = [], pageRows = 1000) =>
    session.run({ cql, values, isIdempotent: true, pageRows });
  const int = (value: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32BE(value);
    return bytes;
  };

  before(async () => {
    session = await open();
    session.onSchemaChange((keyspace) => changedKeyspaces.push(keyspace));
    session.onProblem((problem) => problems.push(problem));
    await session.changeSchema(
      "CREATE KEYSPACE shop WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
    );
    await session.changeSchema('CREATE TABLE shop.orders (id int, "7" text, n bigint, PRIMARY KEY (id, n))');
  });

  it('binds bytes and gives values in the order of the SELECT, page by page', async () => {
    for (let n = 1; n <= 5; n += 1) {
      const bytes = Buffer.alloc(8);
      bytes.writeBigInt64BE(BigInt(n));
      await run('INSERT INTO shop.orders (id, n, "7") VALUES (?, ?, ?)', [int(1), bytes, null]);
    }
    const statement = {
      cql: 'SELECT n, "7", id FROM shop.orders WHERE id = ?',
      values: [int(1)],
      isIdempotent: true,
      pageRows: 2,
    };
    const pages: (readonly (readonly unknown[])[])[] = [];
    for (let next: string | null | undefined; next !== null; ) {
      const page = await session.run(statement, next);
      pages.push(page.rows);
      next = page.next;
    }
    assert.deepEqual(
      pages.flat(),
      [1n, 2n, 3n, 4n, 5n].map((n) => [n, null, 1]),
    );
    assert.deepEqual(pages.map(({ length }) => length).slice(0, 2), [2, 2]);
  });

  it('keeps the write with the later time, whichever came first', async () => {
    const write = (text: string, timestampMicros: number) =>
      session.run({
        cql: 'INSERT INTO shop.orders (id, n, "7") VALUES (?, 1, ?)',
        values: [int(2), Buffer.from(text)],
        isIdempotent: true,
        timeoutMs: 20_000,
        timestampMicros,
      });
    await write('later', 2_000_000);
    await write('earlier', 1_000_000);
    const { rows } = await run('SELECT "7" FROM shop.orders WHERE id = ?', [int(2)]);
    assert.deepEqual(rows, [['later']]);
  });

  it('gives maps with keys of any text', async () => {
    await session.changeSchema('CREATE TABLE shop.maps (id int PRIMARY KEY, m map<text, int>)');
    await run("INSERT INTO shop.maps (id, m) VALUES (1, {'__proto__': 7})");
    const { rows } = await run('SELECT m FROM shop.maps');
    assert.deepEqual(
      rows.map(([map]) => [...(map as Map<unknown, unknown>)]),
      [[['__proto__', 7]]],
    );
  });

  it('notices changes of the schema, its own and those of others', async () => {
    const other = await open();
    changedKeyspaces.length = 0;
    await other.changeSchema('ALTER TABLE shop.orders ADD note text');
    await waitFor('the event of the change', async () => changedKeyspaces.includes('shop'));
    assert.equal(await session.isInAgreement(), true);
    await other.close();
  });

  it('asks one node, page by page', async () => {
    const cql = 'SELECT table_name FROM system_schema.tables';
    const nodes = await session.nodes();
    assert.equal(nodes.length, 1);
    for (const node of nodes) {
      const statement = {
        cql,
        values: [],
        isIdempotent: true,
        consistency: 'LOCAL_ONE',
        pageRows: 20,
      } as const;
      const first = await node.run(statement);
      const second = await node.run(statement, first.next);
      assert.equal(new Set([...first.rows, ...second.rows].flat()).size, 40);
    }
  });

  it('distinguishes failures', async () => {
    await fails('refused', run('SELEC'));
    await fails('refused', run('SELECT * FROM shop.nothing'));
    await fails('refused', session.changeSchema('CREATE TABLE shop.orders (id int PRIMARY KEY)'));
    const nobody = await open({ port: 1 });
    await fails(
      'unreachable',
      nobody.run({ cql: 'SELECT key FROM system.local', values: [], isIdempotent: true }),
    );
    await nobody.close();
    const elsewhere = await open({ localDataCenter: 'mars' });
    const asked = elsewhere.run({ cql: 'SELECT key FROM system.local', values: [], isIdempotent: true });
    await assert.rejects(asked, /mars.*datacenter1/);
    await elsewhere.close();
    await fails('unreachable', elsewhere.changeSchema('DROP KEYSPACE shop'));
  });

  it('carries thousands of statements out at the same time', async () => {
    // A node that has just started, on a busy machine, answers only some hundreds a second.
    const statement = {
      cql: 'SELECT n FROM shop.orders WHERE id = ?',
      values: [int(1)],
      isIdempotent: true,
      timeoutMs: 120_000,
    };
    const found = await Promise.all(Array.from({ length: 3_000 }, () => session.run(statement)));
    assert.ok(found.every(({ rows }) => rows.length === 5));
  });

  it('connects again by itself, with the changes of the schema that it missed', async () => {
    problems.length = 0;
    await nodeOf().stop();
    await waitFor('the notice of the stop', async () => problems.at(-1) !== undefined);
    await fails('unreachable', run('SELECT n FROM shop.orders'));
    changedKeyspaces.length = 0;
    await nodeOf().restart();
    // A node that starts may come and go again.
    await waitFor(
      'the notice of the start',
      async () => problems.length > 1 && problems.at(-1) === undefined,
    );
    await waitFor('the notice of changes', async () => changedKeyspaces.includes(undefined));
    assert.equal((await run('SELECT n FROM shop.orders WHERE id = 1')).rows.length, 5);
  });
});

function fails(kind: CassandraFailureKind, asked: Promise<unknown>): Promise<void> {
  return assert.rejects(asked, (error) => {
    assert.ok(error instanceof CassandraFailure, String(error));
    assert.equal(error.kind, kind, error.message);
    return true;
  });
}
