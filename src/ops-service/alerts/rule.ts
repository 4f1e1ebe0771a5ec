// Alert rules as they are stored, and the interface of their kinds.
import type * as v from 'valibot';
import type { Cluster, ClusterNode, HistogramOffer } from '../clusters/cluster.js';
import type { ErrorDetail } from '../errors/ops-error.js';
import type { LevelName } from '../events/event.js';
import type { LatestSamples } from '../metrics/latest-samples.js';

/** A rule with all defaults. The fields have the names of the API; minutes may have a fraction. */
export interface Rule {
  readonly id: string;
  /** The name of its kind. */
  readonly type: string;
  /** Minutes for which the condition must hold before the alert fires. */
  readonly duration: number;
  /** Minutes between repeated notices; 0 for no repetition. */
  readonly notify_interval: number;
  readonly enabled: 0 | 1;
  readonly level: LevelName;
  /** The effect of missing values: none, clear the alert, or fire one. */
  readonly no_data: 'keep' | 'ok' | 'alert';
  /** The data center whose nodes the rule is about; without it, the rule is about all nodes. */
  readonly dc?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The schemas of fields by their names in the API. Replies write numbers with a decimal point. */
export type RuleFields = Readonly<Record<string, v.GenericSchema>>;

/** The target of a rule: a node, table, device or data center. Members that do not apply are empty or null. */
export interface Target {
  readonly node: string;
  readonly dc: string | null;
  readonly table: string | null;
  readonly device: string | null;
}

/** A target with its present observation. */
export interface Observation<Seen extends Observed = Observed> {
  /** Identifies the target within the rule, also after restarts. */
  readonly key: string;
  readonly target: Target;
  /** Undefined if there is no observation. */
  readonly observed: Seen | undefined;
}

/** The observation of a target; each kind of rule has its own form. */
export interface Observed {
  /** The time is on the monotonic clock. */
  readonly atMs: number;
  readonly value: number;
}

/** The evaluation of a rule for one target at one moment. */
export interface Verdict {
  readonly value: number;
  /** The condition holds. */
  readonly isBeyond: boolean;
  /** A firing alert may clear: the condition does not hold, not even with `resolve_threshold`. */
  readonly isResolved: boolean;
  /** There is a value, but another alert is about it: this one neither fires nor clears. */
  readonly isHeld?: boolean;
}

/** The result of a step: the new memory, and the verdict; undefined if there is none. */
export interface Judgement<Memory = unknown> {
  readonly memory: Memory | undefined;
  readonly verdict: Verdict | undefined;
}

/** A node, with the target of rules about the whole node. */
export interface JudgedNode extends ClusterNode {
  readonly target: Target;
}

/** A cluster at the moment of evaluation. */
export interface JudgedCluster {
  /** False while nodes and tables are unknown: unlisted ones may still exist. */
  readonly isLoaded: boolean;
  readonly nodes: readonly JudgedNode[];
  /** `keyspace.table` of all tables. */
  readonly tables: ReadonlySet<string>;
  readonly samples: LatestSamples;
  /** The present time, on the monotonic clock and on the wall clock. */
  readonly atMs: number;
  readonly nowMs: number;
  /** After this time without a value, the value is missing: three intervals, at least 60 s. */
  readonly gapMs: number;
}

/** The parts of a cluster that the check of a rule uses. */
export type RuleContext = Pick<Cluster, 'id'> & { readonly histograms: HistogramOffer };

/** The values of a metric in one minute. */
export interface StoredMinute {
  /** The beginning of the minute, milliseconds since 1970. */
  readonly atMs: number;
  readonly min: number;
  readonly max: number;
}

/** The stored series whose values a rule evaluates. */
export interface StoredSource {
  /** A key of the table of metric keys, or an alias. */
  readonly key: string;
  /** The part of a distribution; the empty text for other metrics. */
  readonly part: string;
  /** The duration that one value sums up, in milliseconds. */
  readonly windowMs: number;
}

/** The functions of kinds that compare a metric. */
export interface ComparedMetric<R extends Rule> {
  /** The name in the rule: a key of the table of metric keys, or an alias. */
  nameOf(rule: R): string;
  /** The only tables and devices of the rule. */
  placesOf(rule: R): readonly string[];
  /** Whether the metrics are distributions. */
  readonly isDistribution: boolean;
  /** The part of a distribution, as in series; the empty text for other metrics. */
  partOf(rule: R): string;
  /** The duration that one value sums up, in milliseconds. */
  windowMs(rule: R): number;
  /** Whether every value of the minute was beyond. */
  isBeyond(rule: R, minute: StoredMinute): boolean;
}

/**
 * One kind of rule, with everything that depends on the kind. All functions are pure. `Seen` is the form of its
 * observations, `Memory` the form of what it keeps for a target between two samples; a step may change the memory that
 * it gets.
 */
export interface RuleKind<R extends Rule = Rule, Seen extends Observed = Observed, Memory = unknown> {
  readonly type: R['type'];
  /** What a rule fires on, as the choice of a form: `the average of a metric`. */
  readonly label: string;
  /** When it fires, for documents, with names of fields as code. */
  readonly help: string;
  /** The condition of a rule in words, without duration and places; `{threshold}` stands for the value of a field. */
  readonly condition: string;
  /** The fields in addition to the common ones. */
  readonly fields: RuleFields;
  /** The names of its required fields. */
  readonly needs: readonly string[];
  /** The defaults of its optional fields. */
  readonly defaults: Readonly<Record<string, unknown>>;
  /** A firing alert means that its node is down: other notices about the node are held. */
  readonly marksNodeDown: boolean;
  /** Only kinds that compare a metric have it. */
  readonly metric?: ComparedMetric<R>;
  /** The series that a preview reads. A kind without this function evaluates no stored values. */
  stored?(rule: R): StoredSource;
  /** Problems between fields that are each valid. */
  check(rule: R, context: RuleContext): readonly ErrorDetail[];
  /** Every target of the rule with its present observation. */
  observe(rule: R, cluster: JudgedCluster): Iterable<Observation<Seen>>;
  /** Evaluates one target. The same inputs give the same result; the step may change the memory. */
  step(rule: R, memory: Memory | undefined, observed: Seen | undefined, atMs: number): Judgement<Memory>;
  /** Identifies what is measured: while the text stays the same, earlier values still count. */
  measureOf(rule: R): string;
  /** Whether every value that was beyond before a change of the rule is beyond after it. */
  isLooser(before: R, after: R): boolean;
  /** Whether the value of a firing alert is beyond after a change of the rule. */
  isStillBeyond(rule: R, value: number): boolean;
  /** Whether a target belongs to the rule. */
  isInScope(rule: R, target: Target): boolean;
  /** Why a target no longer exists, in words; undefined if it may exist. The cluster is loaded. */
  whyGone(rule: R, target: Target, cluster: JudgedCluster): string | undefined;
  /** The subject of messages: `os-disk-usage of /data on 10.0.0.1`. */
  subjectOf(rule: R, target: Target): string;
  /** The condition that holds, for messages: `value 93.2 above 85 for 5 minutes`. */
  conditionOf(rule: R, target: Target, value: number): string;
}

/** A node as rules about nodes evaluate it. */
export function judgedNode(node: ClusterNode): JudgedNode {
  return { ...node, target: { node: node.address, dc: node.dc, table: null, device: null } };
}

/** The nodes of a rule. */
export function nodesOf(rule: Rule, { nodes }: JudgedCluster): readonly JudgedNode[] {
  return rule.dc === undefined ? nodes : nodes.filter(({ dc }) => dc === rule.dc);
}

/** Whether a target is in the data center of the rule. */
export function isInDc({ dc }: Rule, target: Target): boolean {
  return dc === undefined || target.dc === dc;
}

/** Why alerts of a rule can no longer fire, in words; undefined if they can. An undefined rule was deleted. */
export function whyOver(rule: Rule | undefined): string | undefined {
  if (rule === undefined) return 'rule deleted';
  return rule.enabled === 0 ? 'rule disabled' : undefined;
}

/** Converts minutes to milliseconds. */
export function minutesMs(minutes: number): number {
  return minutes * 60_000;
}

/** `1 minute`, `0.5 minutes`. */
export function minutesText(minutes: number): string {
  return `${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`;
}

/** How long the condition must hold before the rule fires: ` for 5 minutes`; empty if it fires at once. */
export function durationText({ duration }: Rule): string {
  return duration === 0 ? '' : ` for ${minutesText(duration)}`;
}
