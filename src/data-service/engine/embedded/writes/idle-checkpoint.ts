// Moves the write-ahead log into the data file while nobody writes: a read looks into all of it for every page.
import { DatabaseFailure } from '../../../../foundation/sqlite/database-failure.js';
import type { Database } from '../../../../foundation/sqlite/open-database.js';

/** Nobody wrote for so long: after many sets of values, and after fewer, which may be large ones all the same. */
const restMs = { many: 1_000, few: 10_000 } as const;
/** A log of fewer costs reads next to nothing, and moving it two flushes of the disk. */
const manySets = 1_000;

/** Watches when the writer rests, on the writer thread. */
export class IdleCheckpoint {
  readonly #database: Database;
  #sets = 0;
  #timer: NodeJS.Timeout | undefined;
  #waitsForMany = false;

  constructor(database: Database) {
    this.#database = database;
  }

  /** So many sets of values were just written. */
  noteSets(count: number): void {
    this.#sets += count;
    this.#wait();
  }

  /** More was just written than anybody counted. */
  noteMany(): void {
    this.noteSets(manySets);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #wait(): void {
    const isMany = this.#sets >= manySets;
    if (this.#timer === undefined || isMany !== this.#waitsForMany) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#run(), isMany ? restMs.many : restMs.few);
      this.#waitsForMany = isMany;
    } else this.#timer.refresh();
  }

  /** Waits for nobody: what a reader still needs in the log stays there until the next rest. */
  #run(): void {
    try {
      const { busy, log, checkpointed } =
        this.#database.statement('PRAGMA wal_checkpoint(PASSIVE)').get() ?? {};
      if (busy === 0 && log === checkpointed) this.#sets = 0;
      else this.#wait();
    } catch (error) {
      // Nothing is lost: the rows are in the log, and the next write meets what is wrong and tells its caller.
      if (!(error instanceof DatabaseFailure)) throw error;
    }
  }
}
