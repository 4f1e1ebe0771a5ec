// Long work runs in portions, so that no turn of the event loop is too long; one piece of work at a time.
import { NotBegun, type WhenGone } from '../limits/work-queue.js';
import type { Clock } from '../telemetry/clock.js';
import { Portions } from './portions.js';

/** Work in short steps, with a result: each `yield` is the end of a step. Other work may run between two steps. */
export type Steps<Result> = Generator<void, Result>;

/** Runs pieces of work one after another, so that all of them together take one portion of each turn. */
export class LongWork {
  readonly #mostWaiting: number;
  /** The first one is under way. */
  readonly #pieces = new Set<Steps<void>>();
  readonly #portions: Portions;

  constructor(clock: Clock, mostWaiting: number) {
    this.#mostWaiting = mostWaiting;
    this.#portions = new Portions({ clock });
  }

  /**
   * Begins the work in another turn, when all before it has ended, and resolves or rejects as it does. No further step
   * of cancelled work is done. Rejects with NotBegun for such work, and when too much waits.
   */
  run<Result>(steps: Steps<Result>, whenGone?: WhenGone): Promise<Result> {
    if (this.#pieces.size > this.#mostWaiting)
      return Promise.reject(new NotBegun(`${this.#mostWaiting} requests are already waiting`));
    return new Promise((resolve, reject) => {
      const piece = settling(steps, resolve, reject);
      this.#pieces.add(piece);
      whenGone?.(() => {
        if (!this.#pieces.delete(piece)) return;
        piece.return();
        reject(new NotBegun('its client disconnected'));
      });
      if (this.#pieces.size === 1) setImmediate(() => this.#portions.run('pieces', this.#steps()));
    });
  }

  *#steps(): Steps<void> {
    for (const piece of this.#pieces) {
      this.#portions.spend(1);
      for (const _ of piece) {
        yield;
        this.#portions.spend(1);
      }
      this.#pieces.delete(piece);
    }
  }
}

function* settling<Result>(
  steps: Steps<Result>,
  resolve: (result: Result) => void,
  reject: (error: unknown) => void,
): Steps<void> {
  try {
    resolve(yield* steps);
  } catch (error) {
    reject(error);
  }
}

/** Does all steps of work that is known to be short, and returns its result. */
export function doSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
