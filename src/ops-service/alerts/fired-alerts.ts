// The alerts of all clusters: evaluated at every interval, listed while they fire, stored at every transition.
import { getOrMake } from '../../foundation/get-or-make.js';
import type { Clock } from '../../foundation/telemetry/clock.js';
import type { LongWork } from '../../foundation/threads/long-work.js';
import type { Cluster } from '../clusters/cluster.js';
import { OpsError } from '../errors/ops-error.js';
import type { Alert, AlertChange, AppendEvent, Caller } from '../events/event.js';
import type { LatestSamples } from '../metrics/latest-samples.js';
import type { Store } from '../store/store.js';
import { alertOf, messageOf, summaryOf } from './alert.js';
import { type AlertRecord, dropAlert, keepAlert, readAlertRecords, writeAlert } from './alert-records.js';
import { restoredState } from './alert-state.js';
import { type JudgedCluster, judgedNode, type Rule, whyOver } from './rule.js';
import type { RuleRepository } from './rule-repository.js';
import { kindOf } from './rules/registry.js';
import {
  judgeAgain,
  judgeRule,
  resetStanding,
  type Standing,
  type StandingChange,
  type Standings,
} from './standings.js';
import type { ReadStored } from './stored-condition.js';

/** What the alerts need from outside. */
export interface FiredAlertsParts {
  readonly store: Store;
  readonly rules: RuleRepository;
  readonly clock: Clock;
  readonly appendEvent: AppendEvent;
  /** A new UUID. */
  readonly newId: () => string;
  readonly readStored: ReadStored;
  /** Evaluates one piece of work at a time. */
  readonly work: Pick<LongWork, 'run'>;
  /** The interval between two readings of the metrics. */
  readonly intervalMs: number;
}

/** A change of only these fields does not affect the state of alerts. */
const harmlessFields: readonly string[] = ['notify_interval', 'level', 'annotations', 'no_data'];
/** Values count as missing after this time or after three intervals, whichever is longer. */
const shortestGapMs = 60_000;

/** The alerts of all clusters. */
export class FiredAlerts {
  readonly #parts: FiredAlertsParts;
  readonly #gapMs: number;
  /** The standings by cluster and rule. */
  readonly #standings = new Map<string, Map<string, Standings>>();
  /** The firing alerts by cluster and id: thousands of notices look up theirs. */
  readonly #listed = new Map<string, Map<string, Standing>>();
  readonly #judged = new Map<string, JudgedCluster>();

  /**
   * Restores the alerts that fired before the start; pending conditions begin again. Alerts of deleted or disabled
   * rules are not restored: `endLeftAlerts` reports their ends.
   */
  constructor(parts: FiredAlertsParts) {
    this.#parts = parts;
    this.#gapMs = Math.max(3 * parts.intervalMs, shortestGapMs);
    const atMs = parts.clock.monotonicMs();
    for (const record of readAlertRecords(parts.store)) {
      const rule = parts.rules.find(record.clusterId, record.ruleId);
      if (whyOver(rule) === undefined) this.#restore(record, atMs);
      else dropAlert(parts.store, record);
    }
  }

  /**
   * Evaluates every rule of a cluster with the samples of `atMs`, on the monotonic clock; samples of other times are
   * ignored. Called once after each reading, also after a failed one; the samples must not change until it resolves.
   */
  judge(cluster: Cluster, samples: LatestSamples, atMs: number): Promise<void> {
    return this.#parts.work.run(this.#judgeCluster(cluster, samples, atMs));
  }

  *#judgeCluster(cluster: Cluster, samples: LatestSamples, atMs: number): Generator<void, void> {
    const { clock, rules } = this.#parts;
    const judged: JudgedCluster = {
      isLoaded: cluster.isLoaded !== false,
      nodes: cluster.nodes.map(judgedNode),
      tables: new Set(cluster.tables),
      samples,
      atMs,
      nowMs: clock.nowMs(),
      gapMs: this.#gapMs,
    };
    this.#judged.set(cluster.id, judged);
    for (const rule of rules.list(cluster.id)) {
      if (rule.enabled === 0) continue;
      // Between two steps the rule or the cluster may have been changed or removed.
      if (this.#judged.get(cluster.id) !== judged) return;
      if (rules.find(cluster.id, rule.id) !== rule) continue;
      const standings = this.#standingsOf(cluster.id, rule.id);
      for (const change of judgeRule(rule, standings, judged)) {
        this.#apply(cluster.id, rule, change);
        yield;
        if (rules.find(cluster.id, rule.id) !== rule) break;
      }
    }
  }

