// What one answer of new-metrics reads of the file: each row once, and no more than a limit.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openDatabase } from '../../src/foundation/sqlite/open-database.js';
import { createLogger } from '../../src/foundation/telemetry/logger.js';
import type { Cluster } from '../../src/ops-service/clusters/cluster.js';
import { OpsError } from '../../src/ops-service/errors/ops-error.js';
import { newMetricsRoute } from '../../src/ops-service/http/new-metrics-route.js';
import { Series } from '../../src/ops-service/metrics/series.js';
import { metricMigrations } from '../../src/ops-service/metrics/series-index.js';
import { Store } from '../../src/ops-service/store/store.js';

const nowS = Date.UTC(2026, 0, 20) / 1000;
const hourS = 3600;

/** A cluster whose nodes have these two metrics, and how many rows were read. */
function openRoute(nodeCount: number) {
  const clock = { nowMs: () => nowS * 1000, monotonicMs: () => 0 };
  const database = openDatabase({ path: ':memory:' });
  for (const { sql } of metricMigrations) database.exec(sql);
  const logger = createLogger('silent');
  const store = new Store(database, logger);
  const series = new Series({ store, clock, logger });
  const addresses = Array.from({ length: nodeCount }, (_, at) => `10.0.${Math.floor(at / 250)}.${at % 250}`);
  for (const key of ['os-load', 'heap-used']) {
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
  const { answer } = newMetricsRoute({ series, clock });
  // Only what the route uses.
  const cluster = {
    id: 'a',
    nodes: addresses.map((address) => ({ address })),
    tables: [],
  } as unknown as Cluster;
  const ask = (asked: { start: number; step: '60' | '300'; node_aggregation: '0' | '1' }) => {
    const query = { metrics: ['os-load', 'heap-used'], end: nowS, forecast: '0' as const, ...asked };
    const request = { params: {}, query, body: null, caller: { user: '', address: '' }, session: undefined };
    return answer({ ...request, header: () => undefined }, cluster) as {
      data: Record<string, { metric: string; 'data-points': (number | null)[][] }[]>;
    };
  };
  return { ask, read };
}

describe('new-metrics', () => {
  it('reads each row once, however many nodes and metrics share it', () => {
    const { ask, read } = openRoute(600);
    const { data } = ask({ start: nowS - hourS, step: '60', node_aggregation: '0' });
    assert.equal(Object.keys(data).length, 600);
    const last = (node: string) => data[node]?.map((each) => each['data-points'].at(-1)?.[0]);
    assert.deepEqual(last('10.0.0.7'), [7, 7]);
    assert.deepEqual(last('10.0.2.99'), [599, 599]);
    assert.equal(read.rows, 60 * 5, '1200 series in five groups, the minute under way from memory');
    assert.deepEqual(
      ask({ start: nowS, step: '60', node_aggregation: '1' }).data['*']?.map((each) => each['data-points']),
      [[[299.5]], [[299.5]]],
    );
  });

  it('refuses what takes more rows or values than the limit that it names', () => {
    const { ask, read } = openRoute(2000);
    const limits = [
      [14, 'takes more than 50000 rows of the file'],
      [2, 'takes more than 2000000 values of all nodes'],
    ] as const;
    for (const [days, limit] of limits) {
      assert.throws(
        () => ask({ start: nowS - days * 24 * hourS, step: '300', node_aggregation: '1' }),
        (error) =>
          error instanceof OpsError &&
          error.refusal === 'BadRequest' &&
          JSON.stringify(error.details).includes(limit),
      );
    }
    assert.equal(read.rows, 0);
    ask({ start: nowS - 24 * hourS, step: '300', node_aggregation: '1' });
    assert.ok(read.rows > 0);
  });
});
