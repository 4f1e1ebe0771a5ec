// Copies files with checksums, and makes files and directories durable.
import { createHash } from 'node:crypto';
import { closeSync, fdatasyncSync, fsyncSync, openSync, readSync, statfsSync, writeSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Interrupted } from '../data-port.js';
import { sizeText } from '../result-output.js';
import type { Pace } from './pace.js';
import { StorageProblem } from './storage-layout.js';

/** The size and SHA-256 of a file. */
export interface FileSum {
  readonly bytes: number;
  readonly sha256: string;
}

/** How a copy is watched and stopped. */
export interface CopyWatch {
  /** Gets the bytes that were read since the last call. */
  readonly onBytes?: (bytes: number) => void;
  readonly interrupted: AbortSignal;
  /**
   * Each piece of a copy is written to the disk before the next one is read, and then the copy rests. Otherwise the
   * system would write most of a large file at a time, and commits of a server on the same disk would wait for that.
   */
  readonly pace?: Pace;
}

/** A commit of a server may have to wait until a piece is on the disk: some 2 ms. With 1 MiB it was 7 ms. */
const pieceBytes = 256 * 1024;

/** Copies an open file from its beginning to a new file, which is on disk at the end. @throws Interrupted */
export async function copyOpenFile(source: number, target: string, watch: CopyWatch): Promise<FileSum> {
  const file = openSync(target, 'wx', 0o600);
  try {
    const sum = await readAll(source, watch, (piece) => {
      for (let at = 0; at < piece.length; ) at += writeSync(file, piece, at);
      if (watch.pace !== undefined) fdatasyncSync(file);
    });
    fsyncSync(file);
    return sum;
  } finally {
    closeSync(file);
  }
}

/** Copies a file, see `copyOpenFile`. */
export async function copyFile(path: string, target: string, watch: CopyWatch): Promise<FileSum> {
  const source = openSync(path, 'r');
  try {
    return await copyOpenFile(source, target, watch);
  } finally {
    closeSync(source);
  }
}

/** The sum of a file. With `makesDurable` its content is on disk at the end. @throws Interrupted */
export async function sumFile(path: string, watch: CopyWatch, makesDurable = false): Promise<FileSum> {
  const file = openSync(path, makesDurable ? 'r+' : 'r');
  try {
    const sum = await readAll(file, watch, () => {});
    if (makesDurable) fsyncSync(file);
    return sum;
  } finally {
    closeSync(file);
  }
}

async function readAll(
  file: number,
  { onBytes, interrupted, pace }: CopyWatch,
  take: (piece: Buffer) => void,
): Promise<FileSum> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(pieceBytes);
  let bytes = 0;
  const readPiece = () => {
    const read = readSync(file, buffer, 0, pieceBytes, bytes);
    const piece = buffer.subarray(0, read);
    hash.update(piece);
    if (read > 0) take(piece);
    bytes += read;
    return read;
  };
  for (;;) {
    const read = pace === undefined ? readPiece() : await pace.work(readPiece);
    if (read === 0) return { bytes, sha256: hash.digest('hex') };
    onBytes?.(read);
    await nextTurn(); // for signals
    if (interrupted.aborted) throw new Interrupted('interrupted');
  }
}

/** Makes the names in a directory durable. */
export function syncDirectory(path: string): void {
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

/** Refuses work for which the disk has no room. @throws StorageProblem */
export function expectRoom(directory: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(directory);
  if (bavail * bsize >= bytes) return;
  throw new StorageProblem(
    `the disk of ${directory} has ${sizeText(bavail * bsize)} free, and ${sizeText(bytes)} are needed`,
  );
}
