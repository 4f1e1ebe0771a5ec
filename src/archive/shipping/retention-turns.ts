// Removes old objects beside the shipping, a part in each turn.
import type { Clock } from '../../foundation/telemetry/clock.js';
import { listGenerations, readCopy } from '../contents/list-contents.js';
import { ArchiveDamaged } from '../format/archive-damaged.js';
import { isReference } from '../format/file-copy.js';
import { type ArchiveStore, StoreFailure } from '../stores/archive-store.js';
import { newestCopyMs, removeOld } from './retention.js';

const dayMs = 24 * 60 * 60 * 1000;
/** How often old objects are looked for. */
const restMs = 60 * 60 * 1000;
/**
 * A turn looks and removes for about so long, and for one request more: it also makes a piece if something was written,
 * and must remove more than that.
 */
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
  /** The folders of the copies that this process was writing when it looked first. */
  #own: ReadonlySet<string> | undefined;
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
    if (this.#work === undefined && clock.monotonicMs() - this.#beganMs < restMs) return false;
    this.#work ??= { objects: this.#remove(shipping, signal), signal };
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

  /** Each `yield` is between two requests. @throws StoreFailure, ArchiveDamaged */
  async *#remove(shipping: Shipping, signal: AbortSignal): AsyncGenerator<void, void, undefined> {
    const { clock, store, keptDays } = this.#parts;
    const { generation } = shipping;
    const unfinished = new Set(shipping.unfinished);
    // A clock that is far ahead for a time, or at the start, must not remove everything.
    const nowMs = clock.nowMs();
    // A failure is tried again in the next turn, where a copy of this process may be complete.
    this.#own ??= unfinished;
    this.#knownMs ??= (yield* this.#lastKnownMs(this.#own, signal)) ?? nowMs;
    this.#beganMs = clock.monotonicMs();
    // One that was far behind for a time must not keep everything for years.
    const beforeMs = Math.max(this.#countedFromMs ?? this.#knownMs, this.#knownMs);
    this.#countedFromMs = Math.min(nowMs, beforeMs + 2 * restMs);
    const fromMs = this.#countedFromMs - keptDays * dayMs;
    yield* removeOld(store, { fromMs, generation, unfinished }, signal);
  }

  /** When the newest complete copy with pages began that is not of this process, in ms since 1970, if there is one. */
  async *#lastKnownMs(
    own: ReadonlySet<string>,
    signal: AbortSignal,
  ): AsyncGenerator<void, number | undefined, undefined> {
    const { store } = this.#parts;
    // The present generation comes first, where no copy can become complete before it is looked at.
    const generations = [...(await listGenerations(store, signal)).generations].reverse();
    // A reference is there at once, and so is what an earlier start began: their clock may have been as wrong.
    const isLeftOut = async (folder: string) => {
      const copy = own.has(folder) ? undefined : await readCopy(store, folder, signal);
      return copy === undefined || isReference(copy);
    };
    const newestMs = yield* newestCopyMs(store, generations, signal, isLeftOut);
    return Number.isFinite(newestMs) ? newestMs : undefined;
  }
}
