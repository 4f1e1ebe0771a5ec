// Clusters of simulated Cassandra nodes behind the whole operations service: what needs no real node.
import assert from 'node:assert/strict';
import dns from 'node:dns';
import { createServer } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import type { AddressInfo } from 'node:net';
import { after, describe, it, type TestContext } from 'node:test';
import {
  numberedId,
  type SimulatedMember,
  tablesOf,
} from '../../benchmarks/simulated-cassandra/node-tables.js';
import { startSimulatedNode } from '../../benchmarks/simulated-cassandra/simulated-node.js';
import { type OpsUnderTest, openOps } from './open-ops.js';

const started: { close(): Promise<void> }[] = [];
after(async () => {
  for (const one of started) await one.close();
});

/** A node that knows these members; the first call picks a port. */
async function startNode(self: SimulatedMember, members: readonly SimulatedMember[], port = 0) {
  const startMs = performance.now();
  const seconds = () => (performance.now() - startMs) / 1000;
  const tables = tablesOf({ self, members, port, tableCount: 2, seconds });
  const node = await startSimulatedNode({ address: self.address, port }, (name) => tables[name]?.());
  started.push(node);
  return node;
}

/** Lets seconds go by, in which things happen on the network, until something is so. */
async function until(ops: OpsUnderTest, what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (let second = 0; second < 600; second += 1) {
    if (await isSo()) return;
    ops.clock.advance(1000);
    ops.parts.tick();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`never came: ${what}`);
}

async function nodesOf(ops: OpsUnderTest): Promise<string> {
  const { body } = await ops.ask({ path: '/ring/nodes' });
  return Array.isArray(body) ? body.map(({ node_ip, state }) => `${node_ip} ${state}`).join(', ') : '';
}

const member = (number: number, address: string): SimulatedMember => ({
  address,
  hostId: numberedId(number),
  dc: 'dc1',
});

/** Has a name lead where the network says now; other names are looked up as ever. */
function nameServer(test: TestContext, name: string, address: () => string): void {
  const { lookup } = dns;
  test.mock.method(dns, 'lookup', (host: string, ...rest: readonly unknown[]) => {
    const callback = rest.at(-1);
    if (host !== name || typeof callback !== 'function') Reflect.apply(lookup, dns, [host, ...rest]);
    else setImmediate(() => callback(null, [{ address: address(), family: 4 }]));
  });
  syncBuiltinESMExports();
  test.after(() => {
    test.mock.restoreAll();
    syncBuiltinESMExports();
  });
}

describe('a cluster whose nodes all get new addresses at once', () => {
  it('is found again by its contact points, its nodes known by their ids', async (test) => {
    let address = '127.0.0.31';
    nameServer(test, 'ring.example', () => address);
    const ops = openOps();
    const before = [member(1, '127.0.0.31'), member(2, '127.0.0.32')];
    const [one, other] = before;
    assert.ok(one !== undefined && other !== undefined);
    const first = await startNode(one, before);
    const second = await startNode(other, before, first.port);
    const cassandra = { seed_hosts: 'ring.example', native_port: first.port };
    await ops.ask({ path: '/cluster-configs', body: { id: 'ring', cassandra } });
    await until(ops, 'both nodes', async () => (await nodesOf(ops)) === '127.0.0.31 up, 127.0.0.32 up');

    await Promise.all([first.close(), second.close()]);
    const now = [member(1, '127.0.0.33'), member(2, '127.0.0.34')];
    for (const self of now) await startNode(self, now, first.port);
    address = '127.0.0.34';
    await until(ops, 'the new addresses', async () => {
      return (await nodesOf(ops)).split(', ').sort().join(', ') === '127.0.0.33 up, 127.0.0.34 up';
    });
    const { body } = await ops.ask({ path: '/ring/events?count=100&reverse=0&timestamp=0' });
    const moved = Array.isArray(body) ? body.filter(({ action }) => action === 17) : [];
    assert.deepEqual(moved.map(({ message }) => message).sort(), [
      'node 127.0.0.31 has the address 127.0.0.33 now',
      'node 127.0.0.32 has the address 127.0.0.34 now',
    ]);
    await ops.close();
  });
});

describe('an action on a cluster', () => {
  it('takes each existing keyspace, also one without tables', async () => {
    const ops = openOps();
    const self = member(1, '127.0.0.51');
    const node = await startNode(self, [self]);
    const cassandra = { seed_hosts: self.address, native_port: node.port };
    await ops.ask({ path: '/cluster-configs', body: { id: 'ring', cassandra } });
    const flush = (keyspace: string) =>
      ops.ask({ method: 'POST', path: `/ring/ops/flush/${self.address}/${keyspace}` });
    await until(ops, 'its keyspaces', async () => (await flush('shop')).status === 200);
    assert.equal((await flush('empty')).status, 200);
    assert.deepEqual((await flush('nowhere')).body, {
      type: 'NotFound',
      message: 'there is no keyspace "nowhere"; the keyspaces are empty, shop',
      details: [],
    });
    assert.equal((await flush('system')).status, 404);
    await ops.close();
  });
});

describe('metrics.prometheus of a cluster', () => {
  it('gives metrics, and their keys are unavailable with a reason when the exporter fails', async () => {
    let isBroken = false;
    const exporter = createServer((_, response) => {
      const status = isBroken ? 503 : 200;
      response.writeHead(status, { 'content-type': 'text/plain; version=0.0.4' }).end('node_load1 0.5\n');
    }).listen(0, '127.0.0.41');
    await new Promise((resolve) => exporter.once('listening', resolve));
    started.push({ close: () => new Promise((resolve) => exporter.close(() => resolve())) });
    const { port } = exporter.address() as AddressInfo; // it listens on a port

    const ops = openOps();
    const self = member(1, '127.0.0.41');
    const node = await startNode(self, [self]);
    const config = {
      id: 'ring',
      cassandra: { seed_hosts: self.address, native_port: node.port },
      metrics: { prometheus: `http://{host}:${port}/metrics` },
    };
    await ops.ask({ path: '/cluster-configs', body: config });
    const keyOf = async (name: string) => {
      const { body } = await ops.ask({ path: '/metric-keys' });
      return Array.isArray(body) ? body.find(({ key }) => key === name) : undefined;
    };
    await until(ops, 'a value', async () => {
      const { body } = await ops.ask({ path: '/ring/metrics/127.0.0.41/os-load?step=1&function=max' });
      return JSON.stringify(body).includes(',0.5]');
    });
    assert.match((await keyOf('os-load')).source, /metrics\.prometheus of the cluster/);
    assert.deepEqual(
      [(await keyOf('cf-live-sstables')).available, (await keyOf('cf-live-sstables')).source],
      [false, 'unavailable; ring: the exporters do not give it'],
    );
    isBroken = true;
    await until(ops, 'the reason', async () => (await keyOf('nonheap-max')).source.includes('answered 503'));
    assert.equal(
      (await keyOf('nonheap-max')).source,
      'unavailable; ring: the exporter of 127.0.0.41 answered 503',
    );
    await ops.close();
  });
});