  /** The firing alerts of a cluster, by time of firing, then by id. */
  list(clusterId: string): readonly Alert[] {
    const alerts = [...(this.#listed.get(clusterId)?.keys() ?? [])].flatMap(
      (id) => this.find(clusterId, id) ?? [],
    );
    return alerts.sort(
      (left, right) => left.first_fired - right.first_fired || (left.id < right.id ? -1 : 1),
    );
  }

  /** The firing alerts of a cluster in no order, read one by one; null for one that is about to clear. */
  *firing(clusterId: string): Generator<Alert | null, void> {
    for (const id of this.#listed.get(clusterId)?.keys() ?? []) yield this.find(clusterId, id) ?? null;
  }

  /** How many alerts of a cluster fire or are about to clear. */
  firingCount(clusterId: string): number {
    return this.#listed.get(clusterId)?.size ?? 0;
  }

  /** The alert, if it is firing. */
  find(clusterId: string, alertId: string): Alert | undefined {
    const found = this.#findListed(clusterId, alertId);
    return found === undefined ? undefined : alertOf(found.standing, found.rule);
  }

  /**
   * Sets or removes the acknowledgement of an alert; does nothing if nothing changes.
   * @throws OpsError `NotFound` when it is not firing, `Unavailable` on a full disk
   */
  acknowledge(clusterId: string, alertId: string, isAcknowledged: boolean, caller: Caller): void {
    const found = this.#findListed(clusterId, alertId);
    if (found === undefined) {
      throw new OpsError('NotFound', `no alert ${alertId} is firing in the cluster ${clusterId}`);
    }
    const { standing, rule } = found;
    if (found.record.isAcknowledged === isAcknowledged) return;
    const record = { ...found.record, isAcknowledged };
    this.#parts.store.change(writeAlert(record));
    standing.record = record;
    const kind = isAcknowledged ? 'acknowledged' : 'unacknowledged';
    const reason = `${kind} by ${caller.user === '' ? caller.address : caller.user}`;
    this.#report(clusterId, rule, standing, kind, reason, caller);
  }

  /**
   * Applies the change of a rule, or its deletion (`after` undefined). Resolves when its alerts have been evaluated
   * again, or have cleared.
   */
  async ruleChanged(clusterId: string, before: Rule, after: Rule | undefined): Promise<void> {
    if (!this.#standings.get(clusterId)?.has(before.id)) return;
    const { work } = this.#parts;
    const reason = whyOver(after);
    if (reason !== undefined) await work.run(this.#clearAll(clusterId, after ?? before, reason));
    else if (after !== undefined && hasChanged(before, after))
      await work.run(this.#judgeAgain(clusterId, before, after));
  }

  /** Forgets the alerts of a removed cluster. */
  forgetCluster(clusterId: string): void {
    for (const { record } of this.#listed.get(clusterId)?.values() ?? []) {
      if (record !== undefined) dropAlert(this.#parts.store, record);
    }
    this.#listed.delete(clusterId);
    this.#standings.delete(clusterId);
    this.#judged.delete(clusterId);
  }

  #restore(record: AlertRecord, atMs: number): void {
    const standing: Standing = {
      key: record.key,
      target: record.target,
      memory: undefined,
      state: restoredState(record.isAboutNoData),
      record,
      value: record.value,
      verdictMs: atMs,
      seenMs: Number.NEGATIVE_INFINITY,
    };
    this.#standingsOf(record.clusterId, record.ruleId).set(record.key, standing);
    this.#enlist(record, standing);
  }

  #enlist({ clusterId, id }: AlertRecord, standing: Standing): void {
    getOrMake(this.#listed, clusterId, () => new Map<string, Standing>()).set(id, standing);
  }

  /** Undefined if it is not firing, or if its rule was deleted and it is about to clear. */
  #findListed(
    clusterId: string,
    alertId: string,
  ): { readonly standing: Standing; readonly record: AlertRecord; readonly rule: Rule } | undefined {
    const standing = this.#listed.get(clusterId)?.get(alertId);
    const record = standing?.record;
    const rule = record === undefined ? undefined : this.#parts.rules.find(clusterId, record.ruleId);
    return standing === undefined || record === undefined || rule === undefined
      ? undefined
      : { standing, record, rule };
  }

  #standingsOf(clusterId: string, ruleId: string): Standings {
    const byRule = getOrMake(this.#standings, clusterId, () => new Map<string, Standings>());
    return getOrMake(byRule, ruleId, (): Standings => new Map());
  }

  *#clearAll(clusterId: string, rule: Rule, reason: string): Generator<void, void> {
    const standings = this.#standings.get(clusterId)?.get(rule.id);
    for (const standing of standings?.values() ?? []) {
      resetStanding(standing, this.#parts.clock.monotonicMs());
      this.#clear(clusterId, rule, standing, reason);
      yield;
    }
    this.#standings.get(clusterId)?.delete(rule.id);
  }

  *#judgeAgain(clusterId: string, before: Rule, after: Rule): Generator<void, void> {
    const judged = this.#judged.get(clusterId);
    // The cluster was not evaluated since the start, so its first samples decide.
    if (judged === undefined) return;
    const stored = yield* this.#parts.readStored(clusterId, after, judged.nowMs);
    const standings = this.#standingsOf(clusterId, after.id);
    for (const change of judgeAgain(before, after, standings, judged, stored)) {
      this.#apply(clusterId, after, change);
      yield;
    }
  }

  #apply(clusterId: string, rule: Rule, change: StandingChange | undefined): void {
    if (change === undefined) return;
    const { standing, transition } = change;
    if (transition?.kind === 'cleared') {
      this.#clear(clusterId, rule, standing, transition.reason);
      return;
    }
    const { key, target, state, value, record } = standing;
    if (state.phase !== 'firing') return;
    const { isAboutNoData } = state;
    if (transition === undefined) {
      if (record === undefined) return;
      standing.record = { ...record, isAboutNoData };
      keepAlert(this.#parts.store, standing.record);
      return;
    }
    standing.record = {
      clusterId,
      ruleId: rule.id,
      key,
      id: this.#parts.newId(),
      target,
      firstFired: Math.floor(this.#parts.clock.nowMs() / 1000),
      value,
      isAboutNoData,
      isAcknowledged: false,
    };
    this.#enlist(standing.record, standing);
    keepAlert(this.#parts.store, standing.record);
    const why = isAboutNoData ? transition.reason : kindOf(rule).conditionOf(rule, target, value);
    this.#report(clusterId, rule, standing, 'fired', why);
  }

  #clear(clusterId: string, rule: Rule, standing: Standing, reason: string): void {
    const { record } = standing;
    if (record === undefined) return;
    dropAlert(this.#parts.store, record);
    this.#report(clusterId, rule, standing, 'cleared', reason);
    standing.record = undefined;
    this.#listed.get(clusterId)?.delete(record.id);
  }

  /** Writes the event of a change; listeners of events also get the change. */
  #report(
    clusterId: string,
    rule: Rule,
    standing: Standing,
    kind: AlertChange['kind'],
    reason: string,
    caller?: Caller,
  ): void {
    this.#parts.appendEvent(clusterId, {
      action: actionOf[kind],
      level: kind === 'fired' ? rule.level : 'INFO',
      message: messageOf(kind, kindOf(rule).subjectOf(rule, standing.target), reason),
      ...(standing.target.node === '' ? {} : { sourceNode: standing.target.node }),
      ...(caller === undefined ? {} : { caller, success: true }),
      change: { kind, alert: alertOf(standing, rule), rule: summaryOf(rule), reason },
    });
  }
}

const actionOf = {
  fired: 'alertFired',
  cleared: 'alertCleared',
  acknowledged: 'alertAcknowledged',
  unacknowledged: 'alertAcknowledged',
} as const;

function hasChanged(before: Rule, after: Rule): boolean {
  const judgedPart = (rule: Rule) =>
    JSON.stringify(
      Object.entries(rule)
        .filter(([name]) => !harmlessFields.includes(name))
        .sort(),
    );
  return judgedPart(before) !== judgedPart(after);
}
