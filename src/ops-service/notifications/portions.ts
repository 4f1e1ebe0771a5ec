// Work that comes in steps: a bounded amount of it is done in each turn of the event loop.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../foundation/telemetry/clock.js';

/** What runs in portions. */
export interface PortionsParts {
  /** Units of work in one turn; the step that reaches them is the last one. */
  readonly mostInTurn: number;
  /** No step begins when the work of a turn has taken so long. */
  readonly timeLimit?: { readonly clock: Clock; readonly ms: number };
  /** Does the next step and calls `spend`; false when there is none. */
  step(): boolean;
  /** Called before the first work of a turn. */
  onWork?(): void;
  /** Called when a portion is done. */
  onPortion?(): void;
}

/** Does steps at once while the turn has room for them, and the others in the next turns. */
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
    this.#nextTurn = this.#goOnNextTurn();
  }

  /** Does what there is to do, as far as the turn has room for it. */
  run(): void {
    if (this.#isStopped) return;
    this.#hasMore = true;
    if (this.#isOver) return;
    while (this.#hasMore && !this.#isOver) this.#hasMore = this.#parts.step();
    this.#parts.onPortion?.();
  }

  /** Whether steps are left for the next turn. */
  get hasMore(): boolean {
    return this.#hasMore && !this.#isStopped;
  }

  /** Resolves when the next turn has done its part; at once when nothing was done in this one. */
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

  get #isOver(): boolean {
    const { mostInTurn, timeLimit } = this.#parts;
    if (this.#nextTurn === undefined) return false;
    if (this.#spent >= mostInTurn) return true;
    return timeLimit !== undefined && timeLimit.clock.monotonicMs() - this.#startedMs >= timeLimit.ms;
  }

  async #goOnNextTurn(): Promise<void> {
    await nextTurn();
    this.#nextTurn = undefined;
    this.#spent = 0;
    if (this.#hasMore) this.run();
  }
}
