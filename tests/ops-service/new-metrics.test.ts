// What answers of metrics read of the file, each row once and no more than a limit, and that others have their turns.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openDatabase } from '../../src/foundation/sqlite/open-database.js';
import { createLogger } from '../../src/foundation/telemetry/logger.js';
import type { Cluster } from '../../src/ops-service/clusters/cluster.js';
import { ClusterRegistry } from '../../src/ops-service/clusters/registry.js';
import { metricRoutes } from '../../src/ops-service/http/metric-routes.js';
import { createRouter } from '../../src/ops-service/http/router.js';
import { Series } from '../../src/ops-service/metrics/series.js';
import { metricMigrations } from '../../src/ops-service/metrics/series-index.js';
import { Store } from '../../src/ops-service/store/store.js';
import { bodyText } from '../body-text.js';
import { makeBench, nodeAt } from './judged-cluster.js';
import { toRequest } from './open-ops.js';

const nowS = Date.UTC(2026, 0, 20) / 1000;
const hourS = 3600;

type Columns = Record<string, { metric: string; 'data-points': (number | null)[][] }[]>;

/** A cluster whose nodes have these two metrics, and how many rows were read. Each look at the clock takes a while. */
function openRoutes(nodeCount: number) {
  let looks = 0;
  const clock = { nowMs: () => nowS * 1000, monotonicMs: () => ++looks };
  const database = openDatabase({ path: ':memory:' });
  for (const { sql } of metricMigrations) database.exec(sql);
  const logger = createLogger('silent');
  const store = new Store(database, logger);
  const series = new Series({ store, clock, logger });
  const addresses = Array.from({ length: nodeCount }, (_, at) => `10.0.${Math.floor(at / 250)}.${at % 250}`);
  for (const key of ['os-load', 'pending-mutation-stage']) {
    series.accept(
      'a',
      addresses.map((node, at) => ({ node, key, value: at })),
    );
  }
  const read = { rows: 0 };
  const readStore = store.read;
  store.read = (work) => {
    read.rows += 1;
    return readStore.call(store, work) as ReturnType<typeof work>;
  };
  const { list } = series;
  series.list = (clusterId, key) => {
    const { rows } = read;
    const found = list.call(series, clusterId, key);
    read.rows = rows; // the list of series is not a row of values
    return found;
  };
  const nodes = addresses.map((address) => nodeAt(address, { dc: 'd' }));
  const cluster: Cluster = { ...makeBench().cluster, id: 'a', nodes, tables: [] };
  const { answer } = createRouter(
    metricRoutes({ series, clock, clusters: new ClusterRegistry(cluster, logger) }),
    {
      cluster: () => cluster,
      admit: () => ({ caller: { user: '', address: '' }, session: undefined, role: undefined }),
      recorded: async () => {},
      clock,
      newId: () => 'an id',
      logger,
    },
  );
  const send = async (path: string) => {
    const reply = await answer(toRequest({ path }));
    assert.ok('body' in reply);
    return { status: reply.status, body: JSON.parse(bodyText(reply)), headers: reply.headers ?? {} };
  };
  const ask = async (query: string): Promise<Columns> => {
    const { status, body } = await send(`/a/new-metrics?end=${nowS}&${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.data;
  };
  return { ask, send, read };
}

const both = 'metrics=os-load,pending-mutation-stage';

describe('new-metrics', () => {
  it('reads each row once, however many nodes and metrics share it', async () => {
    const { ask, read } = openRoutes(600);
    const data = await ask(`${both}&start=${nowS - hourS}`);
    assert.equal(Object.keys(data).length, 600);
    const last = (node: string) => data[node]?.map((each) => each['data-points'].at(-1)?.[0]);
    assert.deepEqual(last('10.0.0.7'), [7, 7]);
    assert.deepEqual(last('10.0.2.99'), [599, 599]);
    assert.equal(read.rows, 60 * 5, '1200 series in five groups, the minute under way from memory');
    assert.deepEqual(
      (await ask(`${both}&start=${nowS}&node_aggregation=1`))['*']?.map((each) => each['data-points']),
      [[[299.5]], [[299.5]]],
    );
  });

  it('gives a key and its alias the same values, and null before all that is kept', async () => {
    const { ask } = openRoutes(1);
    const start = nowS - 3 * 24 * hourS;
    const data = await ask(`metrics=pending-write-ops,pending-mutation-stage&start=${start}`);
    for (const column of data['10.0.0.0'] ?? []) {
      assert.equal(column['data-points'].length, 3 * 24 * 60 + 1);
      assert.deepEqual(column['data-points'].at(0), [null]);
      assert.deepEqual(column['data-points'].at(-1), [0]);
    }
    assert.equal(data['10.0.0.0']?.length, 2);
  });

  it('refuses what takes more rows or values than the limit that it names', async () => {
    const { ask, send, read } = openRoutes(2000);
    for (const [days, limit] of [
      [14, 'takes more than 50000 rows of the file'],
      [2, 'takes more than 2000000 values of all nodes'],
    ] as const) {
      const start = nowS - days * 24 * hourS;
      const { status, body } = await send(
        `/a/new-metrics?${both}&start=${start}&end=${nowS}&step=300&node_aggregation=1`,
      );
      assert.equal(status, 400);
      assert.match(JSON.stringify(body.details), new RegExp(limit));
    }
    assert.equal(read.rows, 0);
    await ask(`${both}&start=${nowS - 24 * hourS}&step=300&node_aggregation=1`);
    assert.ok(read.rows > 0);
  });
});

describe('a long answer of metrics', () => {
  for (const path of [
    `/a/new-metrics?${both}&node_aggregation=1`,
    `/a/new-metrics?${both}`,
    '/a/cluster-metrics/d/os-load?step=5',
  ]) {
    it(`leaves turns to other work while it is read and written: ${path}`, async () => {
      const { send } = openRoutes(300);
      let isDone = false;
      let turnsOfOthers = 0;
      const others = () => {
        turnsOfOthers += 1;
        if (!isDone) setImmediate(others);
      };
      setImmediate(others);
      const { status } = await send(path);
      isDone = true;
      assert.equal(status, 200);
      // A slice has ten looks at the clock, one for each row and for each list of values.
      assert.ok(turnsOfOthers > 50, String(turnsOfOthers));
    });
  }

  it('is refused with 503 when too many wait', async () => {
    const { send } = openRoutes(300);
    const replies = await Promise.all(
      Array.from({ length: 40 }, () => send(`/a/new-metrics?${both}&step=300&node_aggregation=1`)),
    );
    const refused = replies.filter(({ status }) => status === 503);
    assert.equal(refused.length, 7);
    assert.equal(refused[0]?.headers['retry-after'], '5');
    assert.ok(replies.slice(0, 33).every(({ status }) => status === 200));
  });

  it('is refused where it is too long, also of one metric of a data center', async () => {
    const { send, read } = openRoutes(2000);
    const { status, body } = await send(`/a/cluster-metrics/d/os-load?start=${nowS - 2 * 24 * hourS}`);
    assert.equal(status, 400);
    assert.match(body.message, /^start takes more than 2000000 values of all nodes to answer/);
    assert.equal(read.rows, 0);
  });
});
