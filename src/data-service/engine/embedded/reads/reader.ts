// Short reads: waiting reads run in portions, each in one snapshot, except pages that the page thread reads.
import type { SharedTurns, TurnShare } from '../../../../foundation/shared-turns.js';
import type { Database } from '../../../../foundation/sqlite/open-database.js';
import { toReadError } from '../file/storage-failure.js';
import { PageThreadClient, type PageThreadClientOptions, type WaitingPage } from './page-thread-client.js';
import { type PageText, readPage, takesSeveralStatements, type WrittenPage } from './written-page.js';

interface WaitingRead {
  readonly run: (database: Database) => unknown;
  readonly hasSeveralStatements: boolean;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

/** A page that either thread can read. */
interface PageRead extends WaitingPage {
  readonly here: WaitingRead;
}

/** The short reads of the main thread, some of them on the page thread; owns its connection. */
export class Reader {
  readonly #database: Database;
  readonly #client: PageThreadClient<PageRead>;
  readonly #turns: TurnShare;
  readonly #waiting: WaitingRead[] = [];
  #pages: PageRead[] = [];

  /** `onWarning` is called when the page thread ended: from then on every page is read here. */
  constructor(
    database: Database,
    turns: SharedTurns,
    options: PageThreadClientOptions,
    onWarning: (error: Error) => void,
  ) {
    this.#database = database;
    this.#turns = turns.share((mayGoOn) => this.#runSome(mayGoOn));
    this.#client = new PageThreadClient(options, (lost, error) => {
      this.#waiting.push(...lost.map(({ here }) => here));
      this.#turns.wake();
      onWarning(new Error(`${error.message}; pages are read by the main thread only`, { cause: error }));
    });
  }

  /**
   * Runs a read that takes a bounded, short time. If `hasSeveralStatements`, all of them see one snapshot. Rejects with
   * an EngineError.
   */
  read<Result>(run: (database: Database) => Result, hasSeveralStatements = false): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.push({ run, hasSeveralStatements, resolve, reject });
      this.#turns.arrive();
      this.#turns.wake();
    });
  }

  /**
   * Reads a page here or in the page thread; `otherwise` reads its rows as values if SQLite cannot write them as JSON.
   * Rejects with an EngineError.
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

  /** Runs the waiting reads. */
  async close(): Promise<void> {
    while (this.#runSome(() => true)) {}
    await this.#client.close();
    while (this.#runSome(() => true)) {} // pages that the page thread returned unread
    this.#database.close();
  }

  /** Running reads together, and then answering all of them, gives half as many again per second. */
  #runSome(mayGoOn: () => boolean): boolean {
    const waiting = this.#waiting;
    waiting.push(...this.#client.take(this.#pages).map(({ here }) => here));
    this.#pages = [];
    if (waiting.length === 0) return false;
    try {
      if (waiting.length > 1 || waiting[0]?.hasSeveralStatements === true) this.#database.exec('BEGIN');
    } catch (error) {
      for (const { reject } of waiting.splice(0)) reject(toReadError(error));
    }
    for (let read = waiting.shift(); read !== undefined; read = mayGoOn() ? waiting.shift() : undefined) {
      try {
        read.resolve(read.run(this.#database) as never); // the promise of a read has the type of its result
      } catch (error) {
        read.reject(toReadError(error));
      }
    }
    this.#database.endReading();
    return waiting.length > 0;
  }
}
