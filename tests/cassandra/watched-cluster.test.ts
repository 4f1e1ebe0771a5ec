// A real server watches, asks and acts on a real Cassandra cluster.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { askOps, waitFor } from '../acceptance/ops-client.js';
import { type RunningServer, startServer } from '../acceptance/start-server.js';
import { cassandraSkipReason, useCassandra } from './use-cassandra.js';

interface ShownNode {
  readonly node_ip: string;
  readonly state: string;
  readonly dc: string | null;
}

interface ShownEvent {
  readonly action: number;
  readonly message: string;
  readonly source_node: string;
  readonly success: boolean | null;
  readonly time: string;
}

interface ShownAlert {
  readonly node: string;
  readonly alert_rule_id: string;
  readonly state: string;
}

const headers = { 'content-type': 'application/json' };
const [nodeDown, nodeUp] = [13, 14];
const actionCodes = { compact: 0, cleanup: 1, repair: 2, flush: 3 } as const;

describe('a watched cluster of two real nodes', { skip: cassandraSkipReason() }, () => {
  const cluster = useCassandra({ nodeCount: 2 });
  let server: RunningServer;
  const [first, second] = [() => nodeAt(0), () => nodeAt(1)];

  function nodeAt(place: number) {
    const node = cluster().nodes[place];
    assert.ok(node !== undefined);
    return node;
  }

  before(async () => {
    // One JMX port for each node, all on 127.0.0.1: nodetool gets them by the addresses of the nodes.
    const [program = '', ...words] = cluster().nodetool(first());
    const nodetool = [program, ...words.slice(0, -4), '-h', '{host}', '-p', '{port}'];
    const places = cluster().nodes.map(({ place }) => [place.address, `127.0.0.1:${place.jmxPort}`] as const);
    server = await startServer({
      args: ['--metrics-interval-seconds', '1'],
      environment: {
        COLONNADE_NODETOOL: JSON.stringify(nodetool),
        COLONNADE_NODETOOL_NODES: JSON.stringify(Object.fromEntries(places)),
      },
    });
    const config = {
      id: 'ring',
      cassandra: { seed_hosts: '127.0.0.1', native_port: first().place.nativePort },
      actions: { kind: 'nodetool' },
    };
    assert.equal(await askOps(server, '/cluster-configs', { body: config, status: 201 }), 'ring');
    await untilStates('up', 'up');
  });
  after(() => server.stop());

  const ask = (path: string) => askOps(server, `/ring${path}`);
  const cql = (query: string) => askOps(server, '/ring/cql', { body: { query }, status: 200 });

  async function untilStates(...states: readonly string[]): Promise<void> {
    await waitFor(`nodes that are ${states.join(' and ')}`, async () => {
      const nodes = (await ask('/nodes')) as readonly ShownNode[];
      return nodes.length === states.length && nodes.every(({ state }, at) => state === states[at]);
    });
  }

  async function eventsOf(...codes: readonly number[]): Promise<readonly ShownEvent[]> {
    const events = (await ask('/events?count=10000&reverse=0&timestamp=0')) as readonly ShownEvent[];
    return events.filter(({ action }) => codes.includes(action));
  }

  async function firing(): Promise<readonly ShownAlert[]> {
    return (await ask('/alerts')) as readonly ShownAlert[];
  }

  it('answers native queries with the values of the data service', async () => {
    await cql("CREATE KEYSPACE shop WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 2}");
    await cql(
      'CREATE TABLE shop.orders (id int PRIMARY KEY, price decimal, tags set<text>, day date, big varint)',
    );
    await cql(
      "INSERT INTO shop.orders (id, price, tags, day, big) VALUES (1, 9.90, {'b', 'a'}, '2026-11-21', 12345678901234567890123)",
    );
    const reply = await fetch(`${server.opsUrl}/ring/cql`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query: 'SELECT id, price, tags, day, big FROM shop.orders' }),
    });
    assert.match(
      await reply.text(),
      /"rows":\[\[1,9\.9,\["a","b"\],"2026-11-21",12345678901234567890123\]\]/,
    );
    await askOps(server, '/ring/cql', { body: { query: 'SELECT * FROM shop.nothing' }, status: 400 });
  });

  it('shows metrics that move under load', async () => {
    await waitFor('writes per second', async () => {
      await Promise.all(
        Array.from({ length: 50 }, (_, id) => cql(`INSERT INTO shop.orders (id, price) VALUES (${id}, 1)`)),
      );
      // The rollup of the running minute is there at once.
      const shown = (await ask('/metrics/127.0.0.1/write-ops?step=1')) as Record<
        string,
        Record<string, unknown>
      >;
      const points = Object.values(shown)[0]?.['MAX'];
      return Array.isArray(points) && points.some(([, value]) => value > 0);
    });
    await waitFor('the load of the other node', async () => {
      const shown = (await ask('/metrics/127.0.0.2/data-load?step=1')) as Record<string, unknown>;
      return Object.keys(shown).length > 0;
    });
  });

  for (const action of ['flush', 'compact', 'cleanup', 'repair'] as const) {
    it(`runs ${action} by nodetool, with its event`, async () => {
      const path = `/ring/ops/${action}/127.0.0.2/shop`;
      const id = String(await askOps(server, path, { body: ['orders'], status: 200 }));
      const ended = await waitFor(`the end of ${action}`, async () => {
        const shown = (await askOps(server, `/request/${id}/status`)) as { readonly state: string };
        return shown.state !== 'queued' && shown.state !== 'running' && shown;
      });
      assert.equal(ended.state, 'success', JSON.stringify(ended));
      const [event] = await eventsOf(actionCodes[action]);
      assert.equal(event?.success, true);
      assert.equal(event?.source_node, '127.0.0.2');
    });
  }

  it('refuses an action on a keyspace that is not there', async () => {
    const reply = await fetch(`${server.opsUrl}/ring/ops/flush/127.0.0.2/nothing`, {
      method: 'POST',
      body: '[]',
    });
    assert.ok(reply.status >= 400 && reply.status < 500, await reply.text());
  });

  it('reports a node that stops, hangs or comes back, with events and an alert', async () => {
    const rule = { type: 'node-down', duration: 0 };
    const ruleId = await askOps(server, '/ring/alert-rules', { body: rule, status: 201 });
    const untilAlert = (count: number) =>
      waitFor(`${count} alerts`, async () => (await firing()).length === count && (await firing()));

    await second().stop();
    await untilStates('up', 'down');
    assert.deepEqual(
      (await eventsOf(nodeDown)).map(({ source_node }) => source_node),
      ['127.0.0.2'],
    );
    const [alert] = await untilAlert(1);
    assert.deepEqual([alert?.node, alert?.alert_rule_id], ['127.0.0.2', ruleId]);
    await second().restart();
    await untilStates('up', 'up');
    assert.equal((await eventsOf(nodeUp)).length, 1);
    await untilAlert(0);

    second().signal('SIGSTOP');
    await untilStates('up', 'down');
    await untilAlert(1);
    second().signal('SIGCONT');
    await untilStates('up', 'up');
    await untilAlert(0);
    assert.equal((await eventsOf(nodeDown, nodeUp)).length, 4);
  });

  it('reports a whole cluster that is not available in one alert', async () => {
    first().signal('SIGKILL');
    second().signal('SIGKILL');
    await untilStates('down', 'down');
    assert.equal((await eventsOf(nodeDown)).length, 4);
    const alerts = await waitFor('an alert about the cluster', async () => {
      const found = await firing();
      return found.some(({ node }) => node === '') && found;
    });
    assert.equal(alerts.length, 1);
  });
});
