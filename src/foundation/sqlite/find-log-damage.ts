// Finds damage in a write-ahead log. SQLite treats a damaged frame as the end of the log, and silently drops what was
// committed after it.
import { closeSync, readSync } from 'node:fs';
import { endianness } from 'node:os';
import { openRegularFile } from '../machine/regular-file.js';
import {
  frameBytesIn,
  frameHeadBytes,
  headBytes,
  isEqualPair,
  type NumberPair,
  pageBytesIn,
  pagesAfterCommit,
  pairAt,
  saltsOfFrame,
  saltsOfHead,
} from './log-format.js';
import { continueSum } from './page-sum.js';

/** Frames that were committed and cannot be applied, because earlier frames are damaged. */
export interface LogDamage {
  /** The first damaged frame, from 1; 0 for the head of the log. */
  readonly frame: number;
  /** Its offset in the file, in bytes. */
  readonly offset: number;
  /** Intact frames after it. */
  readonly laterFrames: number;
  /** Commits among them. */
  readonly laterCommits: number;
}

const magic = 0x377f0682;
const framesAtOnce = 64;

/**
 * Examines the log of a database that is not open; undefined if there is no log or nothing is lost. A power failure or
 * a kill may leave frames of an older round and an incomplete last transaction: these are not damage. A frame that
 * follows a commit which cannot be applied is damage: that commit was on disk before.
 */
export function findLogDamage(path: string): LogDamage | undefined {
  const file = openIfThere(path);
  if (file === undefined) return undefined;
  try {
    const head = Buffer.alloc(headBytes);
    if (readSync(file, head, 0, headBytes, 0) < headBytes) return undefined;
    const log = new LogReader(head);
    const frames = Buffer.alloc(framesAtOnce * log.frameBytes);
    for (let offset = headBytes; ; ) {
      const read = readSync(file, frames, 0, frames.length, offset);
      for (let at = 0; at + log.frameBytes <= read; at += log.frameBytes) {
        log.take(frames.subarray(at, at + log.frameBytes));
      }
      if (read < frames.length) return log.damage();
      offset += read;
    }
  } finally {
    closeSync(file);
  }
}

/** Undefined if there is no such file. */
export function openIfThere(path: string): number | undefined {
  try {
    return openRegularFile(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** What the head of a log says. */
export interface LogHead {
  readonly isSound: boolean;
  /** Whether its words have another order of bytes than the memory of this machine. */
  readonly isSwapped: boolean;
  readonly salts: NumberPair;
  /** The sum of the head, with which those of the frames begin. */
  readonly sum: NumberPair;
}

/** Reads the head of a log. */
export function readLogHead(head: Buffer): LogHead {
  const isMagic = (head.readUInt32BE(0) & ~1) === magic;
  const isLittle = !isMagic || (head.readUInt32BE(0) & 1) === 0;
  const isSwapped = isLittle !== (endianness() === 'LE');
  const sum = continueSum([0, 0], head.subarray(0, 24), isSwapped);
  const isSound = isMagic && pageBytesIn(head) !== undefined && isEqualPair(sum, pairAt(head, 24));
  return { isSound, isSwapped, salts: saltsOfHead(head), sum };
}

/** The sum that a frame has if it follows one with the sum `before`, or the head. */
export function sumOfFrame(before: NumberPair, frame: Buffer, isSwapped: boolean): NumberPair {
  const ofHead = continueSum(before, frame.subarray(0, 8), isSwapped);
  return continueSum(ofHead, frame.subarray(frameHeadBytes), isSwapped);
}

interface Frame {
  readonly salts: NumberPair;
  readonly isCommit: boolean;
  /** The sums in the frame itself, over all frames up to it. */
  readonly sums: NumberPair;
}

/** Finds damage in frames that it gets in their order in the file. */
export class LogReader {
  readonly frameBytes: number;
  readonly #isSwapped: boolean;
  readonly #isHeadSound: boolean;
  readonly #salts: NumberPair;
  #before: Frame;
  #count = 0;
  #firstBad: number | undefined;
  #laterFrames = 0;
  #laterCommits = 0;
  #isDamaged = false;

  constructor(head: Buffer) {
    this.frameBytes = frameBytesIn(head);
    const { isSound, isSwapped, salts, sum } = readLogHead(head);
    this.#isSwapped = isSwapped;
    this.#isHeadSound = isSound;
    this.#salts = salts;
    this.#before = { salts, isCommit: false, sums: sum };
    if (!this.#isHeadSound) this.#firstBad = 0;
  }

  /** Takes a frame with its head; the bytes may change afterwards. */
  take(bytes: Buffer): void {
    this.#count += 1;
    const before = this.#before;
    const frame = {
      salts: saltsOfFrame(bytes),
      isCommit: pagesAfterCommit(bytes) !== 0,
      sums: pairAt(bytes, 16),
    };
    this.#before = frame;
    // Without an intact head the current salts are unknown.
    const isOfRound = isEqualPair(frame.salts, this.#isHeadSound ? this.#salts : before.salts);
    const goesOn = isOfRound && isEqualPair(frame.sums, sumOfFrame(before.sums, bytes, this.#isSwapped));
    if (this.#firstBad === undefined) {
      if (!goesOn) this.#firstBad = this.#count;
      return;
    }
    if (!goesOn) return;
    this.#laterFrames += 1;
    if (frame.isCommit) this.#laterCommits += 1;
    if (before.isCommit && isEqualPair(before.salts, frame.salts)) this.#isDamaged = true;
  }

  /** Whether the head and all frames so far are sound. */
  get isIntact(): boolean {
    return this.#firstBad === undefined;
  }

  /** In the frames so far. */
  damage(): LogDamage | undefined {
    if (!this.#isDamaged || this.#firstBad === undefined) return undefined;
    const frame = this.#firstBad;
    return {
      frame,
      offset: frame === 0 ? 0 : headBytes + (frame - 1) * this.frameBytes,
      laterFrames: this.#laterFrames,
      laterCommits: this.#laterCommits,
    };
  }
}
