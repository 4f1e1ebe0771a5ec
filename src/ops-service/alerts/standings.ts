// The standings of rules: the state of each target, and the evaluation that changes it.
import { getOrMake } from '../../foundation/get-or-make.js';
import type { AlertRecord } from './alert-records.js';
import { type AlertState, nextState, quiet, type Transition } from './alert-state.js';
import type { JudgedCluster, Observed, Rule, RuleKind, StoredMinute, Target } from './rule.js';
import { kindOf } from './rules/registry.js';
import { heldSince } from './stored-condition.js';

/** The state of one rule for one target. */
export interface Standing {
  readonly key: string;
  target: Target;
  /** The memory of the rule's kind for the target. */
  memory: unknown;
  state: AlertState;
  /** The alert, while it fires. */
  record: AlertRecord | undefined;
  /** The newest value; 0 before the first. */
  value: number;
  /** The time of the last verdict; before the first one, the time when the target was first seen. */
  verdictMs: number;
  /** The time of the last observation. */
  seenMs: number;
}

/** The standings of one rule by the keys of their targets. */
export type Standings = Map<string, Standing>;

/** A change of a standing, which already has its new state. */
export interface StandingChange {
  readonly standing: Standing;
  /** Undefined if there is nothing to report, but its alert must be stored again. */
  readonly transition: Transition | undefined;
}

/** Evaluates one rule on a cluster in its present state. Each step gives the change of one target, if it changes. */
export function* judgeRule(
  rule: Rule,
  standings: Standings,
  cluster: JudgedCluster,
): Generator<StandingChange | undefined, void> {
  const kind = kindOf(rule);
  const { atMs, gapMs } = cluster;
  let seenCount = 0;
  for (const { key, target, observed } of kind.observe(rule, cluster)) {
    const standing = standingOf(standings, key, target, atMs);
    // Without a value it may be unknown which node an alert about several nodes names: it keeps the last one.
    if (observed !== undefined || target.node !== '') standing.target = target;
    standing.seenMs = atMs;
    seenCount += 1;
    const { memory, verdict } = kind.step(rule, standing.memory, observed, atMs);
    standing.memory = memory;
    if (verdict !== undefined) standing.value = verdict.value;
    const { state, transition } = nextState(rule, standing.state, standing.verdictMs, verdict, atMs, gapMs);
    standing.state = state;
    if (verdict !== undefined) standing.verdictMs = atMs;
    yield transition !== undefined || isStoredOtherwise(standing) ? { standing, transition } : undefined;
  }
  if (seenCount < standings.size) yield* judgeUnseen(kind, rule, standings, cluster);
}

/**
 * Evaluates a changed rule again from known values; the steps are as those of `judgeRule`. Alerts whose condition is
 * still true continue to fire, the others clear. A condition that is not firing has held for as long as stored values
 * show, or, if the change only loosened it, for as long as before.
 */
export function* judgeAgain(
  before: Rule,
  rule: Rule,
  standings: Standings,
  cluster: JudgedCluster,
  stored: (target: Target) => readonly StoredMinute[],
): Generator<StandingChange | undefined, void> {
  const kind = kindOf(rule);
  const seen = new Map<string, Observed | undefined>();
  for (const { key, observed } of kind.observe(rule, cluster)) {
    seen.set(key, observed);
    yield;
  }
  const isSameMeasure = kind.measureOf(before) === kind.measureOf(rule);
  for (const [key, standing] of standings) {
    if (!isSameMeasure) standing.memory = undefined;
    const isInPlace = kind.isInScope(rule, standing.target);
    if (!isInPlace) standings.delete(key);
    const isFiring = standing.state.phase === 'firing';
    if (!isFiring && isInPlace) {
      const isKept = isSameMeasure && kind.isLooser(before, rule);
      setPending(rule, standing, isKept, stored(standing.target), cluster);
    }
    const hasEnded =
      isFiring && !(isInPlace && isStillTrue(kind, rule, standing, seen.get(key), isSameMeasure));
    if (hasEnded) resetStanding(standing, cluster.atMs);
    yield hasEnded ? cleared(standing, 'rule changed') : undefined;
  }
}

/** Whether its alert is stored as one about missing values, but is about a value by now. */
function isStoredOtherwise({ state, record }: Standing): boolean {
  return record !== undefined && state.phase === 'firing' && record.isAboutNoData !== state.isAboutNoData;
}

function setPending(
  rule: Rule,
  standing: Standing,
  isKept: boolean,
  minutes: readonly StoredMinute[],
  cluster: JudgedCluster,
): void {
  const keptMs = isKept && standing.state.phase === 'pending' ? standing.state.sinceMs : undefined;
  const storedMs = heldSince(rule, minutes, cluster);
  const sinceMs = Math.min(keptMs ?? Number.POSITIVE_INFINITY, storedMs ?? Number.POSITIVE_INFINITY);
  standing.state = sinceMs === Number.POSITIVE_INFINITY ? quiet : { phase: 'pending', sinceMs };
}

function cleared(standing: Standing, reason: string): StandingChange {
  return { standing, transition: { kind: 'cleared', reason } };
}

/** Resets a standing to its initial state. */
export function resetStanding(standing: Standing, atMs: number): void {
  standing.state = quiet;
  standing.verdictMs = atMs;
}

function standingOf(standings: Standings, key: string, target: Target, atMs: number): Standing {
  return getOrMake(standings, key, () => ({
    key,
    target,
    memory: undefined,
    state: quiet,
    record: undefined,
    value: 0,
    verdictMs: atMs,
    seenMs: atMs,
  }));
}

/** Targets that were not observed: they no longer exist, or have no value. */
function* judgeUnseen(
  kind: RuleKind,
  rule: Rule,
  standings: Standings,
  cluster: JudgedCluster,
): Generator<StandingChange | undefined, void> {
  const { atMs, gapMs } = cluster;
  for (const [key, standing] of standings) {
    if (standing.seenMs === atMs) continue;
    const { target } = standing;
    const isInScope = kind.isInScope(rule, target);
    const whyGone = cluster.isLoaded ? kind.whyGone(rule, target, cluster) : undefined;
    const reason = isInScope ? whyGone : 'rule changed';
    if (reason !== undefined) {
      standings.delete(key);
      const isFiring = standing.state.phase === 'firing';
      resetStanding(standing, atMs);
      yield isFiring ? cleared(standing, reason) : undefined;
      continue;
    }
    const { state, transition } = nextState(rule, standing.state, standing.verdictMs, undefined, atMs, gapMs);
    standing.state = state;
    yield transition && { standing, transition };
  }
}

function isStillTrue(
  kind: RuleKind,
  rule: Rule,
  standing: Standing,
  observed: Observed | undefined,
  isSameMeasure: boolean,
): boolean {
  const atMs = observed?.atMs ?? standing.seenMs;
  const { memory, verdict } = kind.step(rule, standing.memory, observed, atMs);
  standing.memory = memory;
  if (standing.state.phase !== 'firing') return false;
  if (verdict !== undefined) {
    standing.value = verdict.value;
    return verdict.isBeyond;
  }
  // Without a new value the last one counts, if it is still of the same measure.
  if (!isSameMeasure) return false;
  return standing.state.isAboutNoData || kind.isStillBeyond(rule, standing.value);
}
