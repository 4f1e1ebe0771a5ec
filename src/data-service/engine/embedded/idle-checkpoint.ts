// Moves the write-ahead log into the data file while nobody writes: a read looks into all of it for every page.
import { DatabaseFailure } from '../../../foundation/sqlite/database-failure.js';
import type { Database } from '../../../foundation/sqlite/open-database.js';

/** Nobody wrote for so long. */
const restMs = 1_000;
/** A log of fewer rows costs reads next to nothing, and moving it two flushes of the disk. */
const leastRows = 1_000;

/** Watches when the writer rests, on the writer thread. */
export class IdleCheckpoint {
  readonly #database: Database;
  #rows = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Rows were just written. */
  noteRows(count: number): void {
    this.#rows += count;
    if (this.#rows >= leastRows) this.#wait();
  }

  /** More was just written than anybody counted. */
  noteMany(): void {
    this.noteRows(leastRows);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #wait(): void {
    this.#timer ??= setTimeout(() => this.#run(), restMs);
    this.#timer.refresh();
  }

  /** Waits for nobody: what a reader still needs in the log stays there until the next rest. */
  #run(): void {
    try {
      const row = this.#database.statement('PRAGMA wal_checkpoint(PASSIVE)').get();
      if (row?.['log'] === row?.['checkpointed']) this.#rows = 0;
      else this.#wait();
    } catch (error) {
      // Nothing is lost: the rows are in the log, and the next write meets what is wrong and tells its caller.
      if (!(error instanceof DatabaseFailure)) throw error;
    }
  }
}
