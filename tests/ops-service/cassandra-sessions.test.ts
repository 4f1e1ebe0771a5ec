// Checks when the session with a cluster of simulated Cassandra nodes is given up, and what becomes of its queries.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { numberedId, tablesOf } from '../../benchmarks/simulated-cassandra/node-tables.js';
import { startSimulatedNode } from '../../benchmarks/simulated-cassandra/simulated-node.js';
import { openSession } from '../../src/foundation/cassandra/open-session.js';
import type { CassandraSession } from '../../src/foundation/cassandra/session.js';
import { createLogger } from '../../src/foundation/telemetry/logger.js';
import { CassandraCluster } from '../../src/ops-service/clusters/cassandra/cassandra-cluster.js';
import type { NodeWatchParts } from '../../src/ops-service/clusters/cassandra/node-watch.js';

const closing: (() => Promise<void>)[] = [];
after(async () => {
  for (const close of closing) await close();
});

/** A node, whose queries the test holds up, and a session with it. */
async function startNode(address: string, timeoutMs: number) {
  const self = { address, hostId: numberedId(1), dc: 'dc1' };
  const tables = tablesOf({ self, members: [self], port: 0, tableCount: 1, seconds: () => 1 });
  const holding: { hold: (query: string) => Promise<void> | undefined } = { hold: () => undefined };
  const node = await startSimulatedNode(
    { address, port: 0 },
    (name) => tables[name]?.(),
    (query) => holding.hold(query),
  );
  const session = openSession({ contactPoints: [address], port: node.port, timeoutMs });
  closing.push(
    () => session.close(),
    () => node.close(),
  );
  return { node, session, holding };
}

async function until(isSo: () => boolean): Promise<void> {
  for (let time = 0; time < 1000 && !isSo(); time += 1)
    await new Promise((resolve) => setTimeout(resolve, 5));
  assert.ok(isSo());
}

describe('a session that connects again', () => {
  it('waits for the end of queries before it closes the connections that they run on', async () => {
    const { node, session, holding } = await startNode('127.0.0.51', 10_000);
    assert.equal(await session.connect(), undefined);
    const query = 'SELECT keyspace_name FROM system_schema.tables';
    assert.ok((await session.query(query, 1000)).rows.length > 0);
    const connectionCount = node.connectionCount;
    let isHeld = false;
    let release: () => void = () => undefined;
    holding.hold = (held) => {
      if (held !== query) return undefined;
      isHeld = true;
      return new Promise((resolve) => {
        release = resolve;
      });
    };
    const running = session.query(query, 1000);
    await until(() => isHeld);
    assert.equal(await session.reconnect(), undefined);
    await new Promise((resolve) => setTimeout(resolve, 50));
    release();
    assert.ok((await running).rows.length > 0);
    await until(() => node.connectionCount <= connectionCount);
  });

  it('closes all of them when it is closed', async () => {
    const { node, session, holding } = await startNode('127.0.0.52', 10_000);
    await session.connect();
    let isHeld = false;
    holding.hold = (query) => {
      isHeld = query.includes('system_schema.tables');
      return isHeld ? new Promise(() => undefined) : undefined;
    };
    const running = session.query('SELECT keyspace_name FROM system_schema.tables', 1000);
    running.catch(() => undefined);
    await until(() => isHeld);
    await session.reconnect();
    await session.close();
    await assert.rejects(running);
    await until(() => node.connectionCount === 0);
  });
});

describe('a cluster whose nodes are too busy for probes', () => {
  it('keeps its session as long as queries are answered, and no longer', async () => {
    const { session, holding } = await startNode('127.0.0.53', 300);
    let [now, reconnects, queries] = [0, 0, 0];
    const counted: CassandraSession = {
      get isConnected() {
        return session.isConnected;
      },
      get hosts() {
        return session.hosts;
      },
      connect: () => session.connect(),
      reconnect: () => {
        reconnects += 1;
        return session.reconnect();
      },
      queryNode: (address, cql) => session.queryNode(address, cql),
      query: (cql, maxRows) => session.query(cql, maxRows).finally(() => (queries += 1)),
      close: () => session.close(),
    };
    let isBusy = false;
    const cluster = new CassandraCluster({
      id: 'ring',
      seeds: ['127.0.0.53'],
      clock: { nowMs: () => Date.UTC(2026, 0, 1) + now, monotonicMs: () => now },
      logger: createLogger('silent'),
      memory: { load: () => [], save: () => undefined },
      appendEvent: () => ({}) as ReturnType<NodeWatchParts['appendEvent']>, // nobody reads it
      session: counted,
      probe: async () => (isBusy ? 'no answer' : undefined),
      actions: undefined,
      exporters: undefined,
      metricSource: () => undefined,
      loadRenderValue: async () => () => 'null',
    });
    const pass = async (seconds: number) => {
      for (let second = 0; second < seconds; second += 1) {
        now += 1000;
        cluster.tick();
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    };
    await pass(20);
    assert.equal(cluster.isLoaded, true);
    isBusy = true;
    const before = queries;
    await pass(60);
    assert.equal(reconnects, 0);
    assert.ok(queries > before, 'it was tried');
    holding.hold = () => new Promise(() => undefined);
    for (let time = 0; time < 100 && reconnects === 0; time += 1) await pass(5);
    assert.ok(reconnects > 0);
    holding.hold = () => undefined;
    await cluster.close();
  });

  it('logs that it cannot be reached until it is removed, and not after that', async () => {
    for (const isRemoved of [false, true]) {
      let fail: (problem: string) => void = () => undefined;
      const lines: string[] = [];
      const silent = createLogger('silent');
      const cluster = new CassandraCluster({
        id: 'ring',
        seeds: ['127.0.0.54'],
        clock: { nowMs: () => Date.UTC(2026, 0, 1), monotonicMs: () => 1_000_000 },
        logger: { ...silent, warn: (_, message) => lines.push(message) },
        memory: { load: () => [], save: () => undefined },
        appendEvent: () => ({}) as ReturnType<NodeWatchParts['appendEvent']>, // nobody reads it
        session: {
          isConnected: false,
          hosts: [],
          connect: () => new Promise((resolve) => (fail = resolve)),
          reconnect: async () => undefined,
          query: async () => assert.fail('it is not connected'),
          queryNode: async () => assert.fail('it is not connected'),
          close: async () => undefined,
        },
        probe: async () => 'no answer',
        actions: undefined,
        exporters: undefined,
        metricSource: () => undefined,
        loadRenderValue: async () => () => 'null',
      });
      cluster.tick();
      if (isRemoved) await cluster.close();
      fail('nobody is there');
      await new Promise((resolve) => setImmediate(resolve));
      assert.equal(lines.length, isRemoved ? 0 : 1, lines.join());
      await cluster.close();
    }
  });
});
