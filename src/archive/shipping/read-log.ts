// Finds the commits of a write-ahead log after a place of it, while another thread appends to it.
import { closeSync, readSync } from 'node:fs';
import { openIfThere, readLogHead, sumOfFrame } from '../../foundation/sqlite/find-log-damage.js';
import {
  frameBytesIn,
  headBytes,
  isEqualPair,
  type NumberPair,
  pageBytesIn,
  pageOfFrame,
  pagesAfterCommit,
  pairAt,
  saltsOfFrame,
} from '../../foundation/sqlite/log-format.js';
import { offsetInRoundEnd, type RoundEnd, roundEndPath } from '../../foundation/sqlite/round-end.js';
import type { LogPosition } from '../format/log-position.js';

/** The log has another round, or is empty, since it was opened. */
export class LogChanged extends Error {}

/** Where frames of one round of a log are: in the log itself, or in the file of the end of the round. */
export interface FrameSource {
  readonly file: number;
  readonly salts: NumberPair;
  readonly isSwapped: boolean;
  readonly pageBytes: number;
  readonly frameBytes: number;
  /** The place before the first frame. */
  readonly start: LogPosition;
  readonly offsetOf: (frame: number) => number;
  /** No frame from this number on is read. */
  readonly end: number;
}

/** Opens the present round of the log of a database; undefined if it has none. Call `closeSource` after it. */
export function openLog(database: string): FrameSource | undefined {
  const file = openIfThere(`${database}-wal`);
  if (file === undefined) return undefined;
  const head = Buffer.alloc(headBytes);
  const read = readSync(file, head, 0, headBytes, 0);
  const source = read < headBytes ? undefined : sourceOf(file, head, Number.POSITIVE_INFINITY, undefined);
  if (source === undefined) closeSync(file);
  return source;
}

/** Opens the frames that the file of the end of a round has. */
export function openRest(database: string, end: RoundEnd): FrameSource | undefined {
  const file = openIfThere(roundEndPath(database));
  if (file === undefined) return undefined;
  const source = sourceOf(file, end.head, end.to, (frame) => offsetInRoundEnd(end, frame));
  if (source === undefined) closeSync(file);
  return source;
}

/** Closes the file of a source. */
export function closeSource({ file }: FrameSource): void {
  closeSync(file);
}

function sourceOf(
  file: number,
  head: Buffer,
  end: number,
  offsetOf: ((frame: number) => number) | undefined,
): FrameSource | undefined {
  const { isSound, isSwapped, salts, sum } = readLogHead(head);
  const pageBytes = pageBytesIn(head);
  if (!isSound || pageBytes === undefined) return undefined;
  const frameBytes = frameBytesIn(head);
  return {
    ...{ file, salts, isSwapped, pageBytes, frameBytes, end },
    start: { salts, frames: 0, sum },
    offsetOf: offsetOf ?? ((frame) => headBytes + frame * frameBytes),
  };
}

/** Whether a source has the content up to a place: its round, and the frame before the place with its sum. */
export function hasPosition(source: FrameSource, { salts, frames, sum }: LogPosition): boolean {
  if (!isEqualPair(source.salts, salts)) return false;
  if (frames === 0) return isEqualPair(source.start.sum, sum);
  const found = sumAt(source, frames - 1);
  return found !== undefined && isEqualPair(found, sum);
}

/** The sum in a frame of the round; undefined if it is not there. */
export function sumAt(source: FrameSource, frame: number): NumberPair | undefined {
  const head = Buffer.alloc(24);
  if (readSync(source.file, head, 0, head.length, source.offsetOf(frame)) < head.length) return undefined;
  return isEqualPair(saltsOfFrame(head), source.salts) ? pairAt(head, 16) : undefined;
}

/** Commits after a place. */
export interface FoundCommits {
  /** The place after the last of them. */
  readonly to: LogPosition;
  /** The size of the database after it, in pages. */
  readonly databasePages: number;
  /** The last frame of each page; undefined if a single transaction has more pages than wanted. */
  readonly frameOfPage: ReadonlyMap<number, number> | undefined;
  /** Whether further commits may wait. */
  readonly isCut: boolean;
}

/** So much of a log is read at once. */
const bytesAtOnce = 256 * 1024;

/** After so many frames for each page that is wanted, a scan ends with the next commit. */
const framesOfPage = 4;

