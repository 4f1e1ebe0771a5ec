// The write-ahead log of a connection whose pages get checksums before they are moved into the database.
import { closeSync, readSync } from 'node:fs';
import { DatabaseFailure } from './database-failure.js';
import { openIfThere } from './find-log-damage.js';
import {
  frameBytesIn,
  frameHeadBytes,
  hasLogVersion,
  headBytes,
  isEqualPair,
  type NumberPair,
  pageOfFrame,
  pagesAfterCommit,
  saltsOfFrame,
  saltsOfHead,
} from './log-format.js';
import { sumOfPage } from './page-sum.js';
import { findSums, makeSums, PageSums, removeSums } from './page-sums.js';
import type { SqlValue } from './sql-value.js';

/** Commits between two looks at the length of the log: a look takes some microseconds. */
const commitsPerLook = 16;
/**
 * After so many pages of values and changed rows, a commit is followed by a look at once. It bounds the log: without
 * it, large commits could add hundreds of megabytes between two looks.
 */
const pagesPerLook = 1_000;
/** Bytes of values that count as a page. */
const countedPageBytes = 4_096;
/**
 * So many frames are summed at a time, before a checkpoint needs their sums: about 10 ms. With fewer at a time, a page
 * is summed more often.
 */
const framesPerTurn = 10_000;
/** Frames that are read at a time. */
const framesAtOnce = 64;

/** What the log needs of the connection that writes, which has no automatic checkpoints. */
export interface LogConnection {
  /** The number of committed frames in the log. */
  readonly countFrames: () => number;
  readonly checkpoint: () => void;
}

/**
 * Keeps the sums of the pages in the log. Every checkpoint of the connection must follow `noteAll`, also that of its
 * end; other connections only read. A process that dies before leaves its log, from which the next one makes the sums.
 */
export class SummedLog {
  readonly #path: string;
  readonly #sums: PageSums;
  readonly #connection: LogConnection;
  readonly #mostFrames: number;
  #commits = 0;
  /** About the pages that were written since the last look; more if each row has several indexes. */
  #writtenPages = 0;
  /** Whether the first transaction since the log was empty has not ended yet. */
  #isFresh = false;
  /** The round of the log, and its frames that have sums. */
  #salts: NumberPair = [0, 0];
  #noted = 0;
  /** The size of the database after the last of them. */
  #pages = 0;

  /** @throws errors of the file system */
  constructor(path: string, sums: PageSums, connection: LogConnection, mostFrames: number) {
    this.#path = `${path}-wal`;
    this.#sums = sums;
    this.#connection = connection;
    this.#mostFrames = mostFrames;
    this.#pages = sums.pages;
  }

