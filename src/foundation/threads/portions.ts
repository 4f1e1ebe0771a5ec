// Work in steps: a bounded amount is done in each turn of the event loop.
import type { Clock } from '../telemetry/clock.js';

/** Does the steps of some work, within limits. */
export interface PortionsParts {
  readonly clock: Clock;
  /** Units of work in one turn; the step that reaches this number is the last one. Default: only the time counts. */
  readonly mostInTurn?: number;
  /** Does the next step and calls `spend`; false if there is none. */
  step(): boolean;
  /** Called before the first work of a turn. */
  onWork?(): void;
  /** Called when a portion is done. */
  onPortion?(): void;
}

/** No step begins after this time in a turn: other work of the thread waits for so long at most. */
const msInTurn = 10;

/** Does steps immediately within the limits of the turn, and the others in the next turns. */
export class Portions {
  readonly #parts: PortionsParts;
  #spent = 0;
  #startedMs = 0;
  /** Some work was done in this turn. */
  #hasBegun = false;
  #hasMore = false;
  #isStopped = false;

  constructor(parts: PortionsParts) {
    this.#parts = parts;
  }

  /** Counts units of work that a step takes. */
  spend(units: number): void {
    this.#spent += units;
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#parts.onWork?.();
    this.#startedMs = this.#parts.clock.monotonicMs();
    setImmediate(() => this.#beginTurn());
  }

  /** Does the steps that fit into this turn. */
  run(): void {
    if (this.#isStopped) return;
    this.#hasMore = true;
    if (this.#isOver) return;
    while (this.#hasMore && !this.#isOver) this.#hasMore = this.#parts.step();
    this.#parts.onPortion?.();
  }

  /** Whether steps remain for the next turn. */
  get hasMore(): boolean {
    return this.#hasMore && !this.#isStopped;
  }

  /** No further step is done. */
  stop(): void {
    this.#isStopped = true;
  }

  get #isOver(): boolean {
    if (!this.#hasBegun) return false;
    const { clock, mostInTurn = Number.POSITIVE_INFINITY } = this.#parts;
    return this.#spent >= mostInTurn || clock.monotonicMs() - this.#startedMs >= msInTurn;
  }

  #beginTurn(): void {
    this.#hasBegun = false;
    this.#spent = 0;
    if (this.#hasMore) this.run();
  }
}
