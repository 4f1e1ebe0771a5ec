// Short reads: those that wait run in portions, each in one snapshot, except pages that another thread reads.
import type { SharedTurns, TurnShare } from '../../../../foundation/shared-turns.js';
import type { Database } from '../../../../foundation/sqlite/open-database.js';
import { toReadError } from '../file/storage-failure.js';
import { PageLane, type PageLaneOptions, type WaitingPage } from './page-lane.js';
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
  readonly #turns: TurnShare;
  readonly #waiting: WaitingRead[] = [];
  #pages: PageRead[] = [];

  /** `onWarning` is called when the page thread ended: from then on every page is read here. */
  constructor(
    database: Database,
    turns: SharedTurns,
    options: PageLaneOptions,
    onWarning: (error: Error) => void,
  ) {
    this.#database = database;
    this.#turns = turns.share((mayGoOn) => this.#runSome(mayGoOn));
    this.#lane = new PageLane(options, (lost, error) => {
      this.#waiting.push(...lost.map(({ here }) => here));
      this.#turns.wake();
      onWarning(new Error(`${error.message}; pages are read by the main thread only`, { cause: error }));
    });
  }

  /**
   * Runs a read that takes a bounded, short time. Several statements of it see one snapshot if it says that it has
   * several. Rejects with an EngineError.
   */
  read<Result>(run: (database: Database) => Result, hasSeveralStatements = false): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.push({ run, hasSeveralStatements, resolve, reject });
      this.#turns.arrive();
      this.#turns.wake();
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
          this.#waiting.push(read(otherwise));
          this.#turns.wake();
          return;
        }
        try {
          resolve(toResult(found));
        } catch (error) {
          reject(toReadError(error));
        }
      };
      this.#pages.push({ page, here, resolve: take, reject });
      this.#turns.arrive();
      this.#turns.wake();
    });
  }

  /** Carries out what waits. */
  async close(): Promise<void> {
    while (this.#runSome(() => true)) {}
    await this.#lane.close();
    while (this.#runSome(() => true)) {} // what the page thread could not write
    this.#database.close();
  }

  /** Running reads together, and so answering them back to back, gives half as many again per second. */
  #runSome(mayGoOn: () => boolean): boolean {
    const waiting = this.#waiting;
    waiting.push(...this.#lane.take(this.#pages).map(({ here }) => here));
    this.#pages = [];
    if (waiting.length === 0) return false;
    try {
      if (waiting.length > 1 || waiting[0]?.hasSeveralStatements === true) this.#database.exec('BEGIN');
    } catch (error) {
      for (const { reject } of waiting.splice(0)) reject(toReadError(error));
    }
    for (let read = waiting.shift(); read !== undefined; read = mayGoOn() ? waiting.shift() : undefined) {
      try {
        read.resolve(read.run(this.#database) as never); // the promise of a read has the type of its own result
      } catch (error) {
        read.reject(toReadError(error));
      }
    }
    this.#database.endReading();
    return waiting.length > 0;
  }
}