  /** Must be called before anything is written. */
  beforeWrite(): void {
    if (this.#sums.state === 'written') return;
    translated(() => this.#sums.setState('written'));
    this.#isFresh = true;
  }

  /** Notes what a statement wrote, from what is known without asking SQLite. */
  noteRows(values: readonly SqlValue[], changes: number): void {
    let bytes = 0;
    for (const value of values) {
      if (typeof value === 'string') bytes += value.length;
      else if (value instanceof Uint8Array) bytes += value.byteLength;
    }
    this.#writtenPages += changes + bytes / countedPageBytes;
  }

  /** Notes a statement that may have written anything, such as the whole of an index. */
  noteMany(): void {
    this.#writtenPages += pagesPerLook;
  }

  /** Looks from time to time whether the log is long. A failure is left to the next look, or to the end. */
  afterCommit(): void {
    this.#commits += 1;
    if (this.#commits < commitsPerLook && this.#writtenPages < pagesPerLook && !this.#isFresh) return;
    this.#commits = 0;
    this.#writtenPages = 0;
    try {
      const frames = this.#connection.countFrames();
      // A transaction that wrote nothing, as at rest, leaves the log empty.
      if (this.#isFresh && frames === 0) this.settle();
      this.#isFresh = false;
      if (frames >= this.#mostFrames) this.#connection.checkpoint();
      // A checkpoint has noted all frames, unless it waits until the log is shipped.
      if (frames < this.#noted || frames - this.#noted >= framesPerTurn) this.#note(frames);
    } catch (error) {
      if (!(error instanceof DatabaseFailure)) throw error;
    }
  }

  /** All frames have durable sums afterwards. @throws DatabaseFailure */
  noteAll(): void {
    if (this.#sums.state === 'settled') return;
    this.#note(this.#connection.countFrames());
    translated(() => this.#sums.makeDurable());
  }

  /** The log is empty, after `noteAll`. @throws DatabaseFailure */
  settle(): void {
    translated(() => this.#sums.setState('settled'));
  }

  /** Ends the use of the sums. If they cannot be written, they are removed, and the next start makes them. */
  close(): void {
    try {
      this.noteAll();
      this.#sums.setState('settled');
      this.#sums.close();
    } catch {
      this.#sums.discard();
    }
  }

  #note(frames: number): void {
    translated(() => {
      const file = openIfThere(this.#path);
      if (file === undefined) return;
      try {
        this.#noteFrames(file, frames);
      } finally {
        closeSync(file);
      }
    });
  }

  #noteFrames(file: number, count: number): void {
    const head = Buffer.alloc(headBytes);
    if (count <= 0 || readSync(file, head, 0, headBytes, 0) < headBytes) return;
    const salts = saltsOfHead(head);
    if (!isEqualPair(salts, this.#salts) || count < this.#noted) this.#noted = 0;
    this.#salts = salts;
    const frames = { from: this.#noted, to: count };
    const { sums, leastPages, pages } = sumFrames(file, { path: this.#path, head, salts }, frames);
    if (leastPages < this.#pages) this.#sums.cut(leastPages);
    this.#pages = pages ?? this.#pages;
    this.#sums.write(sums);
    this.#noted = count;
  }
}

/** A log, and the frames of it that are summed. */
interface LogRound {
  readonly path: string;
  readonly head: Buffer;
  readonly salts: NumberPair;
}

/** The sums of the pages of some frames, and the sizes of the database after their commits. */
interface FrameSums {
  readonly sums: ReadonlyMap<number, NumberPair>;
  /** The size after the last commit, in pages; undefined without a commit. */
  readonly pages: number | undefined;
  /** The smallest of the sizes: pages after it were cut off, and may have another content without a frame. */
  readonly leastPages: number;
}

/** Reads backwards, because only the last frame of each page counts. @throws DatabaseFailure */
function sumFrames(
  file: number,
  { path, head, salts }: LogRound,
  { from, to }: { readonly from: number; readonly to: number },
): FrameSums {
  const frameBytes = frameBytesIn(head);
  const buffer = Buffer.allocUnsafe(Math.min(framesAtOnce, to - from) * frameBytes);
  const sums = new Map<number, NumberPair>();
  let pages: number | undefined;
  let leastPages = Number.POSITIVE_INFINITY;
  for (let end = to; end > from; end -= framesAtOnce) {
    const begin = Math.max(from, end - framesAtOnce);
    const bytes = (end - begin) * frameBytes;
    if (readSync(file, buffer, 0, bytes, headBytes + begin * frameBytes) < bytes)
      throw new DatabaseFailure('io', `${path} lacks its end`);
    for (let at = bytes - frameBytes; at >= 0; at -= frameBytes) {
      const frame = buffer.subarray(at, at + frameBytes);
      if (!isEqualPair(saltsOfFrame(frame), salts))
        throw new DatabaseFailure('io', `${path} has a frame of another round`);
      const [page, after] = [pageOfFrame(frame), pagesAfterCommit(frame)];
      if (after > 0) {
        pages ??= after;
        leastPages = Math.min(leastPages, after);
      }
      if (page <= leastPages && !sums.has(page))
        sums.set(page, sumOfPage(page, frame.subarray(frameHeadBytes)));
    }
  }
  return { sums, pages, leastPages };
}

/**
 * Opens the sums of a database before it is opened, and makes them if there are none that can be used. `useLog` gives a
 * log to a database that has none. Undefined if the disk refuses the sums: there are none then, and the next start
 * tries again. @throws what `useLog` throws
 */
export function openSums(path: string, useLog: () => void): PageSums | undefined {
  let sums: PageSums | undefined;
  try {
    if (findSums(path).kind !== 'usable') for (const _ of makeSums(path));
    const found = findSums(path);
    if (found.kind !== 'usable') return undefined;
    sums = new PageSums(path, found, true);
    keepSumWithLog(path, sums, useLog);
    return sums;
  } catch (error) {
    sums?.close();
    if (!(error instanceof Error) || !('syscall' in error)) throw error;
    removeSums(path);
    return undefined;
  }
}

/**
 * A copy of a database has no log, and SQLite changes its first page directly when it gets one. The page has a new sum
 * then, unless it was damaged before: so the damage is found later, too.
 */
function keepSumWithLog(path: string, sums: PageSums, useLog: () => void): void {
  const page = readFirstPage(path, sums.pageBytes);
  if (page === undefined || hasLogVersion(page) || sums.state !== 'settled') return;
  const [known] = sums.read(1, 1);
  const isSound = known !== undefined && isEqualPair(known, sumOfPage(1, page));
  // If the process ends before the new sum is written, all sums are made again.
  sums.setState('written');
  try {
    useLog();
  } finally {
    const changed = readFirstPage(path, sums.pageBytes);
    if (isSound && changed !== undefined) sums.write(new Map([[1, sumOfPage(1, changed)]]));
    sums.makeDurable();
    sums.setState('settled');
  }
}

/** Undefined if the file has no whole page. */
function readFirstPage(path: string, pageBytes: number): Buffer | undefined {
  const file = openIfThere(path);
  if (file === undefined) return undefined;
  try {
    const page = Buffer.alloc(pageBytes);
    return readSync(file, page, 0, pageBytes, 0) < pageBytes ? undefined : page;
  } finally {
    closeSync(file);
  }
}

function translated(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    const isFull = ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(String(error.code));
    throw new DatabaseFailure(isFull ? 'full' : 'io', error.message, { cause: error });
  }
}
