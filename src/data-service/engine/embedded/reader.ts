// Short reads on the main thread's own connection: those of one event-loop turn run together in one snapshot.
import { DatabaseFailure } from '../../../foundation/sqlite/database-failure.js';
import type { Database, SqlRowArray, Statement } from '../../../foundation/sqlite/open-database.js';
import type { RowValues } from '../../query/read.js';
import type { Column } from '../../schema/table.js';
import type { SelectStatement } from './select-statement.js';
import { storageFailure } from './storage-failure.js';

interface WaitingRead {
  readonly run: (database: Database) => unknown;
  readonly hasSeveralStatements: boolean;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

/** The short reads of the main thread; it owns the connection it is given. */
export class Reader {
  readonly #database: Database;
  #waiting: WaitingRead[] = [];

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Runs a read that takes a bounded, short time. Several statements of it see one snapshot if it says that it has
   * several. Rejects with an EngineError.
   */
  read<Result>(run: (database: Database) => Result, hasSeveralStatements = false): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.push({ run, hasSeveralStatements, resolve, reject });
      // Running a turn's reads together, and so answering them back to back, gives half as many again per second.
      if (this.#waiting.length === 1) setImmediate(() => this.#runAll());
    });
  }

  close(): void {
    this.#runAll();
    this.#database.close();
  }

  #runAll(): void {
    const waiting = this.#waiting;
    if (waiting.length === 0) return; // closing has run them, and the database is closed
    this.#waiting = [];
    try {
      const needsSnapshot = waiting.length > 1 || waiting.some((read) => read.hasSeveralStatements);
      if (needsSnapshot) this.#database.exec('BEGIN');
    } catch (error) {
      for (const { reject } of waiting) reject(toReadError(error));
      return;
    }
    for (const { run, resolve, reject } of waiting) {
      try {
        resolve(run(this.#database) as never); // the promise of `read` has the type of its own `run`
      } catch (error) {
        reject(toReadError(error));
      }
    }
    this.#database.endReading();
  }
}

/** The statement, reading integers as its columns need. */
export function preparedFor(database: Database, { sql, columns }: SelectStatement): Statement<SqlRowArray> {
  return database.statement(sql, hasBigInts(columns) ? withBigInts : withNumbers);
}

const withBigInts = { returnArrays: true, readBigInts: true } as const;
const withNumbers = { returnArrays: true, readBigInts: false } as const;
const bigIntLists = new WeakMap<readonly Column[], boolean>();

function hasBigInts(columns: readonly Column[]): boolean {
  let has = bigIntLists.get(columns);
  if (has === undefined) {
    has = columns.some(({ type }) => type.sql.readsBigInt);
    bigIntLists.set(columns, has);
  }
  return has;
}

/** Stored values as values of the columns' types; null stays null. */
export function decodeRows(rows: readonly SqlRowArray[], columns: readonly Column[]): readonly RowValues[] {
  return rows.map((row) =>
    columns.map(({ type }, place) => {
      const stored = row[place];
      return stored === null || stored === undefined ? null : type.sql.decode(stored);
    }),
  );
}

/** What a failed read is to the engine's callers; other errors stay as they are. */
export function toReadError(error: unknown): unknown {
  return error instanceof DatabaseFailure ? storageFailure('read', error.kind, error) : error;
}
