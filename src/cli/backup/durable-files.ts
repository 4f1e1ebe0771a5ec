// Copies files with checksums, and makes files and directories durable.
import { createHash } from 'node:crypto';
import { closeSync, fdatasyncSync, fsyncSync, openSync, readSync, statfsSync, writeSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DatabaseFailure } from '../../foundation/sqlite/database-failure.js';
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
export const pieceBytes = 256 * 1024;

/**
 * Does one piece of a copy, which returns a number of bytes, and returns that number. Then it rests, if there is a
 * pace. With `copy`, the file that the piece writes to, that is written to the disk before.
 * @throws Interrupted
 */
export async function doPiece(
  piece: () => number,
  { interrupted, pace }: CopyWatch,
  copy?: number,
): Promise<number> {
  const doDurably = () => {
    const bytes = piece();
    if (copy !== undefined && bytes > 0) fdatasyncSync(copy);
    return bytes;
  };
  const bytes = pace === undefined ? piece() : await pace.work(doDurably);
  await nextTurn(); // for signals
  if (interrupted.aborted) throw new Interrupted('interrupted');
  return bytes;
}

/** Copies an open file from its beginning to a new file, which is on disk at the end. @throws Interrupted */
export async function copyOpenFile(source: number, target: string, watch: CopyWatch): Promise<FileSum> {
  const file = openSync(target, 'wx', 0o600);
  try {
    const write = (piece: Buffer) => {
      for (let at = 0; at < piece.length; ) at += writeSync(file, piece, at);
    };
    const sum = await readAll(source, watch, write, file);
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
  watch: CopyWatch,
  take: (piece: Buffer) => void,
  copy?: number,
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
    const read = await doPiece(readPiece, watch, copy);
    if (read === 0) return { bytes, sha256: hash.digest('hex') };
    watch.onBytes?.(read);
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
  const free = freeBytes(directory);
  if (free >= bytes) return;
  throw new StorageProblem(
    `the disk of ${directory} has ${sizeText(free)} free, and ${sizeText(bytes)} are needed`,
  );
}

/**
 * Does work that writes at most about `bytes` in a directory, and reports a disk that becomes full with the sizes.
 * @throws StorageProblem, what the work throws
 */
export async function inRoom<Result>(
  directory: string,
  bytes: number,
  work: () => Promise<Result>,
): Promise<Result> {
  expectRoom(directory, bytes);
  try {
    return await work();
  } catch (error) {
    if (!isFull(error)) throw error;
    throw new StorageProblem(
      `${directory} cannot be written, because its disk, a quota or a limit of file sizes is reached: ` +
        `${sizeText(freeBytes(directory))} of the disk are free, and about ${sizeText(bytes)} are needed in all`,
      { cause: error },
    );
  }
}

function freeBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}

/** No room on the disk, in the quota of the user, or below the limit of the size of a file. */
const fullCodes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

function isFull(error: unknown): boolean {
  if (error instanceof DatabaseFailure) return error.kind === 'full';
  return error instanceof Error && 'code' in error && fullCodes.has(error.code);
}
