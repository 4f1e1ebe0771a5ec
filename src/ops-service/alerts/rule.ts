// Alert rules as they are kept, and what a kind of rule is.
import type * as v from 'valibot';
import type { Cluster, ClusterNode, HistogramOffer } from '../clusters/cluster.js';
import type { ErrorDetail } from '../errors/ops-error.js';
import type { LevelName } from '../events/event.js';
import type { LatestSamples } from '../metrics/latest-samples.js';

/** A rule with every default filled in. Names are those of the wire; minutes may have a fraction. */
export interface Rule {
  readonly id: string;
  /** Names its kind. */
  readonly type: string;
  /** Minutes for which the condition must hold before the alert fires. */
  readonly duration: number;
  /** Minutes between repeated notices; 0: once. */
  readonly notify_interval: number;
  readonly enabled: 0 | 1;
  readonly level: LevelName;
  /** What missing values do: they change nothing, clear the alert, or fire one. */
  readonly no_data: 'keep' | 'ok' | 'alert';
  /** Only nodes of this data center. */
  readonly dc?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A field of rules. */
export interface RuleField {
  readonly schema: v.GenericSchema;
  /** Replies write it with a decimal point. */
  readonly isDecimal?: true;
}

/** Fields by their names on the wire. */
export type RuleFields = Readonly<Record<string, RuleField>>;

/** What a rule is about in one place. Empty or null is what does not apply. */
export interface Target {
  readonly node: string;
  readonly dc: string | null;
  readonly table: string | null;
  readonly device: string | null;
}

/** A target with what is seen of it. */
export interface Observation<Seen extends Observed = Observed> {
  /** Identifies the target among those of the rule, and stays the same over restarts. */
  readonly key: string;
  readonly target: Target;
  /** Undefined where nothing is seen of it. */
  readonly observed: Seen | undefined;
}

/** What was seen of a target; each kind of rule has its own form of it. */
export interface Observed {
  /** On the monotonic clock. */
  readonly atMs: number;
  readonly value: number;
}

/** What a rule says about one target at one moment. */
export interface Verdict {
  readonly value: number;
  /** The condition holds. */
  readonly isBeyond: boolean;
  /** A firing alert may clear: the condition does not hold, not even with `resolve_threshold`. */
  readonly isResolved: boolean;
}

/** A step's result: what to remember, and the verdict; undefined when there is nothing to say. */
export interface Judgement<Memory = unknown> {
  readonly memory: Memory | undefined;
  readonly verdict: Verdict | undefined;
}

/** A node, with the target of rules that are about it as a whole. */
export interface JudgedNode extends ClusterNode {
  readonly target: Target;
}

/** A cluster at the moment of judging. */
export interface JudgedCluster {
  /** False while nodes and tables are not known: those that are not listed may still exist. */
  readonly isLoaded: boolean;
  readonly nodes: readonly JudgedNode[];
  /** `keyspace.table` of all tables. */
  readonly tables: ReadonlySet<string>;
  readonly samples: LatestSamples;
  /** Now, on the monotonic clock, and on the wall clock. */
  readonly atMs: number;
  readonly nowMs: number;
  /** After so long without a value it is missing: three intervals, 60 s at least. */
  readonly gapMs: number;
}

/** What rules may ask for on a cluster. */
export type RuleContext = Pick<Cluster, 'id'> & { readonly histograms: HistogramOffer };

/** What was read of a metric in one minute. */
export interface StoredMinute {
  /** The beginning of the minute, milliseconds since 1970. */
  readonly atMs: number;
  readonly min: number;
  readonly max: number;
}

/** What kinds say that compare a metric. */
export interface ComparedMetric<R extends Rule> {
  /** As the rule names it: a key of the table of metric keys or an alias. */
  nameOf(rule: R): string;
  /** The part of a distribution that series have; the empty text for other metrics. */
  partOf(rule: R): string;
  /** Milliseconds that one value sums up. */
  windowMs(rule: R): number;
  /** Whether every value of the minute was beyond. */
  isBeyond(rule: R, minute: StoredMinute): boolean;
}

/**
 * One kind of rule, with everything that depends on the kind. All functions are pure. `Seen` is what it observes of a
 * target, `Memory` what it remembers of one between two samples; the step that a memory is given to may change it.
 */
export interface RuleKind<R extends Rule = Rule, Seen extends Observed = Observed, Memory = unknown> {
  readonly type: R['type'];
  /** Fields beside the common ones. */
  readonly fields: RuleFields;
  /** Those of them that must be given. */
  readonly needs: readonly string[];
  /** Values of those that were not given. */
  readonly defaults: Readonly<Record<string, unknown>>;
  /** A firing alert means that its node is down: other notices about the node are held. */
  readonly marksNodeDown: boolean;
  /** Only kinds that compare a metric. */
  readonly metric?: ComparedMetric<R>;
  /** What is wrong between fields that are each right. */
  check(rule: R, context: RuleContext): readonly ErrorDetail[];
  /** Every target of the rule with what is seen of it now. */
  observe(rule: R, cluster: JudgedCluster): Iterable<Observation<Seen>>;
  /** Judges one target. The same values give the same result; the step may change the memory. */
  step(rule: R, memory: Memory | undefined, observed: Seen | undefined, atMs: number): Judgement<Memory>;
  /** Identifies what is measured: while the text is the same, earlier values still count. */
  measureOf(rule: R): string;
  /** Whether every value that was beyond before a change of the rule is beyond after it. */
  isLooser(before: R, after: R): boolean;
  /** Whether a value of an alert that fires is beyond after a change of the rule. */
  isStillBeyond(rule: R, value: number): boolean;
  /** Whether a target belongs to those of the rule. */
  isInScope(rule: R, target: Target): boolean;
  /** Why a target does not exist any more, in words; undefined while it may. The cluster is loaded. */
  whyGone(rule: R, target: Target, cluster: JudgedCluster): string | undefined;
  /** What the rule looks at in a target: `os-disk-usage of /data on 10.0.0.1`. */
  subjectOf(rule: R, target: Target): string;
  /** The condition that holds: `value 93.2 above 85 for 5 minutes`. */
  conditionOf(rule: R, target: Target, value: number): string;
}

/** The nodes that a rule is about. */
export function nodesOf(rule: Rule, { nodes }: JudgedCluster): readonly JudgedNode[] {
  return rule.dc === undefined ? nodes : nodes.filter(({ dc }) => dc === rule.dc);
}

/** Whether a target belongs to the data center of the rule. */
export function isInDc({ dc }: Rule, target: Target): boolean {
  return dc === undefined || target.dc === dc;
}

/** Why alerts of a rule do not fire any more, in words; undefined while they may. An undefined rule was deleted. */
export function whyOver(rule: Rule | undefined): string | undefined {
  if (rule === undefined) return 'rule deleted';
  return rule.enabled === 0 ? 'rule disabled' : undefined;
}

/** Milliseconds of minutes. */
export function minutesMs(minutes: number): number {
  return minutes * 60_000;
}

/** `1 minute`, `0.5 minutes`. */
export function minutesText(minutes: number): string {
  return `${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`;
}

/** How long the condition of a rule holds before it fires: ` for 5 minutes`; empty where it fires at once. */
export function durationText({ duration }: Rule): string {
  return duration === 0 ? '' : ` for ${minutesText(duration)}`;
}
