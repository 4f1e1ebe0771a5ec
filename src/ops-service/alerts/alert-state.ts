// The states of one alert: quiet, pending, firing, and what leads from one to the other. Pure; times never fall.
import { minutesMs, type Rule, type Verdict } from './rule.js';

/** Where a rule stands with one target. */
export type AlertState = QuietState | PendingState | FiringState;

interface QuietState {
  readonly phase: 'quiet';
  /** When there was a verdict last; before the first one, when the target was seen first. */
  readonly heardMs: number;
}

interface PendingState {
  readonly phase: 'pending';
  readonly heardMs: number;
  /** The first of the samples in a row that were beyond. */
  readonly sinceMs: number;
}

/** The alert is listed. */
export interface FiringState {
  readonly phase: 'firing';
  readonly heardMs: number;
  /** Fired because values were missing, not because of a value. */
  readonly isAboutNoData: boolean;
  /** Values are missing at present. */
  readonly isWithoutData: boolean;
  /** How many fresh samples in a row must say that it is over: more than one after a restart. */
  readonly samplesToClear: number;
}

/** A transition that the rest of the service hears of, with the reason in words. */
export interface Transition {
  readonly kind: 'fired' | 'cleared';
  readonly reason: string;
}

/** A state and how it was reached. */
export interface Step {
  readonly state: AlertState;
  readonly transition?: Transition;
}

/** The parts of a rule that the states depend on. */
export type StateRule = Pick<Rule, 'duration' | 'no_data'>;

/** Fresh samples that it takes to clear what fired before a restart. */
const samplesAfterRestart = 2;

/** The state of a target that was not seen before. */
export function firstState(atMs: number): AlertState {
  return { phase: 'quiet', heardMs: atMs };
}

/** The state of an alert that fired before a restart. */
export function restoredState(isAboutNoData: boolean, atMs: number): FiringState {
  return {
    phase: 'firing',
    heardMs: atMs,
    isAboutNoData,
    isWithoutData: false,
    samplesToClear: samplesAfterRestart,
  };
}

/**
 * Takes the verdict of one moment, undefined where no value came. Without one for `gapMs` the values are missing.
 * A verdict that is older than the last one changes nothing.
 */
export function nextState(
  rule: StateRule,
  state: AlertState,
  verdict: Verdict | undefined,
  atMs: number,
  gapMs: number,
): Step {
  if (atMs < state.heardMs) return { state };
  if (verdict === undefined) return withoutVerdict(rule, state, atMs, gapMs);
  if (state.phase === 'firing') return whileFiring(state, verdict, atMs);
  if (!verdict.isBeyond) return { state: { phase: 'quiet', heardMs: atMs } };
  const isUnbroken = state.phase === 'pending' && atMs - state.heardMs <= gapMs;
  const sinceMs = isUnbroken ? state.sinceMs : atMs;
  if (atMs - sinceMs < minutesMs(rule.duration))
    return { state: { phase: 'pending', heardMs: atMs, sinceMs } };
  return {
    state: firingState(false, atMs),
    transition: { kind: 'fired', reason: `the condition held for ${rule.duration} minutes` },
  };
}

function whileFiring(state: FiringState, verdict: Verdict, atMs: number): Step {
  const { isBeyond, isResolved } = verdict;
  const going = { ...state, heardMs: atMs, isWithoutData: false };
  if (isBeyond) return { state: { ...going, isAboutNoData: false, samplesToClear: 1 } };
  // What fired for want of data never passed the threshold, so hysteresis has nothing to hold.
  const isOver = isResolved || state.isAboutNoData;
  if (!isOver) return { state: { ...going, samplesToClear: 1 } };
  if (state.samplesToClear > 1) return { state: { ...going, samplesToClear: state.samplesToClear - 1 } };
  const reason = state.isAboutNoData ? 'values are there again' : 'the condition does not hold any more';
  return { state: { phase: 'quiet', heardMs: atMs }, transition: { kind: 'cleared', reason } };
}

function withoutVerdict(rule: StateRule, state: AlertState, atMs: number, gapMs: number): Step {
  const { heardMs } = state;
  const missingMs = atMs - heardMs;
  if (missingMs <= gapMs) return { state };
  if (state.phase === 'firing') {
    if (rule.no_data !== 'ok')
      return { state: state.isWithoutData ? state : { ...state, isWithoutData: true } };
    return { state: { phase: 'quiet', heardMs }, transition: { kind: 'cleared', reason: 'no data' } };
  }
  if (rule.no_data === 'alert' && missingMs >= minutesMs(rule.duration)) {
    const reason = `no data for ${Math.round(missingMs / 1000)} seconds`;
    return {
      state: { ...firingState(true, heardMs), isWithoutData: true },
      transition: { kind: 'fired', reason },
    };
  }
  return { state: { phase: 'quiet', heardMs } };
}

function firingState(isAboutNoData: boolean, heardMs: number): FiringState {
  return { phase: 'firing', heardMs, isAboutNoData, isWithoutData: isAboutNoData, samplesToClear: 1 };
}
