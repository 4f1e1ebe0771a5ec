// The file of the operations service, with all data that must survive a restart. One thread uses it; all writes of one
// turn of the event loop share a commit.
import { DatabaseFailure } from '../../foundation/sqlite/database-failure.js';
import type { Database } from '../../foundation/sqlite/open-database.js';
import type { Logger } from '../../foundation/telemetry/logger.js';
import { OpsError } from '../errors/ops-error.js';
import {
  type Expendable,
  type Losses,
  type Recording,
  type RecordingNature,
  WaitingRecordings,
} from './waiting-recordings.js';

/** The size of discardable recordings that may wait while the disk is full: hours of events and series of one node. */
const ordinaryLimitBytes = 32 * 1024 * 1024;
/** A failed write of this number of recordings takes tens of milliseconds, so the store skips one second for each. */
const triedPerSecond = 2000;
const longestPauseSeconds = 30;

/**
 * A step that creates or changes tables. Each layer lists its own; the store runs each of them once on a file. Released
 * steps are never changed; new ones are added.
 */
export interface Migration {
  /** Unique and permanent: `events-1`. */
  readonly name: string;
  /** Statements that create or change tables. */
  readonly sql: string;
  /** Tables whose rows are forgotten with their cluster, each with the column of its id. */
  readonly clusterTables?: Readonly<Record<string, string>>;
}

/** The table that the store itself writes. */
export const storeMigrations: readonly Migration[] = [
  { name: 'store-1', sql: 'CREATE TABLE disk_trials (id INTEGER PRIMARY KEY, count INTEGER NOT NULL)' },
  // Pages have checksums beside the file, see `SummedLog`: an earlier release would not keep them.
  { name: 'store-2', sql: '' },
];

/**
 * Writes what the layers record. Judging and delivery must continue when the disk is full: recordings then wait in
 * memory, in order, and are written when the disk accepts writes again. When too many wait, samples are discarded
 * first, then entries of the delivery log, then events; states never, and nothing before a write has failed.
 */
export class Store {
  readonly #database: Database;
  readonly #logger: Logger;
  readonly #waiting: WaitingRecordings;
  readonly #losses: Record<Expendable, number> = { sample: 0, delivery: 0, event: 0 };
  #turn: Promise<void> | undefined;
  #isWritable = true;
  #hasReportedLoss = false;
  /** Seconds until the next attempt to write. */
  #pauseSeconds = 0;

  constructor(database: Database, logger: Logger, limitBytes: number = ordinaryLimitBytes) {
    this.#database = database;
    this.#logger = logger;
    this.#waiting = new WaitingRecordings(limitBytes);
  }

  /** False from a failed write until the next one that succeeds. */
  get isWritable(): boolean {
    return this.#isWritable;
  }

  /** Why the file cannot be written. */
  get problem(): string | undefined {
    return this.#isWritable ? undefined : 'the file of the operations service cannot be written';
  }

  /** The number of recordings that are not on disk yet. */
  get waitingCount(): number {
    return this.#waiting.count;
  }

  /** The recordings that were discarded since the start. */
  get losses(): Losses {
    return this.#losses;
  }

  /**
   * Writes at the end of this turn, together with all other recordings of the turn, or when the disk accepts writes
   * again.
   * Never throws; see `recorded`.
   */
  record(recording: Recording, nature: RecordingNature = {}): void {
    this.#waiting.add(recording, nature);
    if (!this.#isWritable) {
      this.#countLosses(this.#waiting.giveUpSurplus());
      return;
    }
    this.#turn ??= new Promise((resolve) => {
      setImmediate(() => {
        this.flush();
        resolve();
      });
    });
  }

  /** Resolves when everything recorded so far is on disk, or waits in memory because the disk refuses writes. */
  recorded(): Promise<void> {
    return this.#turn ?? Promise.resolve();
  }

  /** Tries to write what a full disk refused; less often if there is much. The server calls it every second. */
  tick(): void {
    if (this.#isWritable || this.#pauseSeconds <= 0) this.flush();
    else this.#pauseSeconds -= 1;
  }

  /** Writes waiting recordings immediately. */
  flush(): void {
    this.#turn = undefined;
    const { count } = this.#waiting;
    if (count === 0 && this.#isWritable) return;
    try {
      this.#database.transaction(() => {
        if (!this.#isWritable) tryDisk(this.#database);
        for (const recording of this.#waiting.recordings()) recording(this.#database);
      });
    } catch (error) {
      if (!isRefusedByDisk(error)) {
        this.#waiting.clear();
        throw error;
      }
      this.#pauseSeconds = Math.min(longestPauseSeconds, Math.floor(count / triedPerSecond));
      if (this.#isWritable) {
        this.#logger.error({ err: error }, 'the operations file cannot be written; changes wait in memory');
      }
      this.#isWritable = false;
      this.#countLosses(this.#waiting.giveUpSurplus());
      return;
    }
    this.#waiting.clear();
    if (this.#isWritable) return;
    this.#logger.info({ written: count, lost: this.#losses }, 'the operations file is written again');
    this.#isWritable = true;
    this.#hasReportedLoss = false;
  }

  /**
   * Runs one transaction now, for a change that is reported to its caller; earlier recordings are written first.
   * @throws OpsError `Unavailable` when the file cannot be written; then nothing of the change is kept
   */
  change<Result>(work: (database: Database) => Result): Result {
    // A refused change is cheap: it does not try to write waiting recordings before `tick` would.
    if (!this.#isWritable && this.#pauseSeconds > 0) throw unavailable();
    this.flush();
    // Waiting recordings are older: written after this change they would undo it.
    if (!this.#isWritable) throw unavailable();
    try {
      return this.#database.transaction(() => work(this.#database));
    } catch (error) {
      throw isRefusedByDisk(error) ? unavailable(error) : error;
    }
  }

  /** Reads everything that could be written. While the disk is full it does not try to write. */
  read<Result>(work: (database: Database) => Result): Result {
    if (this.#isWritable) this.flush();
    return work(this.#database);
  }

  /** Writes waiting recordings and closes the file. */
  close(): void {
    this.flush();
    this.#database.close();
  }

  #countLosses(lost: readonly Expendable[]): void {
    for (const kind of lost) this.#losses[kind] += 1;
    if (lost.length === 0 || this.#hasReportedLoss) return;
    this.#hasReportedLoss = true;
    const message =
      'too much waits for the disk: the oldest samples, then deliveries, then events are discarded';
    this.#logger.error({ waiting: this.waitingCount, lost: this.#losses }, message);
  }
}

/** A transaction that writes nothing succeeds on a full disk too; this one writes a row. */
function tryDisk(database: Database): void {
  database
    .statement(
      `INSERT INTO disk_trials (id, count) VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET count = count + 1`,
    )
    .run([]);
}

function unavailable(cause?: unknown): OpsError {
  const message = 'the file of the operations service cannot be written; nothing was changed';
  return new OpsError('Unavailable', message, cause === undefined ? {} : { cause });
}

/** Whether the disk is the cause, which may be temporary; any other error is a bug. */
function isRefusedByDisk(error: unknown): boolean {
  return error instanceof DatabaseFailure && diskFailures.includes(error.kind);
}

const diskFailures: readonly DatabaseFailure['kind'][] = ['full', 'io', 'busy', 'readOnly', 'corrupt'];
