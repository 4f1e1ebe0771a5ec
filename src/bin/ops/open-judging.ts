// Opens the parts that read metrics and evaluate alert rules.
import { LongWork } from '../../foundation/threads/long-work.js';
import { FiredAlerts } from '../../ops-service/alerts/fired-alerts.js';
import { RuleRepository } from '../../ops-service/alerts/rule-repository.js';
import { readStoredFrom } from '../../ops-service/alerts/stored-condition.js';
import { watchClock } from '../../ops-service/metrics/clock-watch.js';
import { Collector } from '../../ops-service/metrics/collector.js';
import { Series } from '../../ops-service/metrics/series.js';
import type { SharedParts } from './open-shared-parts.js';

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

/**
 * Rules, alerts and series of all clusters. `onRuleChange` is called when the alerts of a changed rule have been
 * evaluated again.
 */
export function openJudging(
  shared: SharedParts,
  onRuleChange: (clusterId: string, ruleId: string) => void,
): OpenJudging {
  const { clock, config, clusters, appendEvent } = shared;
  const rules = new RuleRepository({
    ...shared,
    onChange: async (clusterId, before, after) => {
      await alerts.ruleChanged(clusterId, before, after);
      if (after !== undefined) onRuleChange(clusterId, after.id);
    },
  });
  const series = new Series(shared);
  const readStored = readStoredFrom(series, clock);
  // Needs no limit: at most one reading of each cluster, and one change of a rule for each connection, can wait.
  const work = new LongWork(clock, Number.POSITIVE_INFINITY);
  const measured = { ...shared, series, intervalMs: config.metricsIntervalSeconds * 1000 };
  const alerts: FiredAlerts = new FiredAlerts({ ...measured, rules, readStored, work });
  const collector = new Collector({ ...measured, clusters: () => clusters.list(), alerts });
  const lookAtClock = watchClock(clock, appendEvent);
  const ticks = [lookAtClock, () => collector.tick(), () => series.tick()];
  return { rules, alerts, series, ticks, settled: () => collector.settled() };
}
