// Long work runs in slices, so that no turn of the event loop is too long; one piece of work at a time.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { NotBegun, type WhenGone, WorkQueue } from '../limits/work-queue.js';
import type { Clock } from '../telemetry/clock.js';

/** The slice of a piece of work, which checks it between its steps: `if (slice.isOver) await slice.next();`. */
export interface Slice {
  /** Whether the slice is over and other work should run. */
  readonly isOver: boolean;
  /** Resolves in another turn of the event loop. Rejects with NotBegun when the work was cancelled. */
  next(): Promise<void>;
}

/** Runs pieces of work in slices. */
export interface SlicedWork {
  /** Resolves or rejects as the work does; see `LongWork`. */
  run<Result>(work: (slice: Slice) => Promise<Result>, whenGone?: WhenGone): Promise<Result>;
}

/** The length of a slice: other work of the thread waits for so long at most. */
const sliceMs = 10;

/** Runs pieces of work one after another, so that all of them together take one slice of each turn. */
export class LongWork implements SlicedWork {
  readonly #clock: Clock;
  readonly #queue: WorkQueue;

  constructor(clock: Clock, mostWaiting: number) {
    this.#clock = clock;
    this.#queue = new WorkQueue({ places: 1, mostWaiting });
  }

  /**
   * Begins the work when all before it has ended, and resolves or rejects as it does. Cancelled work
   * leaves the queue, or ends when its slice is over. Rejects with NotBegun for such work, and when too much waits.
   */
  run<Result>(work: (slice: Slice) => Promise<Result>, whenGone?: WhenGone): Promise<Result> {
    const slice = new TimedSlice(this.#clock);
    whenGone?.(() => slice.end());
    const begin = async () => {
      await slice.next();
      return work(slice);
    };
    return this.#queue.run(1, begin, whenGone);
  }
}

class TimedSlice implements Slice {
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
    if (this.#isUnwanted) throw new NotBegun('its client disconnected');
    this.#endMs = this.#clock.monotonicMs() + sliceMs;
  }

  /** No further slice begins. */
  end(): void {
    this.#isUnwanted = true;
  }
}

/** A slice for work that is known to be short. */
export const onlySlice: Slice = { isOver: false, next: () => Promise.resolve() };

/** Runs the steps of a generator, in further slices when one is over. */
export async function doSteps(steps: Iterator<void, void>, slice: Slice): Promise<void> {
  await resultOfSteps(steps, slice);
}

/** The result of a generator, whose steps run as those of `doSteps`. */
export async function resultOfSteps<Result>(steps: Iterator<void, Result>, slice: Slice): Promise<Result> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    if (slice.isOver) await slice.next();
  }
}
