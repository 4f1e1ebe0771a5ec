// Work in steps: a bounded amount is done in each turn of the event loop.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../foundation/telemetry/clock.js';

/** The work and its limits. */
export interface PortionsParts {
  /** Units of work in one turn; the step that reaches this number is the last one. */
  readonly mostInTurn: number;
  /** No step begins after this time in a turn. */
  readonly timeLimit?: { readonly clock: Clock; readonly ms: number };
  /** Does the next step and calls `spend`; false if there is none. */
  step(): boolean;
  /** Called before the first work of a turn. */
  onWork?(): void;
  /** Called when a portion is done. */
  onPortion?(): void;
}

/** Does steps immediately within the limits of the turn, and the others in the next turns. */
export class Portions {
  readonly #parts: PortionsParts;
  #spent = 0;
  #startedMs = 0;
  #hasMore = false;
  #nextTurn: Promise<void> | undefined;
  #isStopped = false;

  constructor(parts: PortionsParts) {
    this.#parts = parts;
  }

  /** Counts units of work that a step takes. */
  spend(units: number): void {
    this.#spent += units;
    if (this.#nextTurn !== undefined) return;
    this.#parts.onWork?.();
    this.#startedMs = this.#parts.timeLimit?.clock.monotonicMs() ?? 0;
    this.#nextTurn = this.#continueNextTurn();
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

  /** Resolves when the portion of the next turn is done; immediately if nothing was done in this one. */
  get nextTurn(): Promise<void> {
    return this.#nextTurn ?? Promise.resolve();
  }

  /** Whether it was stopped. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Stops: no further step is done. */
  stop(): void {
    this.#isStopped = true;
  }

  get #isOver(): boolean {
    const { mostInTurn, timeLimit } = this.#parts;
    if (this.#nextTurn === undefined) return false;
    if (this.#spent >= mostInTurn) return true;
    return timeLimit !== undefined && timeLimit.clock.monotonicMs() - this.#startedMs >= timeLimit.ms;
  }

  async #continueNextTurn(): Promise<void> {
    await nextTurn();
    this.#nextTurn = undefined;
    this.#spent = 0;
    if (this.#hasMore) this.run();
  }
}
