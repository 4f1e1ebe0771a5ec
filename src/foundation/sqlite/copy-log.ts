// Copies the write-ahead log of a database that other connections use meanwhile.
import { closeSync, fstatSync, fsyncSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { DatabaseFailure } from './database-failure.js';
import { LogReader, openIfThere } from './find-log-damage.js';
import { headBytes, isEqualPair, saltsOfFrame, saltsOfHead } from './log-format.js';

/** How a log is copied. */
export interface LogCopying {
  /** About how much is read and written at a time, in bytes; at least one frame. */
  readonly pieceBytes: number;
  /**
   * Does one piece of the work, which writes to the file `copy` and returns a number of bytes, and returns that number.
   * It may rest afterwards, or throw to end the copy.
   */
  readonly doPiece: (piece: () => number, copy: number) => Promise<number>;
}

/** A log changes at most once while it is read, and a transaction that is rolled back in between is rare. */
const attempts = 5;

/**
 * Copies the frames of the present round of the log at `path` to a new file, which is on disk at the end. Returns
 * false, and makes no file, if the log has none.
 *
 * The caller has a read transaction on the database, so that of this round nothing is removed or replaced, except by
 * at most one new round if the database file has all of it. Frames of two rounds would make a copy that begins with a
 * part of the earlier one, which is older than the database file, and a transaction that was rolled back and written
 * over meanwhile looks like damage: the copy is made again. Frames that are appended meanwhile are not copied: the
 * reader does not see them, so no checkpoint moves them.
 * @throws DatabaseFailure `corrupt` if frames are damaged; what `doPiece` throws
 */
export async function copyLog(path: string, target: string, copying: LogCopying): Promise<boolean> {
  const source = openIfThere(path);
  if (source === undefined) return false;
  try {
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const head = headOf(source);
      if (head === undefined) {
        rmSync(target, { force: true }); // emptied meanwhile, because the database file has all of it
        return false;
      }
      const log = new LogReader(head);
      const copy = openSync(target, 'w', 0o600);
      try {
        await copyRound(source, head, copy, log, copying);
        fsyncSync(copy);
      } finally {
        closeSync(copy);
      }
      if (headOf(source)?.equals(head) === true && log.damage() === undefined) return true;
    }
    throw new DatabaseFailure('corrupt', `${path} is damaged`);
  } finally {
    closeSync(source);
  }
}

/** Undefined for a log without a head, which has no frames. */
function headOf(file: number): Buffer | undefined {
  const head = Buffer.alloc(headBytes);
  return readSync(file, head, 0, headBytes, 0) === headBytes ? head : undefined;
}

/** Its complete frames, up to the first of an earlier round. */
async function copyRound(
  source: number,
  head: Buffer,
  copy: number,
  log: LogReader,
  { pieceBytes, doPiece }: LogCopying,
): Promise<void> {
  const { frameBytes } = log;
  const { size } = fstatSync(source);
  const frames = Buffer.allocUnsafe(Math.max(1, Math.floor(pieceBytes / frameBytes)) * frameBytes);
  const isOfRound = (frame: Buffer) => isEqualPair(saltsOfFrame(frame), saltsOfHead(head));
  writeAll(copy, head, 0);
  let offset = headBytes;
  const copyPiece = () => {
    const read = readSync(source, frames, 0, Math.min(frames.length, size - offset), offset);
    let bytes = 0;
    for (; bytes + frameBytes <= read; bytes += frameBytes) {
      const frame = frames.subarray(bytes, bytes + frameBytes);
      if (!isOfRound(frame)) break;
      log.take(frame);
    }
    writeAll(copy, frames.subarray(0, bytes), offset);
    return bytes;
  };
  for (;;) {
    const bytes = await doPiece(copyPiece, copy);
    offset += bytes;
    if (bytes < frames.length) return;
  }
}

function writeAll(file: number, bytes: Buffer, offset: number): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, offset + at);
}
