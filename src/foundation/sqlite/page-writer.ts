// Writes pages that another server changed into a database, as transactions of its write-ahead log, while other
// connections of this process read it.
import { closeSync, fdatasyncSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { endianness } from 'node:os';
import { writeWhole } from '../machine/write-whole.js';
import { DatabaseFailure } from './database-failure.js';
import { sumOfFrame } from './find-log-damage.js';
import { frameHeadBytes, headBytes, type NumberPair } from './log-format.js';
import { type Database, openDatabase } from './open-database.js';
import { continueSum } from './page-sum.js';

/** A page with its number, from 1. */
export interface WrittenPage {
  readonly page: number;
  readonly content: Buffer;
}

/** The first number of a log whose sums are of words in the order of this machine. */
const magic = 0x377f0682 + (endianness() === 'BE' ? 1 : 0);
const logFormat = 3_007_000;
/** The two copies of the head of the index of the log. Behind them are the marks of readers. */
const indexHeadBytes = 96;
const busyTimeoutMs = 1_000;
/** Checkpoints are made here, and not by the connection. */
const never = Number.MAX_SAFE_INTEGER;

/**
 * The only writer of a database. SQLite has no call that writes a page, so the frames are written to the log here, and
 * SQLite reads them as it does after a crash: the head of the index of the log is cleared, under the lock of writers,
 * and the next reader makes the index again from the log, beside readers that still use an older state. A transaction
 * is visible as a whole, or not at all, also after a kill.
 */
export class PageWriter {
  readonly #database: Database;
  readonly #log: number;
  /** Open until the end: to close it releases the locks that SQLite has on it in this process. */
  readonly #index: number;
  readonly #pageBytes: number;
  readonly #randomSalts: () => Buffer;
  #salts: NumberPair = [0, 0];
  /** The frames and the sum of the log up to the last commit, and up to the last page. */
  #committed = { frames: 0, sum: [0, 0] as NumberPair };
  #written = this.#committed;
  /** The last page, which is written when it is known whether it ends the transaction. */
  #held: WrittenPage | undefined;

  /**
   * Nobody reads the database yet; what a killed process left in its log is moved into the file. `randomSalts` makes 8
   * random bytes for each round of the log. @throws DatabaseFailure
   */
  constructor(path: string, randomSalts: () => Buffer) {
    this.#randomSalts = randomSalts;
    this.#database = openDatabase({ path, hasPageSums: true, busyTimeoutMs, walAutocheckpointPages: never });
    try {
      this.#database.statement('SELECT count(*) FROM sqlite_schema').get();
      if (!this.#database.checkpoint('TRUNCATE').isWhole)
        throw new DatabaseFailure('busy', `${path} is read by another program`);
      this.#pageBytes = Number(this.#database.statement('PRAGMA page_size').get()?.['page_size']);
      this.#log = openSync(`${path}-wal`, 'r+');
      this.#index = openSync(`${path}-shm`, 'r+');
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  /** The size of a page, in bytes. */
  get pageBytes(): number {
    return this.#pageBytes;
  }

  /** The committed frames in the log. */
  get frames(): number {
    return this.#committed.frames;
  }

  /** Whether pages wait for their commit. */
  get isInTransaction(): boolean {
    return this.#held !== undefined;
  }

  /** Adds pages to the open transaction. @throws DatabaseFailure, errors of the file system */
  add(pages: readonly WrittenPage[]): void {
    this.#database.beforeWrite();
    if (this.#written.frames === 0 && this.#held === undefined) this.#beginLog();
    for (const page of pages) {
      if (page.content.length !== this.#pageBytes)
        throw new DatabaseFailure('other', `a page has ${page.content.length} bytes`);
      if (this.#held !== undefined) this.#writeFrame(this.#held, 0);
      this.#held = page;
    }
  }

  /** Makes the transaction durable, then visible. @throws DatabaseFailure, errors of the file system */
  commit(databasePages: number): void {
    if (this.#held === undefined) return;
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      this.#writeFrame(this.#held, databasePages);
      fdatasyncSync(this.#log);
      this.#committed = this.#written;
      this.#held = undefined;
      writeSync(this.#index, Buffer.alloc(indexHeadBytes), 0, indexHeadBytes, 0);
    } finally {
      this.#database.exec('ROLLBACK'); // of nothing: it releases the lock
    }
    this.#expectRead();
  }

  /** The log must be read here as it was written. @throws DatabaseFailure */
  #expectRead(): void {
    const read = Number(this.#database.statement('PRAGMA wal_checkpoint(NOOP)').get()?.['log']);
    if (read === this.#committed.frames) return;
    throw new DatabaseFailure('other', `the log has ${this.#committed.frames} frames, and ${read} are read`);
  }

  /** Forgets the pages of the open transaction. @throws errors of the file system */
  rollBack(): void {
    this.#held = undefined;
    this.#written = this.#committed;
    const { frames } = this.#committed;
    ftruncateSync(this.#log, frames === 0 ? 0 : headBytes + frames * (frameHeadBytes + this.#pageBytes));
  }

  /**
   * Moves the log into the file, outside a transaction. Returns false if readers need it still: it is tried again.
   * @throws DatabaseFailure
   */
  emptyLog(): boolean {
    if (this.#committed.frames === 0) return true;
    if (!this.#database.checkpoint('TRUNCATE').isWhole) return false;
    this.#committed = { frames: 0, sum: [0, 0] };
    this.#written = this.#committed;
    return true;
  }

  /** Ends the use of the file; readers have closed it before. */
  close(): void {
    if (this.isInTransaction) this.rollBack();
    this.#database.close();
    closeSync(this.#log);
    closeSync(this.#index);
  }

  #beginLog(): void {
    const head = Buffer.alloc(headBytes);
    const salts = this.#randomSalts();
    for (const [at, word] of [magic, logFormat, this.#pageBytes, 0].entries())
      head.writeUInt32BE(word, at * 4);
    salts.copy(head, 16);
    const sum = continueSum([0, 0], head.subarray(0, 24), false);
    writePair(head, sum, 24);
    writeWhole(this.#log, head, 0);
    this.#salts = [salts.readUInt32BE(0), salts.readUInt32BE(4)];
    this.#committed = { frames: 0, sum };
    this.#written = this.#committed;
  }

  /** `databasePages`: the size of the database if the frame ends a transaction, else 0. */
  #writeFrame({ page, content }: WrittenPage, databasePages: number): void {
    const frame = Buffer.allocUnsafe(frameHeadBytes + this.#pageBytes);
    frame.writeUInt32BE(page, 0);
    frame.writeUInt32BE(databasePages, 4);
    writePair(frame, this.#salts, 8);
    content.copy(frame, frameHeadBytes);
    const { frames, sum: before } = this.#written;
    const sum = sumOfFrame(before, frame, false);
    writePair(frame, sum, 16);
    writeWhole(this.#log, frame, headBytes + frames * frame.length);
    this.#written = { frames: frames + 1, sum };
  }
}

function writePair(bytes: Buffer, [one, two]: NumberPair, offset: number): void {
  bytes.writeUInt32BE(one, offset);
  bytes.writeUInt32BE(two, offset + 4);
}
