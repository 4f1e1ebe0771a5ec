// Short reads: those of one event-loop turn run together in one snapshot, but for pages that another thread takes over.
import type { Database } from '../../../foundation/sqlite/open-database.js';
import { PageLane, type PageLaneOptions, type WaitingPage } from './page-lane.js';
import { toReadError } from './storage-failure.js';
import { type PageText, readPage, takesSeveralStatements, type WrittenPage } from './written-page.js';

interface WaitingRead {
  readonly run: (database: Database) => unknown;
  readonly hasSeveralStatements: boolean;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

/** A page that either thread may read. */
interface PageRead extends WaitingPage {
  readonly here: WaitingRead;
}

/** The short reads of the main thread, some of them handed over; it owns the connection it is given. */
export class Reader {
  readonly #database: Database;
  readonly #lane: PageLane<PageRead>;
  #waiting: WaitingRead[] = [];
  #pages: PageRead[] = [];

  /** `onWarning` hears when pages are no longer handed over. */
  constructor(database: Database, options: PageLaneOptions, onWarning: (error: Error) => void) {
    this.#database = database;
    this.#lane = new PageLane(options, (lost, error) => {
      this.#waiting.push(...lost.map(({ here }) => here));
      this.#runAll();
      onWarning(error);
    });
  }

  /**
   * Runs a read that takes a bounded, short time. Several statements of it see one snapshot if it says that it has
   * several. Rejects with an EngineError.
   */
  read<Result>(run: (database: Database) => Result, hasSeveralStatements = false): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#runSoon();
      this.#waiting.push({ run, hasSeveralStatements, resolve, reject });
    });
  }

  /**
   * Reads a page here or in the page thread; `otherwise` reads the rows where they cannot be written. Rejects with an
   * EngineError.
   */
  readPage<Result>(
    page: WrittenPage,
    toResult: (found: PageText) => Result,
    otherwise: (database: Database) => Result,
  ): Promise<Result> {
    const hasSeveralStatements = takesSeveralStatements(page);
    return new Promise((resolve, reject) => {
      const read = (run: WaitingRead['run']) => ({ run, hasSeveralStatements, resolve, reject });
      const here = read((database) => {
        const found = readPage(database, page);
        return found === undefined ? otherwise(database) : toResult(found);
      });
      const take = (found: PageText | undefined) => {
        if (found === undefined) {
          this.#runSoon();
          this.#waiting.push(read(otherwise));
          return;
        }
        try {
          resolve(toResult(found));
        } catch (error) {
          reject(toReadError(error));
        }
      };
      this.#runSoon();
      this.#pages.push({ page, here, resolve: take, reject });
    });
  }

  /** Carries out what waits. */
  async close(): Promise<void> {
    this.#runAll();
    await this.#lane.close();
    this.#runAll(); // what the page thread could not write
    this.#database.close();
  }

  /** Running a turn's reads together, and so answering them back to back, gives half as many again per second. */
  #runSoon(): void {
    if (this.#waiting.length === 0 && this.#pages.length === 0) setImmediate(() => this.#runAll());
  }

  #runAll(): void {
    const reads = [...this.#waiting, ...this.#lane.take(this.#pages).map(({ here }) => here)];
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
        resolve(run(this.#database) as never); // the promise of a read has the type of its own result
      } catch (error) {
        reject(toReadError(error));
      }
    }
    this.#database.endReading();
  }
}
