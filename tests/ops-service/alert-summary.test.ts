// The numbers of alerts that the console shows on every screen, counted from thousands of alerts in many clusters.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../src/foundation/telemetry/clock.js';
import { createLogger } from '../../src/foundation/telemetry/logger.js';
import { doSteps } from '../../src/foundation/threads/long-work.js';
import { ClusterRegistry } from '../../src/ops-service/clusters/registry.js';
import { alertSummaryRoute } from '../../src/ops-service/http/alert-summary-route.js';
import { createRouter } from '../../src/ops-service/http/router.js';
import { LatestSamples } from '../../src/ops-service/metrics/latest-samples.js';
import { bodyText } from '../body-text.js';
import { caller, makeBench, nodeAt } from './judged-cluster.js';
import { toRequest } from './open-ops.js';
import { Trial } from './pipeline-trial.js';

interface Summary {
  readonly cluster: string;
  readonly firing: number;
  readonly open: number;
  readonly level: string | null;
  readonly channels: number;
}

const logger = createLogger('silent');
const disk = { type: 'rolling-avg', metric: 'os-disk-usage', item: '/', threshold: 80, duration: 0 } as const;
const clusterCount = 100;
const nodeCount = 50;
/** Each look at this clock takes a millisecond, so that a slice has about ten alerts. */
let lookMs = 0;
const clockOfLooks: Clock = { nowMs: () => lookMs, monotonicMs: () => ++lookMs };
const stoppedClock: Clock = { nowMs: () => 0, monotonicMs: () => 0 };

describe('the numbers of 10,000 alerts in 100 clusters', () => {
  let judging = Promise.resolve();
  const bench = makeBench({ run: (steps) => judging.then(() => doSteps(steps)) });
  bench.nodes = Array.from({ length: nodeCount }, (_, at) => nodeAt(`10.0.0.${at}`));
  const clusters = new ClusterRegistry(bench.cluster, logger);
  const { notifications } = new Trial();
  const routesOn = (clock: Clock) =>
    createRouter([alertSummaryRoute({ clusters, alerts: bench.alerts, notifications, clock })], {
      cluster: (id) => clusters.get(id),
      admit: () => ({ caller, session: undefined, role: undefined }),
      recorded: async () => {},
      clock,
      newId: () => 'an id',
      logger,
    });
  const ask = async (routes = routesOn(clockOfLooks)) => {
    const reply = await routes.answer(toRequest({ path: '/console/alerts' }));
    assert.ok('body' in reply);
    const body: unknown = JSON.parse(bodyText(reply));
    return { status: reply.status, headers: reply.headers ?? {}, body };
  };
  const numbers = async () => {
    const { status, body } = await ask();
    assert.equal(status, 200, JSON.stringify(body));
    return new Map((body as readonly Summary[]).map((one) => [one.cluster, one]));
  };

  before(async () => {
    for (let at = 1; at < clusterCount; at += 1) clusters.put({ ...bench.cluster, id: `c${at}` });
    const samples = new LatestSamples();
    samples.accept(
      bench.nodes.map(({ address }) => ({ key: 'os-disk-usage', node: address, device: '/', value: 90 })),
      10_000,
    );
    for (const cluster of clusters.list()) {
      for (const level of ['WARN', 'ERROR']) bench.rules.create(cluster, { ...disk, level }, caller);
      await bench.alerts.judge(cluster, samples, 10_000);
    }
    const silence = { matchers: { node: '10.0.0.7' }, end: 1_800_000_000, comment: '' };
    for (const { id } of clusters.list()) notifications.silences.add(id, silence, caller);
    for (const { id, level } of bench.alerts.list('c2'))
      if (level === 'ERROR') bench.alerts.acknowledge('c2', id, true, caller);
  });

  it('leave out what is acknowledged or silenced', async () => {
    const found = await numbers();
    assert.equal(found.size, clusterCount);
    const shown = ['c1', 'c2'].map((id) => found.get(id));
    assert.deepEqual(
      shown.map((one) => [one?.firing, one?.open, one?.level]),
      [
        [100, 98, 'ERROR'],
        [100, 49, 'WARN'],
      ],
    );
  });

  it('are counted in turns of a few alerts, and lack a cluster that is removed meanwhile', async () => {
    let isCounted = false;
    const counting = numbers().finally(() => {
      isCounted = true;
    });
    let turns = 0;
    for (; !isCounted; turns += 1) {
      await nextTurn();
      if (turns === 10) clusters.remove('c99');
    }
    const found = await counting;
    assert.ok(turns >= 900, `${turns} turns`);
    assert.equal(found.size, clusterCount - 1);
    assert.equal(found.get('c98')?.firing, 100);
    assert.equal(found.has('c99'), false);
  });

  it('lack the alerts of a deleted rule that have not cleared yet', async () => {
    const [rule] = bench.rules.list('c3');
    let judge = () => {};
    judging = new Promise((resolve) => {
      judge = resolve;
    });
    const deleted = bench.rules.delete('c3', rule?.id ?? '', caller);
    assert.equal(bench.alerts.firingCount('c3'), 100);
    assert.equal((await numbers()).get('c3')?.firing, 50);
    judge();
    await deleted;
    assert.equal(bench.alerts.firingCount('c3'), 50);
  });

  it('are refused with 503 while 32 others wait', async () => {
    const routes = routesOn(stoppedClock);
    const asked = Array.from({ length: 34 }, () => ask(routes));
    const replies = await Promise.all(asked);
    assert.deepEqual(
      replies.map(({ status }) => status),
      [...Array(33).fill(200), 503],
    );
    assert.equal(replies.at(-1)?.headers['retry-after'], '5');
  });
});
