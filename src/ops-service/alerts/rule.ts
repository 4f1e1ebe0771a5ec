// Alert rules as they are kept, and what a kind of rule is.
import type { Cluster, ClusterNode, HistogramOffer } from '../clusters/cluster.js';
import type { ErrorDetail } from '../errors/ops-error.js';
import type { LevelName } from '../events/event.js';
import type { LatestSamples, Sample } from '../metrics/latest-samples.js';
import type { Memory } from './memory.js';

/** What every rule has. Names are those of the wire; minutes may have a fraction. */
interface CommonRule {
  readonly id: string;
  /** Minutes for which the condition must hold before the alert fires. */
  readonly duration: number;
  /** Minutes between repeated notices; 0: once. */
  readonly notify_interval: number;
  readonly enabled: 0 | 1;
  readonly level: LevelName;
  /** What missing values mean: nothing, that all is well, or an alert of their own. */
  readonly no_data: 'keep' | 'ok' | 'alert';
  /** Only nodes of this data center. */
  readonly dc?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** What rules that compare a metric have. */
interface ComparingRule extends CommonRule {
  /** A key of the table of metric keys or an alias. */
  readonly metric: string;
  readonly threshold: number;
  readonly comparator: '<' | '>';
  /** The one table, `keyspace.table`; otherwise each on its own. */
  readonly cf?: string;
  /** The one device; otherwise each on its own. */
  readonly item?: string;
  /** Minutes that a value sums up. Default: the smaller of `duration` and 1. */
  readonly window?: number;
  /** A firing alert clears only past it. */
  readonly resolve_threshold?: number;
}

/** The average of a metric. */
export interface RollingAverageRule extends ComparingRule {
  readonly type: 'rolling-avg';
}

/** A percentile of a distribution. */
export interface PercentileRule extends ComparingRule {
  readonly type: 'percentile';
  readonly percentile: number;
}

/** How unevenly data is spread over the nodes of a data center. */
export interface BalanceRule extends CommonRule {
  readonly type: 'cluster-balance';
  /** Percent of the mean between the fullest and the emptiest node. */
  readonly spread: number;
  readonly resolve_threshold?: number;
}

/** A node does not answer. */
export interface NodeDownRule extends CommonRule {
  readonly type: 'node-down';
}

/** A node is up but gives no metrics. */
export interface AgentIssueRule extends CommonRule {
  readonly type: 'agent-issue';
}

/** A rule with every default filled in. */
export type Rule = RollingAverageRule | PercentileRule | BalanceRule | NodeDownRule | AgentIssueRule;

/** What triggers an alert. */
export type RuleType = Rule['type'];

type NamesOf<R> = R extends unknown ? keyof R : never;
/** The name of a field, as the wire has it. */
export type RuleField = NamesOf<Rule>;

/** What a rule is about in one place. Empty or null is what does not apply. */
export interface Target {
  readonly node: string;
  readonly dc: string | null;
  readonly table: string | null;
  readonly device: string | null;
}

/** A target with what is seen of it. */
export interface Observation {
  /** Tells targets of one rule apart, and stays the same over restarts. */
  readonly key: string;
  readonly target: Target;
  /** Undefined: nothing. */
  readonly observed: Observed | undefined;
}

/** What was seen; undefined in its place when nothing was. */
export type Observed = Sample | Fact;

/** Something that holds or not, with a number that goes with it. */
export interface Fact {
  readonly atMs: number;
  readonly value: number;
  readonly isTrue: boolean;
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
export interface Judgement {
  readonly memory: Memory;
  readonly verdict: Verdict | undefined;
}

/** A node, with the target of rules that are about it as a whole. */
export interface JudgedNode extends ClusterNode {
  readonly target: Target;
}

/** A cluster at the moment of judging. */
export interface JudgedCluster {
  /** False while it is not known which nodes and tables there are: what is not listed then may still be there. */
  readonly isLoaded: boolean;
  readonly nodes: readonly JudgedNode[];
  /** `keyspace.table` of all tables that are there. */
  readonly tables: ReadonlySet<string>;
  readonly samples: LatestSamples;
  /** Now, on the clock that never falls, and on the clock of the wall. */
  readonly atMs: number;
  readonly nowMs: number;
  /** After so long without a value it is missing: three intervals, 60 s at least. */
  readonly gapMs: number;
}

/** What rules may ask for on a cluster. */
export type RuleContext = Pick<Cluster, 'id'> & { readonly histograms: HistogramOffer };

/** One kind of rule: its fields and its judgement. `observe` and `step` are pure. */
export interface RuleKind<R extends Rule = Rule> {
  readonly type: R['type'];
  /** What it watches, for people. */
  readonly help: string;
  /** Fields beside the common ones. */
  readonly takes: readonly RuleField[];
  /** Those of them that must be given. */
  readonly needs: readonly RuleField[];
  /** Values of those that were not given. */
  readonly defaults: Readonly<Record<string, unknown>>;
  /** What is wrong between fields that are each right. */
  check(rule: R, context: RuleContext): readonly ErrorDetail[];
  /** Every target of the rule with what is seen of it now. */
  observe(rule: R, cluster: JudgedCluster): Iterable<Observation>;
  /** Judges one target. The same values give the same result; the memory goes over to the step. */
  step(rule: R, memory: Memory, observed: Observed | undefined, atMs: number): Judgement;
}

/** What is compared, for kinds that compare. */
export interface Boundary {
  readonly threshold: number;
  readonly comparator: '<' | '>';
  readonly resolve_threshold?: number;
}

/** Compares a value with a threshold; the boundary itself is not beyond. */
export function compare(value: number, boundary: Boundary): Verdict {
  const { threshold, comparator, resolve_threshold: resolve = threshold } = boundary;
  const isBeyond = comparator === '>' ? value > threshold : value < threshold;
  const staysBeyond = comparator === '>' ? value > resolve : value < resolve;
  return { value, isBeyond, isResolved: !isBeyond && !staysBeyond };
}

/** Problems of a boundary whose clearing lies beyond its firing. */
export function checkBoundary(boundary: Boundary): readonly ErrorDetail[] {
  const { threshold, comparator, resolve_threshold: resolve } = boundary;
  if (resolve === undefined) return [];
  const isInside = comparator === '>' ? resolve <= threshold : resolve >= threshold;
  if (isInside) return [];
  const side = comparator === '>' ? 'above' : 'below';
  return [
    {
      path: 'resolve_threshold',
      message: `${resolve} is ${side} the threshold ${threshold}: an alert could not clear once it fired`,
    },
  ];
}

/** The nodes that a rule is about. */
export function nodesOf(rule: Rule, { nodes }: JudgedCluster): readonly JudgedNode[] {
  return rule.dc === undefined ? nodes : nodes.filter(({ dc }) => dc === rule.dc);
}

/** Milliseconds of minutes. */
export function minutesMs(minutes: number): number {
  return minutes * 60_000;
}

/** Milliseconds that one value of a comparing rule sums up. */
export function windowMs({ duration, window }: ComparingRule): number {
  return minutesMs(window ?? Math.min(duration, 1));
}
