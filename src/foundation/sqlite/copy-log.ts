// Copies the write-ahead log of a database that other connections use meanwhile.
import { closeSync, fsyncSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { DatabaseFailure } from './database-failure.js';
import { findLogDamage, openIfThere } from './find-log-damage.js';
import { frameBytesIn, headBytes, isEqualPair, saltsOfFrame, saltsOfHead } from './log-format.js';

const framesAtOnce = 256;
/** A log changes at most once while it is read, and a transaction that is rolled back in between is rare. */
const attempts = 5;

/**
 * Copies the frames of the present round of the log at `path` to a new file, which is on disk at the end. Returns
 * false, and makes no file, if the log has none.
 *
 * The caller has a read transaction on the database, so that of this round nothing is removed or replaced, except by
 * at most one new round if the database file has all of it. Frames of two rounds would make a copy that begins with a
 * part of the earlier one, which is older than the database file, and a transaction that was rolled back and written
 * over meanwhile looks like damage: the copy is made again.
 * @throws DatabaseFailure `corrupt` if frames are damaged
 */
export function copyLog(path: string, target: string): boolean {
  const source = openIfThere(path);
  if (source === undefined) return false;
  try {
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const head = headOf(source);
      if (head === undefined) {
        rmSync(target, { force: true }); // emptied meanwhile, because the database file has all of it
        return false;
      }
      const copy = openSync(target, 'w', 0o600);
      try {
        copyRound(source, head, copy);
        fsyncSync(copy);
      } finally {
        closeSync(copy);
      }
      if (headOf(source)?.equals(head) === true && findLogDamage(target) === undefined) return true;
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
function copyRound(source: number, head: Buffer, copy: number): void {
  const frameBytes = frameBytesIn(head);
  const frames = Buffer.allocUnsafe(framesAtOnce * frameBytes);
  const isOfRound = (at: number) => isEqualPair(saltsOfFrame(frames.subarray(at)), saltsOfHead(head));
  writeAll(copy, head, 0);
  for (let offset = headBytes; ; ) {
    const read = readSync(source, frames, 0, frames.length, offset);
    let bytes = 0;
    while (bytes + frameBytes <= read && isOfRound(bytes)) bytes += frameBytes;
    writeAll(copy, frames.subarray(0, bytes), offset);
    offset += bytes;
    if (bytes < frames.length) return;
  }
}

function writeAll(file: number, bytes: Buffer, offset: number): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, offset + at);
}
