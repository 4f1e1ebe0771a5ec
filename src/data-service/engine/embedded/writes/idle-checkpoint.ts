// Moves the write-ahead log into the data file while nothing is written: reads are slower with a long log.
import { DatabaseFailure } from '../../../../foundation/sqlite/database-failure.js';
import type { Database } from '../../../../foundation/sqlite/open-database.js';

/** The time without writes before a checkpoint: after many sets of values, and after fewer, which may be large. */
const restMs = { many: 1_000, few: 10_000 } as const;
/** A log with fewer sets hardly slows reads, and a checkpoint flushes the disk twice. */
const manySets = 1_000;

/** Makes a checkpoint when the writer thread has not written for some time. */
export class IdleCheckpoint {
  readonly #database: Database;
  #sets = 0;
  #timer: NodeJS.Timeout | undefined;
  #waitsForMany = false;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Notes that so many sets of values were written. */
  noteSets(count: number): void {
    this.#sets += count;
    this.#wait();
  }

  /** Notes that much was written which was not counted. */
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

  /** Does not wait for readers: the part of the log that they need stays until the next checkpoint. */
  #run(): void {
    try {
      const { busy, log, checkpointed } =
        this.#database.statement('PRAGMA wal_checkpoint(PASSIVE)').get() ?? {};
      if (busy === 0 && log === checkpointed) this.#sets = 0;
      else this.#wait();
    } catch (error) {
      // Nothing is lost: the rows are in the log. The next write meets the same failure and reports it.
      if (!(error instanceof DatabaseFailure)) throw error;
    }
  }
}
