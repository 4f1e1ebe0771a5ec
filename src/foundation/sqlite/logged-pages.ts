// The pages of a database that are in its write-ahead log, while other connections write.
import { closeSync, fstatSync, readSync } from 'node:fs';
import { DatabaseFailure } from './database-failure.js';
import { LogReader, openIfThere } from './find-log-damage.js';
import {
  frameHeadBytes,
  headBytes,
  isEqualPair,
  pageBytesIn,
  pageOfFrame,
  pagesAfterCommit,
  saltsOfFrame,
  saltsOfHead,
} from './log-format.js';

/** How a log is read. */
export interface LogReading {
  /** About how much is read at a time, in bytes; at least one frame. */
  readonly pieceBytes: number;
  /**
   * Does one piece of the work, which returns the number of bytes that it read, and returns that number. It may rest
   * afterwards, or throw to end the work.
   */
  readonly doPiece: (piece: () => number) => Promise<number>;
}

/** A log changes at most once while it is read, and a transaction that is rolled back in between is rare. */
const attempts = 5;

/**
 * Finds the last committed frame of each page in the present round of the log at `path`; undefined if there is none.
 *
 * The caller has a read transaction on the database, and begins it before. So of this round nothing is removed or
 * replaced, except by at most one new round if the database file has all of it. A transaction that is rolled back and
 * written over meanwhile looks like damage, and a new round too: the log is read again. Frames that are appended
 * meanwhile may be found or not: no checkpoint moves them, because the reader does not see them.
 * @throws DatabaseFailure `corrupt` if frames are damaged; what `doPiece` throws
 */
export async function findLoggedPages(path: string, reading: LogReading): Promise<LoggedPages | undefined> {
  const file = openIfThere(path);
  if (file === undefined) return undefined;
  let found: LoggedPages | undefined;
  try {
    found = await findIn(file, path, reading);
  } finally {
    if (found === undefined) closeSync(file);
  }
  return found;
}

async function findIn(file: number, path: string, reading: LogReading): Promise<LoggedPages | undefined> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const head = headOf(file);
    if (head === undefined) return undefined; // emptied, because the database file has all of it
    const frames = new CommittedFrames(head);
    await readRound(file, head, frames, reading);
    if (headOf(file)?.equals(head) !== true || frames.areDamaged) continue;
    return frames.databasePages === 0 ? undefined : new LoggedPages(file, head, frames);
  }
  throw new DatabaseFailure('corrupt', `${path} is damaged`);
}

/** Undefined for a log without a head, which has no frames. */
function headOf(file: number): Buffer | undefined {
  const head = Buffer.alloc(headBytes);
  return readSync(file, head, 0, headBytes, 0) === headBytes ? head : undefined;
}

/** Takes complete frames, up to the first of an earlier round. */
async function readRound(
  file: number,
  head: Buffer,
  frames: CommittedFrames,
  { pieceBytes, doPiece }: LogReading,
): Promise<void> {
  const { frameBytes } = frames;
  const { size } = fstatSync(file);
  const buffer = Buffer.allocUnsafe(Math.max(1, Math.floor(pieceBytes / frameBytes)) * frameBytes);
  const salts = saltsOfHead(head);
  let offset = headBytes;
  const readPiece = () => {
    const read = readSync(file, buffer, 0, Math.min(buffer.length, size - offset), offset);
    let bytes = 0;
    for (; bytes + frameBytes <= read; bytes += frameBytes) {
      const frame = buffer.subarray(bytes, bytes + frameBytes);
      if (!isEqualPair(saltsOfFrame(frame), salts)) break;
      frames.take(frame);
    }
    return bytes;
  };
  for (;;) {
    const bytes = await doPiece(readPiece);
    offset += bytes;
    if (bytes < buffer.length) return;
  }
}

/** The last frame of each page among the frames that it gets in their order, up to the last commit. */
class CommittedFrames {
  readonly #log: LogReader;
  readonly #frameOfPage = new Map<number, number>();
  /** Pages of the frames after the last commit. */
  #pages: number[] = [];
  #committed = 0;
  #databasePages = 0;

  constructor(head: Buffer) {
    this.#log = new LogReader(head);
  }

  get frameBytes(): number {
    return this.#log.frameBytes;
  }

  get areDamaged(): boolean {
    return this.#log.damage() !== undefined;
  }

  /** The size of the database after the last commit, in pages; 0 without a commit. */
  get databasePages(): number {
    return this.#databasePages;
  }

  take(frame: Buffer): void {
    this.#log.take(frame);
    if (!this.#log.isIntact) return;
    this.#pages.push(pageOfFrame(frame));
    const databasePages = pagesAfterCommit(frame);
    if (databasePages === 0) return;
    for (const page of this.#pages) {
      this.#frameOfPage.set(page, this.#committed);
      this.#committed += 1;
    }
    this.#pages = [];
    this.#databasePages = databasePages;
  }

  /** The offset of the content of a page in the log, in bytes. */
  offsetOf(page: number): number | undefined {
    const frame = this.#frameOfPage.get(page);
    return frame === undefined ? undefined : headBytes + frame * this.frameBytes + frameHeadBytes;
  }
}

/** Pages in a round of a log, which stays open until `close`. */
export class LoggedPages {
  /** The size of the database in the state of the log, in bytes. */
  readonly databaseBytes: number;
  readonly #file: number;
  readonly #head: Buffer;
  readonly #frames: CommittedFrames;
  readonly #pageBytes: number;

  constructor(file: number, head: Buffer, frames: CommittedFrames) {
    this.#file = file;
    this.#head = head;
    this.#frames = frames;
    this.#pageBytes = pageBytesIn(head) ?? 0;
    this.databaseBytes = frames.databasePages * this.#pageBytes;
  }

  /**
   * Puts the pages of the log over whole pages of the database file from `offset`. Returns false if the round has
   * ended: the database file has all of it then, and the content of `pages` is of no use.
   */
  putOver(pages: Buffer, offset: number): boolean {
    const pageBytes = this.#pageBytes;
    let isAnyOfLog = false;
    for (let at = 0; at < pages.length; at += pageBytes) {
      const place = this.#frames.offsetOf((offset + at) / pageBytes + 1);
      if (place === undefined) continue;
      isAnyOfLog = true;
      if (readSync(this.#file, pages, at, pageBytes, place) < pageBytes) return false;
    }
    // A new round writes its head before its frames.
    return !isAnyOfLog || headOf(this.#file)?.equals(this.#head) === true;
  }

  /** Whether a page, from 1, is in the log. */
  has(page: number): boolean {
    return this.#frames.offsetOf(page) !== undefined;
  }

  close(): void {
    closeSync(this.#file);
  }
}
