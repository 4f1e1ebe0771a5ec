// Short reads, on the main thread's own connection: those of one event-loop turn run together in one snapshot.
import type { Database } from '../../../foundation/sqlite/open-database.js';
import { PageLane, type PageLaneOptions, type WaitingPage } from './page-lane.js';
import { toReadError } from './storage-failure.js';
import { hasSeveralStatements, type PageText, readPage, type WrittenPage } from './written-page.js';

interface WaitingRead {
  readonly run: (database: Database) => unknown;
  readonly hasSeveralStatements: boolean;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

/** The short reads of the main thread, some of them handed over; it owns the connection it is given. */
export class Reader {
  readonly #database: Database;
  readonly #lane: PageLane;
  #waiting: WaitingRead[] = [];
  #pages: WaitingPage[] = [];

  /** `onWarning` hears when pages are no longer handed over. */
  constructor(database: Database, options: PageLaneOptions, onWarning: (error: Error) => void) {
    this.#database = database;
    this.#lane = new PageLane(options, (lost, error) => {
      this.#pages.push(...lost);
      this.#runAll();
      onWarning(error);
    });
  }

  /**
   * Runs a read that takes a bounded, short time. Several statements of it see one snapshot if it says that it has
   * several. Rejects with an EngineError.
   */
  read<Result>(run: (database: Database) => Result, severalStatements = false): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#runSoon();
      this.#waiting.push({ run, hasSeveralStatements: severalStatements, resolve, reject });
    });
  }

  /** As `readPage`, here or in the page thread. Rejects with an EngineError. */
  readPage(page: WrittenPage): Promise<PageText | undefined> {
    return new Promise((resolve, reject) => {
      this.#runSoon();
      this.#pages.push({ page, resolve, reject });
    });
  }

  /** Carries out what waits. */
  async close(): Promise<void> {
    this.#runAll();
    await this.#lane.close();
    this.#database.close();
  }

  /** Running a turn's reads together, and so answering them back to back, gives half as many again per second. */
  #runSoon(): void {
    if (this.#waiting.length === 0 && this.#pages.length === 0) setImmediate(() => this.#runAll());
  }

  #runAll(): void {
    const reads = [...this.#waiting, ...this.#lane.take(this.#pages).map(toRead)];
    this.#waiting = [];
    this.#pages = [];
    if (reads.length === 0) return;
    try {
      const needsSnapshot = reads.length > 1 || reads.some((read) => read.hasSeveralStatements);
      if (needsSnapshot) this.#database.exec('BEGIN');
    } catch (error) {
      for (const { reject } of reads) reject(toReadError(error));
      return;
    }
    for (const { run, resolve, reject } of reads) {
      try {
        resolve(run(this.#database) as never); // the promise of `read` has the type of its own `run`
      } catch (error) {
        reject(toReadError(error));
      }
    }
    this.#database.endReading();
  }
}

function toRead({ page, resolve, reject }: WaitingPage): WaitingRead {
  const run = (database: Database) => readPage(database, page);
  return { run, hasSeveralStatements: hasSeveralStatements(page), resolve, reject };
}
