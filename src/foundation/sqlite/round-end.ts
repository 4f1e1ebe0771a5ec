// The file of the end of a round of a write-ahead log, beside a database that is shipped to an archive. It is written
// before a checkpoint, after which the log may begin a new round: it has the frames that are not shipped yet, and says
// where the round ended. After a kill it proves that nothing is missing between the two rounds.
import { closeSync, fsyncSync, openSync, readSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { writeWhole } from '../machine/write-whole.js';
import { openIfThere } from './find-log-damage.js';
import { frameBytesIn, headBytes, type NumberPair, pairAt, saltsOfHead } from './log-format.js';

/** The head of the file: a mark, the head of the log, and two numbers of frames. */
const mark = Buffer.from('colonnade-end-01');
const fromAt = mark.length + headBytes;
const toAt = fromAt + 4;
const fileHeadBytes = toAt + 4;
const frameSumAt = 16;

/** The end of a round. The file has the frames from `from` to `to`, which may be none. */
export interface RoundEnd {
  readonly salts: NumberPair;
  readonly from: number;
  readonly to: number;
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
export function writeRoundEnd(database: string, from: number, to: number): void {
  const path = roundEndPath(database);
  const made = `${path}.new`;
  const log = openSync(`${database}-wal`, 'r');
  try {
    const head = Buffer.alloc(headBytes);
    readSync(log, head, 0, headBytes, 0);
    const frameBytes = frameBytesIn(head);
    const file = openSync(made, 'w', 0o600);
    try {
      const numbers = Buffer.alloc(8);
      numbers.writeUInt32BE(from, 0);
      numbers.writeUInt32BE(to, 4);
      writeWhole(file, Buffer.concat([mark, head, numbers]), 0);
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

/** Removes the end durably, so that no later start continues a chain behind it. @throws errors of the file system */
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
    return { salts: saltsOfHead(head), from, to, sum, head };
  } finally {
    closeSync(file);
  }
}

/** The offset of a frame, from 0, in the file of the end of a round. */
export function offsetInRoundEnd({ head, from }: RoundEnd, frame: number): number {
  return fileHeadBytes + (frame - from) * frameBytesIn(head);
}