/**
 * Searches the commits after a place that the source has, of about `mostPages` pages; undefined if there are none. It
 * begins at the place each time: an open transaction can be rolled back, and another one written over a part of it.
 */
export function scanCommits(
  source: FrameSource,
  from: LogPosition,
  mostPages: number,
): FoundCommits | undefined {
  const scan = new CommitScan(from, mostPages);
  const { buffer, framesAtOnce } = bufferOf(source);
  for (let frame = scan.next; frame < source.end && !scan.isOver; ) {
    const wanted = Math.min(framesAtOnce, source.end - frame) * source.frameBytes;
    const read = readSync(source.file, buffer, 0, wanted, source.offsetOf(frame));
    const count = Math.floor(read / source.frameBytes);
    for (let at = 0; at < count && !scan.isOver; at += 1)
      scan.take(source, buffer.subarray(at * source.frameBytes, (at + 1) * source.frameBytes));
    frame += count;
    if (count < framesAtOnce) break;
  }
  return scan.result;
}

class CommitScan {
  readonly #mostPages: number;
  readonly #mostFrames: number;
  readonly #salts: NumberPair;
  /** Frames that were looked at, and the sum of the last of them. */
  #frames: number;
  #sum: NumberPair;
  /** The last frame of each page: up to the last commit, and after it. */
  #committed = new Map<number, number>();
  #open = new Map<number, number>();
  /** Whether the open transaction alone has more pages than wanted. */
  #isLarge = false;
  #commits: FoundCommits | undefined;
  #isOver = false;

  constructor({ salts, frames, sum }: LogPosition, mostPages: number) {
    this.#mostPages = mostPages;
    this.#mostFrames = frames + mostPages * framesOfPage;
    this.#salts = salts;
    this.#frames = frames;
    this.#sum = sum;
  }

  get next(): number {
    return this.#frames;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get result(): FoundCommits | undefined {
    return this.#commits;
  }

  /** Takes the next frame. It is over with the first one that does not follow, or when there is enough. */
  take(source: FrameSource, frame: Buffer): void {
    const sum = pairAt(frame, 16);
    const follows =
      isEqualPair(saltsOfFrame(frame), this.#salts) &&
      isEqualPair(sumOfFrame(this.#sum, frame, source.isSwapped), sum);
    if (!follows) {
      this.#isOver = true;
      return;
    }
    if (!this.#isLarge) this.#open.set(pageOfFrame(frame), this.#frames);
    this.#frames += 1;
    this.#sum = sum;
    if (this.#open.size > this.#mostPages) {
      this.#isLarge = true;
      this.#open.clear();
    }
    const databasePages = pagesAfterCommit(frame);
    if (databasePages > 0) this.#commit(databasePages);
    // The commits before a large transaction come first.
    else if (this.#isLarge && this.#commits !== undefined) this.#cut(this.#commits);
  }

  #commit(databasePages: number): void {
    const pages = this.#open.size + this.#committed.size;
    if (this.#commits !== undefined && (this.#isLarge || pages > this.#mostPages)) {
      this.#cut(this.#commits);
      return;
    }
    for (const [page, frame] of this.#open) this.#committed.set(page, frame);
    this.#open.clear();
    const to = { salts: this.#salts, frames: this.#frames, sum: this.#sum };
    const frameOfPage = this.#isLarge ? undefined : this.#committed;
    this.#isOver = this.#isLarge || this.#frames >= this.#mostFrames;
    this.#commits = { to, databasePages, frameOfPage, isCut: this.#isOver };
  }

  /** What was found before is enough. */
  #cut(commits: FoundCommits): void {
    this.#commits = { ...commits, isCut: true };
    this.#isOver = true;
  }
}

let sharedBuffer = Buffer.alloc(0);

/** Memory for some frames, of use until the next call. */
function bufferOf({ frameBytes }: FrameSource): { readonly buffer: Buffer; readonly framesAtOnce: number } {
  const framesAtOnce = Math.ceil(bytesAtOnce / frameBytes);
  const bytes = framesAtOnce * frameBytes;
  if (sharedBuffer.length < bytes) sharedBuffer = Buffer.allocUnsafeSlow(bytes);
  return { buffer: sharedBuffer, framesAtOnce };
}

/** Whether the log has the round still that it had when it was opened. A new round writes its head first. */
export function isPresent(path: string, { salts }: FrameSource): boolean {
  const present = openLog(path);
  if (present === undefined) return false;
  closeSource(present);
  return isEqualPair(present.salts, salts);
}
