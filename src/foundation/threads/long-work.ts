// Work of a thread that takes longer than a turn of its event loop may: done in slices, one piece of work at a time.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { NoTurn, TurnQueue, type WhenGone } from '../limits/turn-queue.js';
import type { Clock } from '../telemetry/clock.js';

/** What a piece of work asks between its steps: `if (turn.isOver) await turn.next();`. */
export interface Turn {
  /** Whether others should have their turn. */
  readonly isOver: boolean;
  /** Resolves in another turn of the event loop. Rejects with NoTurn when nobody wants the work any more. */
  next(): Promise<void>;
}

/** What runs pieces of work in slices. */
export interface SlicedWork {
  /** Resolves or rejects as the work does; see `LongWork`. */
  run<Result>(work: (turn: Turn) => Promise<Result>, whenGone?: WhenGone): Promise<Result>;
}

/** Others of the thread wait for so long at most. */
const sliceMs = 10;

/** Runs pieces of work one after another, so that together they take one slice of each turn. */
export class LongWork implements SlicedWork {
  readonly #clock: Clock;
  readonly #queue: TurnQueue;

  constructor(clock: Clock, mostWaiting: number) {
    this.#clock = clock;
    this.#queue = new TurnQueue({ places: 1, mostWaiting });
  }

  /**
   * Begins the work when all before it has ended, and resolves or rejects as it does. Work that nobody wants any more
   * leaves the queue, or ends when its slice is over. Rejects with NoTurn for such work, and when too much waits.
   */
  run<Result>(work: (turn: Turn) => Promise<Result>, whenGone?: WhenGone): Promise<Result> {
    const turn = new TimedTurn(this.#clock);
    whenGone?.(() => turn.end());
    const begin = async () => {
      await turn.next();
      return work(turn);
    };
    return this.#queue.run(1, begin, whenGone);
  }
}

class TimedTurn implements Turn {
  readonly #clock: Clock;
  #endMs = 0;
  #isUnwanted = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isOver(): boolean {
    return this.#clock.monotonicMs() >= this.#endMs;
  }

  async next(): Promise<void> {
    await nextTurn();
    if (this.#isUnwanted) throw new NoTurn('its client disconnected');
    this.#endMs = this.#clock.monotonicMs() + sliceMs;
  }

  /** There is no other turn. */
  end(): void {
    this.#isUnwanted = true;
  }
}

/** For work that is known to be short. */
export const onlyTurn: Turn = { isOver: false, next: () => Promise.resolve() };

/** Does the steps of a generator, in other turns where this one is over. */
export async function doSteps(steps: Iterator<void, void>, turn: Turn): Promise<void> {
  while (steps.next().done !== true) if (turn.isOver) await turn.next();
}
