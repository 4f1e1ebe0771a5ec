// The file of the end of a round of a write-ahead log, beside a database that is shipped to an archive. It is written
// before a checkpoint, after which the log may begin a new round: it has the frames that are not shipped yet, and says
// where the round ended. After a kill it proves that nothing is missing between the two rounds.
import { closeSync, fsyncSync, openSync, readSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { writeWhole } from '../machine/write-whole.js';
import { openIfThere } from './find-log-damage.js';
import { frameBytesIn, headBytes, type NumberPair, pairAt, saltsOfHead } from './log-format.js';
import type { ShippedFrames } from './shipped-log.js';

/** The head of the file: a mark, the head of the log, two numbers of frames, and the end of the round before. */
const mark = Buffer.from('colonnade-end-02');
const fromAt = mark.length + headBytes;
const toAt = fromAt + 4;
const beforeAt = toAt + 4;
const fileHeadBytes = beforeAt + 12;
const frameSumAt = 16;

/** Which frames of the log the file gets. */
export interface RestOfRound {
  /** The first frame that is not shipped, and the number of frames of the round. */
  readonly from: number;
  readonly to: number;
  /** The end of the round before, if that is what was shipped last; undefined if something of this round was. */
  readonly before: ShippedFrames | undefined;
}

/** The end of a round. The file has the frames from `from` to `to`, which may be none. */
export interface RoundEnd extends RestOfRound {
  readonly salts: NumberPair;
  /** The sum in the last frame of the round; undefined if the file has no frames. */
  readonly sum: NumberPair | undefined;
  /** The head of the log. */
  readonly head: Buffer;
}

/** The path of the end of a round of the log of a database. */
export function roundEndPath(database: string): string {
  return `${database}-round-end`;
}

/** Writes the end durably from the log, which has `to` frames. @throws errors of the file system */
export function writeRoundEnd(database: string, { from, to, before }: RestOfRound): void {
  const path = roundEndPath(database);
  const made = `${path}.new`;
  const log = openSync(`${database}-wal`, 'r');
  try {
    const head = Buffer.alloc(headBytes);
    readSync(log, head, 0, headBytes, 0);
    const frameBytes = frameBytesIn(head);
    const file = openSync(made, 'w', 0o600);
    try {
      writeWhole(file, Buffer.concat([mark, head, numbersOf({ from, to, before })]), 0);
      const buffer = Buffer.allocUnsafe(Math.min(framesAtOnce, Math.max(1, to - from)) * frameBytes);
      for (let frame = from; frame < to; frame += framesAtOnce) {
        const frames = buffer.subarray(0, Math.min(framesAtOnce, to - frame) * frameBytes);
        readSync(log, frames, 0, frames.length, headBytes + frame * frameBytes);
        writeWhole(file, frames, fileHeadBytes + (frame - from) * frameBytes);
      }
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  } finally {
    closeSync(log);
  }
  renameSync(made, path);
  syncDirectoryOf(path);
}

function numbersOf({ from, to, before }: RestOfRound): Buffer {
  const numbers = Buffer.alloc(fileHeadBytes - fromAt);
  const words = [from, to, ...(before === undefined ? [] : [...before.salts, before.frames])];
  for (const [at, word] of words.entries()) numbers.writeUInt32BE(word, at * 4);
  return numbers;
}

/** Removes the end durably, so that no later start continues a chain after it. @throws errors of the file system */
export function removeRoundEnd(database: string): void {
  const path = roundEndPath(database);
  rmSync(path, { force: true });
  syncDirectoryOf(path);
}

function syncDirectoryOf(path: string): void {
  const directory = openSync(dirname(path), 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

const framesAtOnce = 64;

/** Reads the end of a round; undefined if there is none that can be used. */
export function readRoundEnd(database: string): RoundEnd | undefined {
  const file = openIfThere(roundEndPath(database));
  if (file === undefined) return undefined;
  try {
    const start = Buffer.alloc(fileHeadBytes);
    if (readSync(file, start, 0, fileHeadBytes, 0) < fileHeadBytes) return undefined;
    if (!start.subarray(0, mark.length).equals(mark)) return undefined;
    const head = Buffer.from(start.subarray(mark.length, fromAt));
    const [from, to] = [start.readUInt32BE(fromAt), start.readUInt32BE(toAt)];
    const last = Buffer.alloc(frameSumAt + 8);
    const lastAt = fileHeadBytes + (to - from - 1) * frameBytesIn(head);
    const hasLast = to > from && readSync(file, last, 0, last.length, lastAt) === last.length;
    if (to > from && !hasLast) return undefined;
    const sum = hasLast ? pairAt(last, frameSumAt) : undefined;
    const before = { salts: pairAt(start, beforeAt), frames: start.readUInt32BE(beforeAt + 8) };
    return { salts: saltsOfHead(head), from, to, sum, head, before: before.frames > 0 ? before : undefined };
  } finally {
    closeSync(file);
  }
}

/** The offset of a frame, from 0, in the file of the end of a round. */
export function offsetInRoundEnd({ head, from }: RoundEnd, frame: number): number {
  return fileHeadBytes + (frame - from) * frameBytesIn(head);
}
