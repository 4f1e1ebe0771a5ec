// The file of the operations service: what must be there after a restart. One thread uses it; writes of one turn of
// the event loop share a commit.
import { DatabaseFailure } from '../../foundation/sqlite/database-failure.js';
import type { Database } from '../../foundation/sqlite/open-database.js';
import type { Logger } from '../../foundation/telemetry/logger.js';
import { OpsError } from '../errors/ops-error.js';

/** A piece of writing: statements on the open transaction, nothing else. It may run again after a failed commit. */
export type Recording = (database: Database) => void;

/**
 * Keeps what the layers record. Judging and delivery must go on when the disk is full: what is recorded then waits in
 * memory, in order, and is written when the disk takes it again.
 */
export class Store {
  readonly #database: Database;
  readonly #logger: Logger;
  #waiting: Recording[] = [];
  #turn: Promise<void> | undefined;
  #isWritable = true;

  constructor(database: Database, logger: Logger) {
    this.#database = database;
    this.#logger = logger;
  }

  /** False from a write that failed to the next one that succeeds. */
  get isWritable(): boolean {
    return this.#isWritable;
  }

  /** Recordings that are not on disk yet. */
  get waitingCount(): number {
    return this.#waiting.length;
  }

  /** Writes at the end of this turn, together with all else of the turn. Never throws; see `recorded`. */
  record(recording: Recording): void {
    this.#waiting.push(recording);
    this.#turn ??= new Promise((resolve) => {
      setImmediate(() => {
        this.flush();
        resolve();
      });
    });
  }

  /** Resolves when what was recorded so far is on disk, or waits in memory because the disk does not take it. */
  recorded(): Promise<void> {
    return this.#turn ?? Promise.resolve();
  }

  /** Writes at once what waits. Called every second as well, for what a full disk refused. */
  flush(): void {
    this.#turn = undefined;
    if (this.#waiting.length === 0) return;
    const recordings = this.#waiting;
    this.#waiting = [];
    try {
      this.#database.transaction(() => {
        for (const recording of recordings) recording(this.#database);
      });
      if (!this.#isWritable)
        this.#logger.info({ written: recordings.length }, 'the operations file is written again');
      this.#isWritable = true;
    } catch (error) {
      if (!isRefusedByDisk(error)) throw error;
      if (this.#isWritable) {
        this.#logger.error({ err: error }, 'the operations file cannot be written; going on from memory');
      }
      this.#isWritable = false;
      this.#waiting = [...recordings, ...this.#waiting];
    }
  }

  /**
   * One transaction now, for a change that its caller is told about; what was recorded before goes first.
   * @throws OpsError `Unavailable` when the file cannot be written; then nothing of it is kept
   */
  change<Result>(work: (database: Database) => Result): Result {
    this.flush();
    try {
      return this.#database.transaction(() => work(this.#database));
    } catch (error) {
      if (!isRefusedByDisk(error)) throw error;
      throw new OpsError(
        'Unavailable',
        'the file of the operations service cannot be written; nothing was changed',
        {
          cause: error,
        },
      );
    }
  }

  /** Reads; sees everything that could be written. */
  read<Result>(work: (database: Database) => Result): Result {
    this.flush();
    return work(this.#database);
  }

  /** Writes what waits and closes the file. */
  close(): void {
    this.flush();
    this.#database.close();
  }
}

/** Whether the disk is the reason, which may pass; anything else is a bug. */
function isRefusedByDisk(error: unknown): boolean {
  return error instanceof DatabaseFailure && diskFailures.includes(error.kind);
}

const diskFailures: readonly DatabaseFailure['kind'][] = ['full', 'io', 'busy', 'readOnly', 'corrupt'];
