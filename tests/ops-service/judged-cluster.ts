// A cluster whose nodes, readings and clock are set by a test, with real rules and alerts on a file in memory.
import { openDatabase } from '../../src/foundation/sqlite/open-database.js';
import type { Clock } from '../../src/foundation/telemetry/clock.js';
import { createLogger } from '../../src/foundation/telemetry/logger.js';
import { doSteps, type LongWork } from '../../src/foundation/threads/long-work.js';
import { alertMigrations } from '../../src/ops-service/alerts/alert-migrations.js';
import { FiredAlerts } from '../../src/ops-service/alerts/fired-alerts.js';
import { RuleRepository } from '../../src/ops-service/alerts/rule-repository.js';
import { readStoredFrom } from '../../src/ops-service/alerts/stored-condition.js';
import type { Cluster, ClusterNode, Reading } from '../../src/ops-service/clusters/cluster.js';
import type { AlertChange, Caller, Event, NewEvent } from '../../src/ops-service/events/event.js';
import { LatestSamples } from '../../src/ops-service/metrics/latest-samples.js';
import { Series } from '../../src/ops-service/metrics/series.js';
import { metricMigrations } from '../../src/ops-service/metrics/series-index.js';
import { Store } from '../../src/ops-service/store/store.js';

/** A cluster that a test moves. */
export interface JudgedBench {
  /** Changed by tests; what is read at the next tick. */
  readings: readonly Reading[];
  nodes: ClusterNode[];
  tables: string[];
  readonly cluster: Cluster;
  readonly rules: RuleRepository;
  readonly alerts: FiredAlerts;
  readonly series: Series;
  nowMs(): number;
  readonly changes: AlertChange[];
  readonly events: NewEvent[];
  /** Resolves when the last tick has been judged; with work that is done at once that is when `tick` returns. */
  judged: Promise<void>;
  /** Moves both clocks, then takes the readings and judges. */
  tick(seconds?: number): void;
  /** Moves the wall clock alone. */
  jump(seconds: number): void;
  /** Opens the file after a restart of the process; what was in memory is gone. */
  restart(): JudgedBench;
}

/** Who asks in these tests. */
export const caller: Caller = { user: 'ann', address: '127.0.0.1' };

/** A node that is up. */
export function nodeAt(address: string, changes: Partial<ClusterNode> = {}): ClusterNode {
  return {
    address,
    dc: 'dc1',
    rack: null,
    hostname: null,
    state: 'up',
    lastSeenMs: null,
    loadBytes: null,
    version: null,
    os: null,
    ...changes,
  };
}

/** A bench with one node `10.0.0.1`, one table `ks.t`, an interval of 10 s and no rule. `work`: how it judges. */
export function makeBench(work: Pick<LongWork, 'run'> = atOnce): JudgedBench {
  const database = openDatabase({ path: ':memory:' });
  for (const { sql } of [...metricMigrations, ...alertMigrations]) database.exec(sql);
  database.exec('DELETE FROM rules');
  const logger = createLogger('silent');
  return benchOn(new Store(database, logger), work, { wallMs: 1_700_000_000_000, monotonicMs: 0 });
}

const atOnce: Pick<LongWork, 'run'> = { run: async (steps) => doSteps(steps) };

function benchOn(
  store: Store,
  work: Pick<LongWork, 'run'>,
  now: { wallMs: number; monotonicMs: number },
): JudgedBench {
  const clock: Clock = { nowMs: () => now.wallMs, monotonicMs: () => now.monotonicMs };
  let ids = 0;
  const newId = () => `${String(now.wallMs)}-${(ids++).toString().padStart(4, '0')}`;
  const events: NewEvent[] = [];
  const changes: AlertChange[] = [];
  const appendEvent = (_: string, event: NewEvent) => {
    events.push(event);
    if (event.change !== undefined) changes.push(event.change);
    return asEvent(event);
  };
  const rules = new RuleRepository({
    store,
    appendEvent,
    newId,
    onChange: (clusterId, before, after) => alerts.ruleChanged(clusterId, before, after),
  });
  const series = new Series({ store, clock, logger: createLogger('silent') });
  const readStored = readStoredFrom(series, clock);
  const around = { store, rules, clock, appendEvent, readStored, work, newId };
  const alerts: FiredAlerts = new FiredAlerts({ ...around, intervalMs: 10_000 });
  const samples = new LatestSamples();
  const bench: JudgedBench = {
    readings: [],
    nodes: [nodeAt('10.0.0.1')],
    tables: ['ks.t'],
    cluster: clusterOf(() => bench),
    rules,
    alerts,
    series,
    nowMs: () => now.wallMs,
    changes,
    events,
    judged: Promise.resolve(),
    tick(seconds = 10) {
      now.wallMs += seconds * 1000;
      now.monotonicMs += seconds * 1000;
      samples.accept(bench.readings, now.monotonicMs);
      series.accept('local', bench.readings);
      series.tick();
      bench.judged = alerts.judge(bench.cluster, samples, now.monotonicMs);
    },
    jump(seconds) {
      now.wallMs += seconds * 1000;
    },
    restart() {
      store.flush();
      now.monotonicMs = 0;
      const next = benchOn(store, work, now);
      next.nodes = bench.nodes;
      next.tables = bench.tables;
      return next;
    },
  };
  return bench;
}

function clusterOf(bench: () => JudgedBench): Cluster {
  const refuse = () => Promise.reject(new Error('not part of these tests'));
  return {
    id: 'local',
    get nodes() {
      return bench().nodes;
    },
    get tables() {
      return bench().tables;
    },
    keyspaces: ['ks'],
    histograms: { parts: ['MIN', 'P50', 'P90', 'P99', 'MAX'], takesWindow: true },
    readMetrics: () => Promise.resolve(bench().readings),
    metricSource: () => undefined,
    act: refuse,
    runNative: refuse,
    close: () => Promise.resolve(),
  };
}

function asEvent(event: NewEvent): Event {
  return {
    action: 0,
    api_source_ip: '127.0.0.1',
    event_source: 'Colonnade',
    level: 0,
    level_str: event.level,
    message: event.message,
    source_node: event.sourceNode ?? '127.0.0.1',
    success: event.success ?? null,
    target_node: null,
    time: '0',
    user: event.caller?.user ?? 'system',
  };
}
