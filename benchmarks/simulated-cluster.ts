// A cluster of simulated nodes that gives values of every metric, and the real parts that judge and keep them.
import { openDatabase } from '../src/foundation/sqlite/open-database.js';
import type { Clock } from '../src/foundation/telemetry/clock.js';
import { createLogger } from '../src/foundation/telemetry/logger.js';
import { doSteps, type LongWork } from '../src/foundation/threads/long-work.js';
import { alertMigrations } from '../src/ops-service/alerts/alert-migrations.js';
import { FiredAlerts } from '../src/ops-service/alerts/fired-alerts.js';
import type { StoredMinute } from '../src/ops-service/alerts/rule.js';
import { RuleRepository } from '../src/ops-service/alerts/rule-repository.js';
import type { Cluster, ClusterNode, Reading } from '../src/ops-service/clusters/cluster.js';
import type { Event } from '../src/ops-service/events/event.js';
import { LatestSamples } from '../src/ops-service/metrics/latest-samples.js';
import { metricKeys } from '../src/ops-service/metrics/metric-keys.js';
import { Series } from '../src/ops-service/metrics/series.js';
import { metricMigrations } from '../src/ops-service/metrics/series-index.js';
import { Store } from '../src/ops-service/store/store.js';

/** How large the simulation is. */
export interface SimulationPlan {
  readonly nodes: number;
  /** Values that each node gives. */
  readonly metrics: number;
  readonly rules: number;
  /** The file of rules and series. */
  readonly file: string;
}

/** The default between two readings. */
export const intervalMs = 10_000;

/** The parts at work; time passes with `tick` alone. */
export interface Simulation {
  /** One interval: readings, series, judging. */
  tick(): void;
  /** The readings and the judging alone. */
  judge(): void;
  /** The readings and the series alone. */
  keep(): void;
  readonly firedCount: number;
  close(): void;
}

const atOnce: Pick<LongWork, 'run'> = { run: async (steps) => doSteps(steps) };

function* noMinutes(): Generator<void, () => readonly StoredMinute[]> {
  return () => [];
}

/** Makes the parts, with rules on plain metrics whose thresholds a tenth of the values pass. */
export function simulate(plan: SimulationPlan): Simulation {
  const now = { ms: Date.UTC(2026, 0, 1) };
  const clock: Clock = { nowMs: () => now.ms, monotonicMs: () => now.ms };
  const database = openDatabase({ path: plan.file, cacheSizeBytes: 2 * 1024 * 1024 });
  for (const { sql } of [...alertMigrations, ...metricMigrations]) database.exec(sql);
  const store = new Store(database, createLogger('error'));
  let ids = 0;
  const newId = () => `${(ids++).toString().padStart(12, '0')}`;
  let firedCount = 0;
  const appendEvent = () => {
    firedCount += 1;
    return {} as Event; // nobody looks at it
  };
  const rules = new RuleRepository({ store, appendEvent, newId, onChange: () => Promise.resolve() });
  const cluster = makeCluster(plan);
  const keys = plainKeys();
  const caller = { user: 'benchmark', address: '127.0.0.1' };
  for (let at = 0; at < plan.rules; at += 1) {
    const metric = keys[at % keys.length];
    rules.create(cluster, { type: 'rolling-avg', metric, threshold: 90, duration: 1 }, caller);
  }
  const around = { store, clock, work: atOnce, readStored: noMinutes };
  const alerts = new FiredAlerts({ ...around, rules, appendEvent, newId, intervalMs });
  const samples = new LatestSamples();
  const series = new Series({ store, clock, logger: createLogger('error') });
  let round = 0;
  const read = () => {
    now.ms += intervalMs;
    round += 1;
    return readingsOf(cluster.nodes, plan.metrics, round);
  };
  const judgeThese = (readings: readonly Reading[]) => {
    samples.accept(readings, now.ms);
    void alerts.judge(cluster, samples, now.ms); // done when the call returns: there is one turn for all of it
  };
  const keepThese = (readings: readonly Reading[]) => {
    series.accept(cluster.id, readings);
    series.tick();
  };
  return {
    tick() {
      const readings = read();
      keepThese(readings);
      judgeThese(readings);
      store.flush();
    },
    judge() {
      judgeThese(read());
      store.flush();
    },
    keep() {
      keepThese(read());
      store.flush();
    },
    get firedCount() {
      return firedCount;
    },
    close: () => store.close(),
  };
}

function plainKeys(): readonly string[] {
  return metricKeys.filter(({ scope, hasParts }) => scope === 'node' && !hasParts).map(({ key }) => key);
}

/** The plain metrics of a node first; the rest are of tables. A value changes with every round. */
function readingsOf(nodes: readonly ClusterNode[], metrics: number, round: number): readonly Reading[] {
  const keys = plainKeys();
  const readings: Reading[] = [];
  nodes.forEach(({ address: node }, nodeAt) => {
    for (let at = 0; at < metrics; at += 1) {
      const value = (nodeAt * 31 + at * 17 + Math.floor(round / 6) * 7) % 100;
      const key = keys[at] ?? 'cf-read-ops';
      readings.push(at < keys.length ? { node, key, value } : { node, key, table: `ks.t${at}`, value });
    }
  });
  return readings;
}

function makeCluster({ nodes: count, metrics }: SimulationPlan): Cluster {
  const nodes = Array.from({ length: count }, (_, at): ClusterNode => {
    const address = `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`;
    const known = { dc: `dc${at % 3}`, rack: null, hostname: null, state: 'up', lastSeenMs: null } as const;
    return { address, ...known, loadBytes: null, version: null, os: null };
  });
  const refuse = () => Promise.reject(new Error('not simulated'));
  return {
    id: 'simulated',
    nodes,
    keyspaces: ['ks'],
    tables: Array.from({ length: metrics }, (_, at) => `ks.t${at}`),
    histograms: { parts: [], takesWindow: true },
    readMetrics: refuse,
    metricSource: () => undefined,
    act: refuse,
    runNative: refuse,
    close: () => Promise.resolve(),
  };
}
