// Opens the parts that read metrics and evaluate alert rules.
import { resolve } from 'node:path';
import { directoryBytes } from '../../foundation/machine/directory-size.js';
import { readMachine } from '../../foundation/machine/read-machine.js';
import { LongWork } from '../../foundation/threads/long-work.js';
import { FiredAlerts } from '../../ops-service/alerts/fired-alerts.js';
import { RuleRepository } from '../../ops-service/alerts/rule-repository.js';
import { readStoredFrom } from '../../ops-service/alerts/stored-condition.js';
import { LocalMetrics } from '../../ops-service/clusters/local-metrics.js';
import type { ClusterRegistry } from '../../ops-service/clusters/registry.js';
import type { EventLog } from '../../ops-service/events/event-log.js';
import { watchClock } from '../../ops-service/metrics/clock-watch.js';
import { Collector } from '../../ops-service/metrics/collector.js';
import { Series } from '../../ops-service/metrics/series.js';
import type { Store } from '../../ops-service/store/store.js';
import { engineModules } from '../engines/registry.js';
import type { OpsSurroundings } from './ops-surroundings.js';

/** The parts that read metrics and evaluate rules. */
export interface OpenJudging {
  readonly rules: RuleRepository;
  readonly alerts: FiredAlerts;
  readonly series: Series;
  /** The functions to call every second, in this order. */
  readonly ticks: readonly (() => void)[];
  /** Resolves when all readings under way have ended. */
  settled(): Promise<void>;
}

const noSizes: ReadonlyMap<string, number> = new Map();

/** The metrics of the process and the machine. */
export function openLocalMetrics({ data, clock, logger, dataService }: OpsSurroundings): LocalMetrics {
  const dataDir = resolve(data.config.dataDir);
  return new LocalMetrics({
    clock,
    logger,
    dataService,
    readMachine: () => readMachine(dataDir),
    readDataBytes: () => directoryBytes(dataDir, data.opsDir),
    readTableBytes: async (signal) =>
      (await engineModules[data.config.engine].readTableBytes?.(dataDir, signal)) ?? noSizes,
  });
}

/** Rules, alerts and series of all clusters. */
export function openJudging(
  { data, clock, logger, noteWork }: OpsSurroundings,
  layers: {
    readonly store: Store;
    readonly events: EventLog;
    readonly clusters: ClusterRegistry;
    readonly newId: () => string;
    /** Called when the alerts of a changed rule have been evaluated again. */
    onRuleChange(clusterId: string, ruleId: string): void;
  },
): OpenJudging {
  const { store, events, clusters, newId, onRuleChange } = layers;
  const intervalMs = data.config.metricsIntervalSeconds * 1000;
  const appendEvent = events.append.bind(events);
  const rules = new RuleRepository({
    store,
    appendEvent,
    newId,
    onChange: async (clusterId, before, after) => {
      await alerts.ruleChanged(clusterId, before, after);
      if (after !== undefined) onRuleChange(clusterId, after.id);
    },
  });
  const series = new Series({ store, clock, logger });
  const readStored = readStoredFrom(series, clock);
  // Needs no limit: at most one reading of each cluster, and one change of a rule for each connection, can wait.
  const work = new LongWork(clock, Number.POSITIVE_INFINITY);
  const alerts: FiredAlerts = new FiredAlerts({
    store,
    rules,
    clock,
    appendEvent,
    readStored,
    work,
    newId,
    intervalMs,
  });
  const collector = new Collector({
    clock,
    logger,
    intervalMs,
    clusters: () => clusters.list(),
    series,
    alerts,
    noteWork,
  });
  const lookAtClock = watchClock(clock, appendEvent, 'local');
  const ticks = [lookAtClock, () => collector.tick(), () => series.tick()];
  return { rules, alerts, series, ticks, settled: () => collector.settled() };
}
