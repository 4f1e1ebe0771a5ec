// Opens SQLite files; the only file that imports the driver.

import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from '@photostructure/sqlite';
import { GenerationCache } from '../generation-cache.js';
import { getOrMake } from '../get-or-make.js';
import { memoryOutside } from '../memory-outside.js';
import { applyPragmas } from './apply-pragmas.js';
import { CheckpointGate } from './checkpoint-gate.js';
import { toDatabaseFailure } from './database-failure.js';
import type { DatabaseOptions } from './database-options.js';
import type { PageSums } from './page-sums.js';
import type { SqlValue } from './sql-value.js';
import { openSums, SummedLog } from './summed-log.js';

/** The form in which a statement returns its rows. */
export interface StatementOptions {
  /** Integers are `bigint`; without it, an integer above 2^53 throws a RangeError. */
  readonly readBigInts?: boolean;
  /** Rows are arrays in the order of the columns instead of objects. */
  readonly returnArrays?: boolean;
}

/** A row by the names of its columns. */
export type SqlRow = Readonly<Record<string, SqlValue>>;
/** A row in the order of its columns. */
export type SqlRowArray = readonly SqlValue[];
/** The effect of a statement without rows. */
export interface RunResult {
  readonly changes: number;
  readonly lastInsertRowid: number | bigint;
}

/**
 * Opens one connection. Durable: `synchronous=FULL`, and a new file gets `auto_vacuum=INCREMENTAL`. The pragmas are
 * checked after they are set.
 * @throws DatabaseFailure when the file cannot be opened or a pragma cannot be set
 */
export function openDatabase(options: DatabaseOptions): Database {
  const sums = options.hasPageSums === true ? openSums(options.path, () => useLog(options)) : undefined;
  let connection: DatabaseSyncInstance;
  try {
    connection = translated(() => connect(options));
  } catch (error) {
    sums?.close();
    throw error;
  }
  try {
    translated(() => applyPragmas(connection, options));
    for (const [name, call] of Object.entries(options.functions ?? {})) {
      connection.function(name, { deterministic: true }, call);
    }
    const database = new Database(connection, options);
    if (sums !== undefined) database.keepSums(sums);
    return database;
  } catch (error) {
    connection.close();
    sums?.close();
    throw error;
  }
}

function connect(options: DatabaseOptions): DatabaseSyncInstance {
  return new DatabaseSync(options.path, {
    readOnly: options.readOnly ?? false,
    enableForeignKeyConstraints: false,
    timeout: options.busyTimeoutMs ?? 0,
  });
}

/** Changes a database that has no log, such as a restored one, to one that has; its first page is written directly. */
function useLog(options: DatabaseOptions): void {
  translated(() => {
    const connection = connect(options);
    try {
      connection.exec('PRAGMA journal_mode = WAL');
    } finally {
      connection.close();
    }
  });
}

/** What a checkpoint did. */
export interface CheckpointResult {
  /** Whether all of the log is in the file and, with `TRUNCATE`, the log is empty: no reader prevented it. */
  readonly isWhole: boolean;
  /** The pages of the log that are in the file. */
  readonly pages: number;
}

/** One connection. Its statements keep it alive; neither may be used after `close`. */
export class Database {
  readonly #connection: DatabaseSyncInstance;
  readonly #statements: GenerationCache<(Statement | undefined)[]>;
  readonly #options: DatabaseOptions;
  readonly #gate: CheckpointGate | undefined;
  #log: SummedLog | undefined;
  /** Whether `transaction` runs: to ask the driver takes a part of the time of a small statement. */
  #isRunningTransaction = false;

  constructor(connection: DatabaseSyncInstance, options: DatabaseOptions) {
    this.#connection = connection;
    this.#options = options;
    if (options.shippedLog !== undefined) this.#gate = new CheckpointGate(options.path, options.shippedLog);
    this.#statements = new GenerationCache(options.statementCacheSize ?? 500, releaseAll);
  }

  /** Keeps the sums of pages from now on. */
  keepSums(sums: PageSums): void {
    const { path, walAutocheckpointPages = usualCheckpointPages } = this.#options;
    const connection = {
      countFrames: () => this.#countFrames(),
      checkpoint: () => void this.checkpoint('PASSIVE'),
    };
    const mostFrames = Math.min(walAutocheckpointPages, this.#gate?.longFrames ?? walAutocheckpointPages);
    this.#log = new SummedLog(path, sums, connection, mostFrames);
  }

  /** The committed frames in the log. */
  #countFrames(): number {
    return Number(this.statement('PRAGMA wal_checkpoint(NOOP)').get()?.['log']);
  }

