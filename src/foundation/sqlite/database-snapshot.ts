// The state of a database at one moment as the bytes of one file, while other connections write.
import { closeSync, fstatSync, readSync } from 'node:fs';
import { openRegularFile } from '../machine/regular-file.js';
import { removeLogVersion } from './log-format.js';
import { findLoggedPages, type LoggedPages, type LogReading } from './logged-pages.js';
import { type Database, openDatabase } from './open-database.js';
import type { SqlValue } from './sql-value.js';

/** How long the first read waits for another program that has locked the file. */
const busyTimeoutMs = 10_000;

/**
 * A read transaction on a database and its two files. Until `close`, nothing of its state is removed from them: a
 * checkpoint moves only pages to the file that the reader sees, and they are in the log, too; and a new round of the
 * log begins only if the file has all of the round before.
 */
export class DatabaseSnapshot {
  readonly #database: Database;
  readonly #path: string;
  readonly #file: number;
  #log: LoggedPages | undefined;
  #bytes: number;
  readonly #pageBytes: number;

  /** @throws DatabaseFailure, errors of the file system */
  constructor(path: string) {
    this.#path = path;
    this.#database = openDatabase({ path, readOnly: true, busyTimeoutMs });
    try {
      this.#database.exec('BEGIN');
      this.query('SELECT count(*) FROM sqlite_schema'); // the first read begins the snapshot
      this.#file = openRegularFile(path);
    } catch (error) {
      this.#closeDatabase();
      throw error;
    }
    this.#bytes = fstatSync(this.#file).size;
    this.#pageBytes = Number(this.query('PRAGMA page_size'));
  }

  /** The size of a page, in bytes. */
  get pageBytes(): number {
    return this.#pageBytes;
  }

  /** The first value of the result. @throws DatabaseFailure */
  query(sql: string): SqlValue | undefined {
    return this.#database.statement(sql, { returnArrays: true }).get()?.[0];
  }

  /**
   * Finds what the log has. The state then is that of the last commit, or of one between the beginning of the snapshot
   * and now.
   * @throws see `findLoggedPages`
   */
  async readLog(reading: LogReading): Promise<void> {
    this.#log?.close();
    this.#log = await findLoggedPages(`${this.#path}-wal`, reading);
    if (this.#log !== undefined) this.#bytes = this.#log.databaseBytes;
  }

  /** The size of the state; of the file alone before `readLog`. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Reads whole pages from `offset`, both in bytes, and returns how many bytes these are, 0 at the end. The state has
   * no log, so it is one file, which can be read without creating others beside it.
   */
  read(buffer: Buffer, offset: number): number {
    const pages = buffer.subarray(0, Math.max(0, Math.min(buffer.length, this.#bytes - offset)));
    this.#readFile(pages, offset);
    if (this.#log?.putOver(pages, offset) === false) {
      this.#log.close();
      this.#log = undefined;
      this.#readFile(pages, offset);
    }
    if (offset === 0 && pages.length > 0) removeLogVersion(pages);
    return pages.length;
  }

  /** Reads from the database file alone, and returns how many bytes these are, 0 at the end. */
  readFile(buffer: Buffer, offset: number): number {
    return readSync(this.#file, buffer, 0, buffer.length, offset);
  }

  /** Whether the log has a page, from 1, after `readLog`. */
  hasInLog(page: number): boolean {
    return this.#log?.has(page) === true;
  }

  /** Pages after the end of the file are in the log. */
  #readFile(pages: Buffer, offset: number): void {
    const read = readSync(this.#file, pages, 0, pages.length, offset);
    pages.fill(0, read);
  }

  /** The file last: to close it releases the locks that SQLite has on it in this process. */
  close(): void {
    this.#log?.close();
    this.#log = undefined;
    this.#closeDatabase();
    closeSync(this.#file);
  }

  #closeDatabase(): void {
    this.#database.endReading();
    this.#database.close();
  }
}
