// Removes old objects beside the shipping, a part in each turn.
import type { Clock } from '../../foundation/telemetry/clock.js';
import { listGenerations } from '../contents/list-contents.js';
import { ArchiveDamaged } from '../format/archive-damaged.js';
import { type ArchiveStore, StoreFailure } from '../stores/archive-store.js';
import { newestCopyMs, removeOld } from './retention.js';

const dayMs = 24 * 60 * 60 * 1000;
/** How often old objects are looked for. */
const restMs = 60 * 60 * 1000;
/** A turn removes for about so long: it also makes a piece if something was written, and must remove more than that. */
const turnMs = 500;

/** What is removed beside. */
interface RetentionParts {
  readonly store: ArchiveStore;
  readonly clock: Clock;
  /** Moments of so many days can be restored. */
  readonly keptDays: number;
}

/** What is being shipped. */
interface Shipping {
  readonly generation: string;
  /** Folders of copies that are being written. */
  readonly unfinished: readonly string[];
}

/** The removal of one archive. Only one call runs at a time. */
export class RetentionTurns {
  readonly #parts: RetentionParts;
  #beganMs = Number.NEGATIVE_INFINITY;
  /** A time that was before this process began. */
  #knownMs: number | undefined;
  /** The time from which the last look for old objects counted the days. */
  #countedFromMs: number | undefined;
  #work:
    | { readonly objects: AsyncGenerator<void, void, undefined>; readonly signal: AbortSignal }
    | undefined;

  constructor(parts: RetentionParts) {
    this.#parts = parts;
  }

  /** Removes some objects that are too old. Returns whether more may be. @throws StoreFailure */
  async removeSome(shipping: Shipping, signal: AbortSignal): Promise<boolean> {
    const { clock } = this.#parts;
    // Requests of an earlier turn end with its signal: the removal then begins again, after the rest.
    if (this.#work?.signal !== signal) this.#work = undefined;
    this.#work ??= await this.#begin(shipping, signal);
    if (this.#work === undefined) return false;
    const { objects } = this.#work;
    const untilMs = clock.monotonicMs() + turnMs;
    try {
      do {
        if ((await objects.next()).done === true) {
          this.#work = undefined;
          return false;
        }
      } while (clock.monotonicMs() < untilMs);
      return true;
    } catch (error) {
      this.#work = undefined;
      // Damage of an old generation is not a gap of this one.
      if (error instanceof ArchiveDamaged) throw new StoreFailure(error.message, false, { cause: error });
      throw error;
    }
  }

  /** Undefined if it is not time yet. @throws StoreFailure */
  async #begin(shipping: Shipping, signal: AbortSignal) {
    const { clock, store, keptDays } = this.#parts;
    if (clock.monotonicMs() - this.#beganMs < restMs) return undefined;
    const { generation } = shipping;
    const unfinished = new Set(shipping.unfinished);
    // A clock that is far ahead for a time, or at the start, must not remove everything.
    const nowMs = clock.nowMs();
    // A failure is tried again in the next turn, before a copy of this process is complete.
    this.#knownMs ??= (await this.#lastKnownMs(unfinished, signal)) ?? nowMs;
    this.#beganMs = clock.monotonicMs();
    // One that was far behind for a time must not keep everything for years.
    const beforeMs = Math.max(this.#countedFromMs ?? this.#knownMs, this.#knownMs);
    this.#countedFromMs = Math.min(nowMs, beforeMs + 2 * restMs);
    const fromMs = this.#countedFromMs - keptDays * dayMs;
    return { objects: removeOld(store, { fromMs, generation, unfinished }, signal), signal };
  }

  /** When the newest copy began that is not of this process, in ms since 1970; undefined without one. */
  async #lastKnownMs(unfinished: ReadonlySet<string>, signal: AbortSignal): Promise<number | undefined> {
    const { store } = this.#parts;
    const { generations } = await listGenerations(store, signal);
    const newestMs = await newestCopyMs(store, generations, signal, unfinished);
    return Number.isFinite(newestMs) ? newestMs : undefined;
  }
}