  get isOpen(): boolean {
    return this.#connection.isOpen;
  }

  get isInTransaction(): boolean {
    return this.#connection.isTransaction;
  }

  /** The number of statements in the cache. */
  get keptStatements(): number {
    return this.#statements.size;
  }

  /**
   * The prepared statement for a text of exactly one statement, from the cache. Callers that use it often may keep it.
   * @throws DatabaseFailure `schema` or `other` when the text cannot be prepared
   */
  statement(sql: string, options: StatementOptions & { readonly returnArrays: true }): Statement<SqlRowArray>;
  statement(sql: string, options?: StatementOptions & { readonly returnArrays?: false }): Statement<SqlRow>;
  statement(sql: string, options?: StatementOptions): Statement {
    const isBig = options?.readBigInts === true;
    const isArray = options?.returnArrays === true;
    const variant = (isBig ? 1 : 0) + (isArray ? 2 : 0);
    const variants = getOrMake(this.#statements, sql, noVariants);
    const known = variants[variant];
    if (known !== undefined) return known;
    const statement = this.#prepare(sql, { readBigInts: isBig, returnArrays: isArray });
    variants[variant] = statement;
    return statement;
  }

  #prepare(sql: string, options: StatementOptions): Statement {
    const prepared = translated(() => this.#connection.prepare(sql, options));
    const bytes = Math.max(leastStatementBytes, sql.length * bytesOfCharacter);
    return new Statement(this, prepared, bytes);
  }

  /** Runs one or more statements without values or rows. */
  exec(sql: string): void {
    this.#execute(sql);
    this.#log?.noteMany();
    this.#afterStatement();
  }

  #execute(sql: string): void {
    this.#log?.beforeWrite();
    translated(() => this.#connection.exec(sql));
  }

  /** Must be called before a statement that changes rows. */
  beforeWrite(): void {
    this.#log?.beforeWrite();
  }

  /** Must be called after a statement that changed rows with these values. */
  afterWrite(values: readonly SqlValue[], changes: number): void {
    if (this.#log === undefined) return;
    this.#log.noteRows(values, changes);
    this.#afterStatement();
  }

  /** A statement outside a transaction has committed. */
  #afterStatement(): void {
    if (this.#log !== undefined && !this.#isRunningTransaction && !this.#connection.isTransaction)
      this.#log.afterCommit();
  }

  /**
   * Runs `work` between BEGIN IMMEDIATE and COMMIT. If it throws, the transaction is rolled back and the error is
   * thrown again. Cannot be nested.
   */
  transaction<Result>(work: () => Result): Result {
    this.#execute('BEGIN IMMEDIATE');
    this.#isRunningTransaction = true;
    try {
      const result = work();
      this.#execute('COMMIT');
      this.#log?.afterCommit();
      return result;
    } catch (error) {
      // After some failures, such as a full disk, SQLite has already rolled back.
      if (this.#connection.isTransaction) this.#execute('ROLLBACK');
      throw error;
    } finally {
      this.#isRunningTransaction = false;
    }
  }

  /**
   * Ends a read transaction, if one is open. In a damaged file even COMMIT can fail; the reads have reported the damage
   * before, and there is nothing to lose.
   * @throws DatabaseFailure when ROLLBACK does not end it either
   */
  endReading(): void {
    if (!this.#connection.isTransaction) return; // some failures end it by themselves
    try {
      this.#execute('COMMIT');
    } catch {
      if (this.#connection.isTransaction) this.#execute('ROLLBACK');
    }
  }

  /**
   * Moves as much of the write-ahead log into the file as no reader needs, without waiting; `TRUNCATE` also empties the
   * log. It does nothing while the log is not shipped.
   * @throws DatabaseFailure
   */
  checkpoint(mode: 'PASSIVE' | 'TRUNCATE'): CheckpointResult {
    if (this.#gate?.mayCheckpoint(this.#countFrames()) === false) return { isWhole: false, pages: 0 };
    this.#log?.noteAll();
    const waitAtMost = (ms: number) => translated(() => this.#connection.exec(`PRAGMA busy_timeout = ${ms}`));
    waitAtMost(0);
    try {
      const row = this.statement(`PRAGMA wal_checkpoint(${mode})`).get() ?? {};
      const [busy, log, pages] = [row['busy'], row['log'], row['checkpointed']].map(Number);
      const isWhole = busy === 0 && log === pages;
      if (isWhole && (mode === 'TRUNCATE' || log === 0)) this.#log?.settle();
      return { isWhole, pages: Math.max(0, pages ?? 0) };
    } finally {
      waitAtMost(this.#options.busyTimeoutMs ?? 0);
    }
  }

  /** Closes the file; an open transaction is rolled back. A second call does nothing. */
  close(): void {
    if (!this.#connection.isOpen) return;
    // The driver does not finalize statements, so SQLite closes the connection only when the last of them has been
    // collected. The rollback and the checkpoint must happen now, so they are executed explicitly.
    if (this.#connection.isTransaction) this.#execute('ROLLBACK');
    const mayCheckpoint = this.#mayCheckpointAtEnd();
    this.#gate?.end();
    this.#log?.close();
    this.#log = undefined;
    this.#statements.clear();
    if (mayCheckpoint) {
      this.#checkpointAtEnd();
      translated(() => this.#connection.close());
    } else this.#closeWithLog();
  }

  #mayCheckpointAtEnd(): boolean {
    if (this.#options.readOnly === true) return false;
    return this.#gate?.mayCheckpointAtEnd(this.#countFrames()) ?? true;
  }

  /** SQLite moves the log into the file when the last connection closes, unless that one may only read. */
  #closeWithLog(): void {
    if (this.#options.readOnly === true) {
      translated(() => this.#connection.close());
      return;
    }
    const reader = translated(() => connect({ ...this.#options, readOnly: true }));
    try {
      translated(() => reader.exec('SELECT count(*) FROM sqlite_schema'));
      translated(() => this.#connection.close());
    } finally {
      reader.close();
    }
  }

  #checkpointAtEnd(): void {
    try {
      this.#connection.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // Everything committed is in the log, and the next start reads it.
    }
  }
}

/**
 * A prepared statement. Values are bound by position. The driver truncates a string at U+0000: encode such strings
 * first.
 */
export class Statement<Row extends SqlRow | SqlRowArray = SqlRow | SqlRowArray> {
  /** The driver's statement does not prevent its connection from being collected and closed: this reference does. */
  readonly database: Database;
  readonly #prepared: StatementSyncInstance;
  /** About the memory of SQLite that it holds. */
  readonly bytes: number;
  /** Whether a run failed: the driver reports that again when the next iteration begins, often as "not an error". */
  #hasFailed = false;

  constructor(database: Database, prepared: StatementSyncInstance, bytes: number) {
    this.database = database;
    this.#prepared = prepared;
    this.bytes = bytes;
  }

  /** Runs a statement that changes rows. */
  run(values: readonly SqlValue[] = none): RunResult {
    this.database.beforeWrite();
    const result = this.#run(values);
    this.database.afterWrite(values, result.changes);
    return result;
  }

  #run(values: readonly SqlValue[]): RunResult {
    try {
      return this.#prepared.run(...values);
    } catch (error) {
      throw this.#failure(error);
    }
  }

  /** The first row. */
  get(values: readonly SqlValue[] = none): Row | undefined {
    try {
      return this.#prepared.get(...values);
    } catch (error) {
      throw this.#failure(error);
    }
  }

  all(values: readonly SqlValue[] = none): Row[] {
    try {
      // The driver types rows as `any`; their form was set when the statement was prepared.
      return this.#prepared.all(...values) as Row[];
    } catch (error) {
      throw this.#failure(error);
    }
  }

  /** Rows one by one. If the statement is used otherwise before the end, the next step throws. */
  *iterate(values: readonly SqlValue[] = none): Generator<Row, void, undefined> {
    try {
      if (this.#hasFailed) this.#forgetFailure(values);
      // See `all`.
      yield* this.#prepared.iterate(...values) as IterableIterator<Row>;
    } catch (error) {
      throw this.#failure(error);
    }
  }

  #failure(error: unknown): unknown {
    this.#hasFailed = true;
    return toDatabaseFailure(error);
  }

  #forgetFailure(values: readonly SqlValue[]): void {
    this.#hasFailed = false;
    try {
      this.#prepared.iterate(...values);
    } catch {
      // The failure before, which was reported then.
    }
  }
}

const none: readonly SqlValue[] = [];

/** About the memory that SQLite uses for a prepared statement, in bytes: up to 70 for each character of its text. */
const leastStatementBytes = 16 * 1024;
const bytesOfCharacter = 64;

const noVariants = (): (Statement | undefined)[] => [undefined, undefined, undefined, undefined];

/** The driver cannot finalize a statement: SQLite frees it when it is collected. */
function releaseAll(statements: (Statement | undefined)[]): void {
  for (const statement of statements) {
    if (statement !== undefined) memoryOutside.release(statement, statement.bytes);
  }
}

const usualCheckpointPages = 1_000;

function translated<Result>(call: () => Result): Result {
  try {
    return call();
  } catch (error) {
    throw toDatabaseFailure(error);
  }
}
