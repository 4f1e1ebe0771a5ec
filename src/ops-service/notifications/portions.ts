// Work that comes in steps: a bounded amount of it is done in each turn of the event loop.
import { setImmediate as nextTurn } from 'node:timers/promises';

/** What runs in portions. */
export interface PortionsParts {
  /** Units of work in one turn; the step that reaches them is the last one. */
  readonly mostInTurn: number;
  /** Does the next step and calls `spend`; false when there is none. */
  step(): boolean;
  /** Called when a portion is done. */
  onPortion(): void;
}

/** Does steps at once while the turn has room for them, and the others in the next turns. */
export class Portions {
  readonly #parts: PortionsParts;
  #spent = 0;
  #nextTurn: Promise<void> | undefined;
  #isStopped = false;

  constructor(parts: PortionsParts) {
    this.#parts = parts;
  }

  /** Counts units of work that a step takes. */
  spend(units: number): void {
    this.#spent += units;
    this.#nextTurn ??= this.#goOnNextTurn();
  }

  /** Does what there is to do, as far as the turn has room for it. */
  run(): void {
    const { mostInTurn, step, onPortion } = this.#parts;
    if (this.#isStopped || this.#spent >= mostInTurn) return;
    while (this.#spent < mostInTurn && step());
    onPortion();
  }

  /** Resolves when the next turn has gone on; at once when nothing was done in this one. */
  get nextTurn(): Promise<void> {
    return this.#nextTurn ?? Promise.resolve();
  }

  /** Whether no more steps are done. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Does no more steps. */
  stop(): void {
    this.#isStopped = true;
  }

  async #goOnNextTurn(): Promise<void> {
    await nextTurn();
    this.#nextTurn = undefined;
    const hadMore = this.#spent >= this.#parts.mostInTurn;
    this.#spent = 0;
    if (hadMore) this.run();
  }
}
