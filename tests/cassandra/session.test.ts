// Checks sessions, probes and node tables against a real Cassandra node.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openSession } from '../../src/foundation/cassandra/open-session.js';
import { probeNode } from '../../src/foundation/cassandra/probe-node.js';
import { CassandraFailure } from '../../src/foundation/cassandra/session.js';
import { gossipQuery, readGossipEntry } from '../../src/ops-service/clusters/cassandra/gossip-watch.js';
import { NodeReadings } from '../../src/ops-service/clusters/cassandra/node-readings.js';
import { type NodeViews, viewNames, viewQuery } from '../../src/ops-service/clusters/cassandra/node-views.js';
import { cassandraSkipReason, useCassandra } from './use-cassandra.js';

describe('a session with a real node', { skip: cassandraSkipReason() }, () => {
  const cluster = useCassandra({ nodeCount: 1 });
  const nodeOf = () => {
    const [node] = cluster().nodes;
    assert.ok(node !== undefined);
    return node;
  };
  let session: ReturnType<typeof openSession>;

  before(async () => {
    const { nativePort } = nodeOf().place;
    session = openSession({ contactPoints: ['127.0.0.1'], port: nativePort, timeoutMs: 5000 });
    assert.equal(await session.connect(), undefined);
    await run("CREATE KEYSPACE shop WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
    await run(
      'CREATE TABLE shop.orders (id int PRIMARY KEY, tags set<text>, sizes map<text, frozen<list<int>>>)',
    );
  });
  after(() => session.close());
  const run = (cql: string) => session.query(cql, 100);

  it('names the nodes', () => {
    const { nativePort } = nodeOf().place;
    const hosts = session.hosts.map(({ hostId, ...rest }) => ({ ...rest, hasId: hostId.length === 36 }));
    assert.deepEqual(hosts, [
      {
        address: '127.0.0.1',
        port: nativePort,
        dc: 'datacenter1',
        rack: 'rack1',
        release: '5.0.9',
        hasId: true,
      },
    ]);
  });

  it('gives rows with the types of their columns', async () => {
    await run("INSERT INTO shop.orders (id, tags, sizes) VALUES (1, {'a'}, {'x': [1, 2]})");
    const { columns, rows } = await run('SELECT id, tags, sizes FROM shop.orders');
    assert.deepEqual(columns, [
      { name: 'id', type: 'int' },
      { name: 'tags', type: 'set<text>' },
      { name: 'sizes', type: 'map<text, list<int>>' },
    ]);
    assert.equal(rows.length, 1);
  });

  it('distinguishes a wrong query from a cluster that does not answer', async () => {
    await assert.rejects(run('SELEC'), (error) => error instanceof CassandraFailure && error.isRefused);
    await assert.rejects(run('SELECT * FROM shop.nothing'), (error) => {
      return error instanceof CassandraFailure && error.isRefused && /nothing/.test(error.message);
    });
    await assert.rejects(session.queryNode('10.9.9.9', 'SELECT * FROM system.local'), CassandraFailure);
  });

  it('cannot be had where nobody listens, and says why', async () => {
    const nobody = openSession({ contactPoints: ['127.0.0.1'], port: 1, timeoutMs: 1000 });
    assert.match((await nobody.connect()) ?? '', /ECONNREFUSED/);
    assert.match((await nobody.connect()) ?? '', /ECONNREFUSED/);
    assert.deepEqual(nobody.hosts, []);
    await nobody.close();
  });

  it('reads metrics that agree with nodetool', async () => {
    for (let id = 0; id < 500; id += 1) await run(`INSERT INTO shop.orders (id) VALUES (${id})`);
    for (let id = 0; id < 300; id += 1) await run(`SELECT * FROM shop.orders WHERE id = ${id}`);
    const entries = (await session.queryNode('127.0.0.1', gossipQuery)).map(readGossipEntry);
    assert.equal(entries.length, 1);
    const facts = {
      address: '127.0.0.1',
      release: entries[0]?.release ?? null,
      generation: entries[0]?.generation ?? 0,
      loadBytes: entries[0]?.loadBytes ?? null,
    };
    const views = await readViews();
    const readings = new NodeReadings().read(facts, views, 0);
    const histograms = await cluster().runNodetool(nodeOf(), 'tablehistograms', 'shop', 'orders');
    const written = (row: string, column: number) =>
      Number(new RegExp(`^${row} .*`, 'm').exec(histograms)?.[0].trim().split(/\s+/)[column]);
    for (const [part, row] of [
      ['P50', '50%'],
      ['P99', '99%'],
    ] as const) {
      const reading = readings.find(
        ({ key, table, part: own }) =>
          key === 'cf-local-write-latency' && table === 'shop.orders' && own === part,
      );
      // nodetool says microseconds; the table rounds to whole milliseconds, and values decay between the two looks.
      const nodetoolMs = written(row, 2) / 1000;
      assert.ok(
        reading !== undefined && Math.abs(reading.value - nodetoolMs) <= Math.max(1, nodetoolMs / 2),
        histograms,
      );
    }
    const count = views.localWrites?.find((view) => view['table_name'] === 'orders')?.['count'];
    assert.equal(Number(count), 501);
  });

  it('is not needed to see whether the node lives', async () => {
    const node = nodeOf();
    const address = { address: '127.0.0.1', port: node.place.nativePort };
    assert.equal(await probeNode(address, 2000), undefined);
    node.signal('SIGSTOP');
    // Its threads stop one after another: the first probe may still be answered.
    let seen = await probeNode(address, 1000);
    for (let tries = 1; seen === undefined && tries < 10; tries += 1) seen = await probeNode(address, 1000);
    assert.match(seen ?? '', /no answer/);
    node.signal('SIGCONT');
    assert.equal(await probeNode(address, 10_000), undefined);
    assert.match((await probeNode({ address: '127.0.0.1', port: 1 }, 1000)) ?? '', /ECONNREFUSED/);
  });

  async function readViews(): Promise<NodeViews> {
    const entries = viewNames.map(
      async (view) => [view, await session.queryNode('127.0.0.1', viewQuery(view, ['shop']) ?? '')] as const,
    );
    return Object.fromEntries(await Promise.all(entries));
  }
});
