// Work in steps: a bounded amount is done in each turn of the event loop.
import type { Clock } from '../telemetry/clock.js';

/** The limits of the work in one turn. */
export interface PortionsParts {
  readonly clock: Clock;
  /** Units of work in one turn; the step that reaches this number is the last one. Default: only the time counts. */
  readonly mostInTurn?: number;
  /** Called before the first work of a turn. */
  onWork?(): void;
  /** Called when a portion is done. */
  onPortion?(): void;
}

/** No step begins after this time in a turn: other work of the thread waits for so long at most. */
const msInTurn = 10;

/**
 * Does steps immediately within the limits of the turn, and the others in the next turns. A step that does something
 * calls `spend`.
 */
export class Portions {
  readonly #parts: PortionsParts;
  /** Work under way, by its subject. Its steps take turns, so that none waits for all of another subject. */
  readonly #work = new Map<string, Iterator<void, void>>();
  #spent = 0;
  #startedMs = 0;
  /** Some work was done in this turn. */
  #hasBegun = false;
  #isStopped = false;

  constructor(parts: PortionsParts) {
    this.#parts = parts;
  }

  /** Adds work, unless there is some about the same subject, and does the steps that fit into this turn. */
  run(subject: string, steps: Iterator<void, void>): void {
    this.add(subject, steps);
    if (this.#isStopped || this.#isOver) return;
    for (const [next, rest] of this.#work) {
      this.#work.delete(next);
      if (rest.next().done !== true) this.#work.set(next, rest); // to the end of the order
      if (this.#isOver) break;
    }
    this.#parts.onPortion?.();
  }

  /** Adds work as `run` does, to be done together with the next. */
  add(subject: string, steps: Iterator<void, void>): void {
    if (!this.#work.has(subject)) this.#work.set(subject, steps);
  }

  /** Ends the work about a subject. */
  drop(subject: string): void {
    this.#work.delete(subject);
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

  /** Whether steps remain for the next turn. */
  get hasMore(): boolean {
    return this.#work.size > 0 && !this.#isStopped;
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
    const [next] = this.#work;
    if (next !== undefined) this.run(...next);
  }
}
