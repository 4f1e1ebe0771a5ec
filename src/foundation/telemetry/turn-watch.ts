// Watches how long the turns of an event loop are: nothing else of the thread is done in one.
import type { Clock } from './clock.js';

/** What was seen of the turns of a thread. Plain data. */
export interface TurnFigures {
  /** Turns above `longTurnMs` since the start. */
  readonly longTurns: number;
  /** The longest of at least the last half minute and at most the last minute. */
  readonly longestMs: number;
}

/** No turn is to take longer. */
export const longTurnMs = 100;
/** A turn is taken for up to this much longer than it is, never for shorter. */
export const sampleIntervalMs = 20;
/** Without requests there are fewer samples, because waking a thread so often has a cost. */
const idleIntervalMs = 500;
/** For a second. */
const samplesAfterWork = 50;
const periodMs = 30_000;

/** No turns were seen. */
export const noTurns: TurnFigures = { longTurns: 0, longestMs: 0 };

/** What watches the event loop of a thread. */
export interface WatchedTurns {
  /** Begins: what was before does not count. */
  start(): void;
  /** Says that the thread has something to do: for a while samples are taken often. Cheap enough for every request. */
  noteWork(): void;
  figures(): TurnFigures;
}

/** A watch over the calling thread, whose working time `threadTimeMs` gives. Nothing of it keeps the process alive. */
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
  };
}

/**
 * A timer fires in the turn that follows the one in which it was due. What the thread worked from one firing to the
 * next holds every turn between them whole.
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
