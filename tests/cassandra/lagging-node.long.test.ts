// A node that hung while a table was made lacks the table for a minute, shown by statements alone. The known faults in
// docs/differences.md name what fails then; writes do not, although some of them are sent to this node first.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CqlNode, CqlSession } from '../../src/foundation/cassandra/cql-session.js';
import { readSchemaVersion } from '../../src/foundation/cassandra/schema-agreement.js';
import { CassandraFailure } from '../../src/foundation/cassandra/session.js';
import { openSession } from './open-cassandra-engine.js';
import { cassandraSkipReason, useCassandra } from './use-cassandra.js';

/** A node reads a schema that it learns of at once where it was started within this time, else so much later. */
const delayMs = 60_000;
const patienceMs = 180_000;
const keys = Array.from({ length: 20 }, (_, p) => p);

describe('a node of Cassandra that hung while a table was made', { skip: cassandraSkipReason() }, () => {
  const cluster = useCassandra({ nodeCount: 3 });
  let session: CqlSession;
  before(async () => {
    session = await openSession(nodeAt(0).place.nativePort);
    const replication = "{'class': 'NetworkTopologyStrategy', 'datacenter1': 3}";
    await session.changeSchema(`CREATE KEYSPACE lagging WITH replication = ${replication}`);
  });
  after(() => session.close());

  function nodeAt(place: number) {
    const node = cluster().nodes[place];
    assert.ok(node);
    return node;
  }

  const until = async (what: string, isSo: () => Promise<boolean>) => {
    for (const deadline = Date.now() + patienceMs; !(await isSo()); await sleep(500))
      assert.ok(Date.now() < deadline, `${what} did not come`);
  };
  const statement = (cql: string) => ({ cql, values: [], isIdempotent: true });
  /** How many of the reads of single rows fail. */
  const failuresOf = async (node: CqlNode) => {
    const outcomes = await Promise.allSettled(
      keys.map((p) => node.run(statement(`SELECT v FROM lagging.t WHERE p = ${p}`))),
    );
    return outcomes.filter((outcome) => {
      if (outcome.status === 'fulfilled') return false;
      assert.ok(outcome.reason instanceof CassandraFailure);
      return true;
    }).length;
  };

  /** Whether a node has this version of the schema, fails a read without it, or does not answer. */
  const stateOf = async (node: CqlNode, current: string): Promise<'current' | 'behind' | 'silent'> => {
    try {
      if ((await readSchemaVersion(node)) === current) return 'current';
      await node.run(statement(`SELECT v FROM lagging.t WHERE p = ${keys[0]}`));
      return 'current';
    } catch (error) {
      assert.ok(error instanceof CassandraFailure);
      return error.kind === 'unreachable' || error.kind === 'unanswered' ? 'silent' : 'behind';
    }
  };

  it('fails reads of the table, its own and most of the others, until it reads the schema', async (context) => {
    await sleep(delayMs);
    const nodes = await session.nodes();
    const addresses = await Promise.all(
      nodes.map(async (node) => (await node.run(statement('SELECT rpc_address FROM system.local'))).rows[0]),
    );
    const at = addresses.findIndex((row) => String(row?.[0]) === nodeAt(2).place.address);
    const [lagging, ...others] = [nodes[at], ...nodes.filter((_, other) => other !== at)];
    assert.ok(lagging !== undefined && others[0] !== undefined);
    nodeAt(2).signal('SIGSTOP');
    try {
      await until('the report that the node is down', async () =>
        /^DN /m.test(await cluster().runNodetool(nodeAt(0), 'status')),
      );
      await session.changeSchema('CREATE TABLE lagging.t (p int PRIMARY KEY, v int)');
      for (const p of keys) await session.run(statement(`INSERT INTO lagging.t (p, v) VALUES (${p}, 1)`));
    } finally {
      nodeAt(2).signal('SIGCONT');
    }
    const current = await readSchemaVersion(others[0]);
    await until('an answer of the node', async () => (await stateOf(lagging, current)) !== 'silent');
    const ownFailures = await failuresOf(lagging);
    if ((await stateOf(lagging, current)) === 'current') {
      context.skip('the node had read the schema before it was asked');
      return;
    }
    assert.equal(ownFailures, keys.length);
    // Writes need two of three nodes, and a statement that this node refuses is sent to another one.
    for (const p of keys) await session.run(statement(`UPDATE lagging.t SET v = 2 WHERE p = ${p}`));
    const failures = await Promise.all(others.map(failuresOf));
    context.diagnostic(`${failures} of ${keys.length} reads through the others fail`);
    await until('the schema', async () => (await failuresOf(lagging)) === 0);
    for (const node of others) assert.equal(await failuresOf(node), 0);
  });
});
