// Work of a thread that takes longer than a turn of its event loop may: done in slices, one piece of work at a time.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../telemetry/clock.js';

/** What a piece of work asks between its steps: `if (turn.isOver) await turn.next();`. */
export interface Turn {
  /** Whether others should have their turn. */
  readonly isOver: boolean;
  /** Resolves in another turn of the event loop. */
  next(): Promise<void>;
}

/** Others of the thread wait for so long at most. */
const sliceMs = 10;

/** Runs pieces of work one after another, so that together they take one slice of each turn. */
export class LongWork {
  readonly #clock: Clock;
  readonly #mostWaiting: number;
  #count = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(clock: Clock, mostWaiting: number) {
    this.#clock = clock;
    this.#mostWaiting = mostWaiting;
  }

  /** Whether so much waits that nothing more should be begun. */
  get isFull(): boolean {
    return this.#count > this.#mostWaiting;
  }

  /** Begins the work when all before it has ended, and resolves or rejects as it does. */
  async run<Result>(work: (turn: Turn) => Promise<Result>): Promise<Result> {
    this.#count += 1;
    const before = this.#last;
    const done = (async () => {
      await before;
      const turn = new TimedTurn(this.#clock);
      await turn.next();
      return work(turn);
    })();
    this.#last = done.catch(() => {}); // the caller gets the error
    try {
      return await done;
    } finally {
      this.#count -= 1;
    }
  }
}

class TimedTurn implements Turn {
  readonly #clock: Clock;
  #endMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isOver(): boolean {
    return this.#clock.monotonicMs() >= this.#endMs;
  }

  async next(): Promise<void> {
    await nextTurn();
    this.#endMs = this.#clock.monotonicMs() + sliceMs;
  }
}

/** For work that is known to be short. */
export const onlyTurn: Turn = { isOver: false, next: () => Promise.resolve() };
