// The states of one alert (quiet, pending, firing) and their transitions. Pure; times must not decrease.
import { minutesMs, type Rule, type Verdict } from './rule.js';

/** The state of a rule for one target. */
export type AlertState = QuietState | PendingState | FiringState;

interface QuietState {
  readonly phase: 'quiet';
}

interface PendingState {
  readonly phase: 'pending';
  /** The time of the first of the consecutive samples that were beyond. */
  readonly sinceMs: number;
}

/** The alert is listed. */
export interface FiringState {
  readonly phase: 'firing';
  /** Fired because values were missing, not because of a value. */
  readonly isAboutNoData: boolean;
  /** Values are missing now. */
  readonly isWithoutData: boolean;
  /** How many consecutive new samples clear the alert: more than one after a restart. */
  readonly samplesToClear: number;
}

/** A transition that must be reported, with the reason in words. */
export interface Transition {
  readonly kind: 'fired' | 'cleared';
  readonly reason: string;
}

/** A state and the transition that led to it. */
export interface Step {
  readonly state: AlertState;
  readonly transition?: Transition;
}

/** The parts of a rule that the states depend on. */
export type StateRule = Pick<Rule, 'duration' | 'no_data'>;

/** New samples that are needed to clear an alert that fired before a restart. */
const samplesAfterRestart = 2;

/** The condition does not hold. */
export const quiet: AlertState = { phase: 'quiet' };
const staysQuiet: Step = { state: quiet };

/** The state of an alert that fired before a restart. */
export function restoredState(isAboutNoData: boolean): FiringState {
  return { phase: 'firing', isAboutNoData, isWithoutData: false, samplesToClear: samplesAfterRestart };
}

/**
 * Applies the verdict of one moment; undefined if there was no value. `verdictMs` is the time of the last verdict;
 * before the first one, the time when the target was first seen. Values are missing if there is no verdict for `gapMs`.
 * A verdict older than the last one changes nothing.
 */
export function nextState(
  rule: StateRule,
  state: AlertState,
  verdictMs: number,
  verdict: Verdict | undefined,
  atMs: number,
  gapMs: number,
): Step {
  if (atMs < verdictMs) return { state };
  if (verdict === undefined) return withoutVerdict(rule, state, atMs - verdictMs, gapMs);
  if (verdict.isHeld === true) return whileHeld(state);
  if (state.phase === 'firing') return whileFiring(state, verdict);
  if (!verdict.isBeyond) return staysQuiet;
  const isUnbroken = state.phase === 'pending' && atMs - verdictMs <= gapMs;
  const sinceMs = isUnbroken ? state.sinceMs : atMs;
  if (atMs - sinceMs < minutesMs(rule.duration)) {
    return { state: isUnbroken ? state : { phase: 'pending', sinceMs } };
  }
  const reason = `the condition held for ${rule.duration} minutes`;
  return { state: firingState(false), transition: { kind: 'fired', reason } };
}

function whileHeld(state: AlertState): Step {
  return { state: state.phase === 'firing' ? { ...state, isWithoutData: false } : state };
}

function whileFiring(state: FiringState, { isBeyond, isResolved }: Verdict): Step {
  if (isBeyond) return { state: firingState(false) };
  // An alert about missing values never passed the threshold, so hysteresis does not apply.
  const isOver = isResolved || state.isAboutNoData;
  if (!isOver) return { state: { ...state, isWithoutData: false, samplesToClear: 1 } };
  if (state.samplesToClear > 1) {
    return { state: { ...state, isWithoutData: false, samplesToClear: state.samplesToClear - 1 } };
  }
  const reason = state.isAboutNoData ? 'there are values again' : 'the condition no longer holds';
  return { state: quiet, transition: { kind: 'cleared', reason } };
}

function withoutVerdict(rule: StateRule, state: AlertState, missingMs: number, gapMs: number): Step {
  if (missingMs <= gapMs) return { state };
  if (state.phase === 'firing') {
    if (rule.no_data === 'ok') return { state: quiet, transition: { kind: 'cleared', reason: 'no data' } };
    return { state: state.isWithoutData ? state : { ...state, isWithoutData: true } };
  }
  if (rule.no_data !== 'alert' || missingMs < minutesMs(rule.duration)) return staysQuiet;
  const reason = `no data for ${Math.round(missingMs / 1000)} seconds`;
  return { state: firingState(true), transition: { kind: 'fired', reason } };
}

function firingState(isAboutNoData: boolean): FiringState {
  return { phase: 'firing', isAboutNoData, isWithoutData: isAboutNoData, samplesToClear: 1 };
}
