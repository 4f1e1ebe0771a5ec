// Watches how long the turns of an event loop take: a thread can do nothing else during a turn.
import type { Clock } from './clock.js';

/** Figures about the turns of a thread. Plain data. */
export interface TurnFigures {
  /** Turns above `longTurnMs` since the start. */
  readonly longTurns: number;
  /** The longest turn of a period of 30 to 60 seconds until now. */
  readonly longestMs: number;
}

/** Turns should not take longer than this. */
export const longTurnMs = 100;
/** A turn may be measured as up to this much longer than it is, never as shorter. */
export const sampleIntervalMs = 20;
/** Without requests samples are less frequent, because waking a thread often has a cost. */
const idleIntervalMs = 500;
/** One second. */
const samplesAfterWork = 50;
const periodMs = 30_000;

/** The figures when no turns were measured. */
export const noTurns: TurnFigures = { longTurns: 0, longestMs: 0 };

/** Watches the event loop of a thread. */
export interface WatchedTurns {
  /** Begins to measure. */
  start(): void;
  /** Reports that the thread has work: for a while samples are frequent. Cheap enough for every request. */
  noteWork(): void;
  figures(): TurnFigures;
  /** Ends the samples. */
  stop(): void;
}

/** Watches the calling thread, whose working time `threadTimeMs` returns. Does not keep the process alive. */
export function watchTurns(threadTimeMs: () => number, clock: Clock): WatchedTurns {
  let watch: TurnWatch | undefined;
  let samplesLeft = 0;
  let timer: NodeJS.Timeout | undefined;
  const sampleIn = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(sample, ms).unref();
  };
  function sample(): void {
    watch?.sample();
    samplesLeft -= 1;
    sampleIn(samplesLeft > 0 ? sampleIntervalMs : idleIntervalMs);
  }
  return {
    start: () => {
      watch = new TurnWatch(threadTimeMs, clock);
      sampleIn(idleIntervalMs);
    },
    noteWork: () => {
      if (samplesLeft <= 0 && watch !== undefined) sampleIn(sampleIntervalMs);
      samplesLeft = samplesAfterWork;
    },
    figures: () => watch?.figures() ?? noTurns,
    stop: () => {
      clearTimeout(timer);
      watch = undefined;
    },
  };
}

/**
 * A timer fires in the turn after the one in which it was due. So the working time between two firings includes every
 * turn between them completely.
 */
export class TurnWatch {
  readonly #threadTimeMs: () => number;
  readonly #clock: Clock;
  #sampledMs: number;
  #periodStartedMs: number;
  #longestMs = 0;
  #longestBeforeMs = 0;
  #longTurns = 0;

  constructor(threadTimeMs: () => number, clock: Clock) {
    this.#threadTimeMs = threadTimeMs;
    this.#clock = clock;
    this.#sampledMs = threadTimeMs();
    this.#periodStartedMs = clock.monotonicMs();
  }

  /** Called by a timer. */
  sample(): void {
    const threadTimeMs = this.#threadTimeMs();
    const turnMs = threadTimeMs - this.#sampledMs;
    this.#sampledMs = threadTimeMs;
    this.#endPeriods();
    if (turnMs > this.#longestMs) this.#longestMs = turnMs;
    if (turnMs > longTurnMs) this.#longTurns += 1;
  }

  figures(): TurnFigures {
    this.#endPeriods();
    const longestMs = Math.max(this.#longestMs, this.#longestBeforeMs);
    return { longTurns: this.#longTurns, longestMs };
  }

  #endPeriods(): void {
    const nowMs = this.#clock.monotonicMs();
    const elapsedMs = nowMs - this.#periodStartedMs;
    if (elapsedMs < periodMs) return;
    this.#longestBeforeMs = elapsedMs < 2 * periodMs ? this.#longestMs : 0;
    this.#longestMs = 0;
    this.#periodStartedMs = nowMs;
  }
}
