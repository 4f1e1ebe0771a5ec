// The write-ahead log at rest: moved into the data file, and truncated if it was long.
import { statSync } from 'node:fs';
import { DatabaseFailure } from '../../../../foundation/sqlite/database-failure.js';
import type { Database } from '../../../../foundation/sqlite/open-database.js';

/** The times without writes before a step, in ms. */
export interface RestTimes {
  /** Before a checkpoint after many sets of values. */
  readonly many: number;
  /** The time after fewer sets, which may be large, and after the start of the process. */
  readonly few: number;
  /** After a checkpoint, before the log is truncated. */
  readonly truncate: number;
}

/** The usual times. */
export const usualRestMs: RestTimes = { many: 1_000, few: 10_000, truncate: 10_000 };

/** A log with fewer sets hardly slows reads, and a checkpoint flushes the disk twice. */
const manySets = 1_000;

/**
 * A log up to this size is kept, because a commit that makes the log longer takes up to twice as long as one that
 * writes over an old part of it.
 */
export const keptLogBytes = 4 * 1024 * 1024;

/**
 * When nothing was written for some time, moves the write-ahead log into the data file, because a long log slows reads,
 * and then truncates it, because it keeps its largest size otherwise.
 */
export class IdleCheckpoint {
  readonly #database: Database;
  readonly #log: string;
  readonly #restMs: RestTimes;
  #sets = 0;
  #timer: NodeJS.Timeout | undefined;
  /** What the timer waits for. */
  #step: keyof RestTimes | undefined;

  /** `path` is that of the data file. */
  constructor(database: Database, path: string, restMs: RestTimes = usualRestMs) {
    this.#database = database;
    this.#log = `${path}-wal`;
    this.#restMs = restMs;
    // What an earlier process left.
    this.#wait('few');
  }

  /** Notes that so many sets of values were written. */
  noteSets(count: number): void {
    this.#sets += count;
    this.#wait(this.#sets >= manySets ? 'many' : 'few');
  }

  /** Notes that much was written which was not counted. */
  noteMany(): void {
    this.noteSets(manySets);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #wait(step: keyof RestTimes): void {
    if (this.#step === step) {
      this.#timer?.refresh();
      return;
    }
    clearTimeout(this.#timer);
    this.#step = step;
    this.#timer = setTimeout(() => this.#run(step), this.#restMs[step]);
  }

  /** Does not wait for readers: if they need a part of the log, or the step fails, it is tried again. */
  #run(step: keyof RestTimes): void {
    this.#step = undefined;
    try {
      const { isWhole } = this.#database.checkpoint(step === 'truncate' ? 'TRUNCATE' : 'PASSIVE');
      if (isWhole) this.#sets = 0;
      if (!isWhole) this.#wait(step);
      else if (this.#logBytes() > keptLogBytes) this.#wait('truncate');
    } catch (error) {
      // Nothing is lost: the rows are in the log. The next write meets the same failure and reports it.
      if (!(error instanceof DatabaseFailure)) throw error;
      this.#wait(step === 'truncate' ? step : 'few');
    }
  }

  #logBytes(): number {
    return statSync(this.#log, { throwIfNoEntry: false })?.size ?? 0;
  }
}
