// Copies files with checksums, and makes files and directories durable.
import { createHash } from 'node:crypto';
import { closeSync, fdatasyncSync, fsyncSync, openSync, readSync, statfsSync, writeSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { openRegularFile } from '../../foundation/machine/regular-file.js';
import { DatabaseFailure } from '../../foundation/sqlite/database-failure.js';
import { Interrupted } from '../port-problems.js';
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
  readonly pace?: Pace;
}

/** A commit of a server may have to wait until a piece is on the disk: some 2 ms. With 1 MiB it was 7 ms. */
export const pieceBytes = 256 * 1024;

/** Reads from an offset, in bytes, and returns how many bytes these are, 0 at the end. */
export type ReadPiece = (buffer: Buffer, offset: number) => number;

/** From an open file. */
export function readFrom(file: number): ReadPiece {
  return (buffer, offset) => readSync(file, buffer, 0, buffer.length, offset);
}

/**
 * Does one piece of a copy, which returns a number of bytes, and returns that number. `makeDurable` writes what the
 * piece wrote to the disk, and is called if there is a server beside the copy: otherwise the system would write most of
 * a large file at a time, and commits of the server would wait for that.
 * @throws Interrupted
 */
export async function doPiece(
  piece: () => number,
  { interrupted, pace, onBytes }: CopyWatch,
  makeDurable: () => void = () => {},
): Promise<number> {
  const doDurably = () => {
    const bytes = piece();
    if (bytes > 0) makeDurable();
    return bytes;
  };
  const bytes = pace?.isBesideServer() === true ? await pace.work(doDurably) : piece();
  await nextTurn(); // for signals
  if (interrupted.aborted) throw new Interrupted('interrupted');
  if (bytes > 0) onBytes?.(bytes);
  return bytes;
}

/** Copies what is read from its beginning to a new file, which is on disk at the end. @throws Interrupted */
export async function copyAll(read: ReadPiece, target: string, watch: CopyWatch): Promise<FileSum> {
  const file = openSync(target, 'wx', 0o600);
  try {
    const write = (piece: Buffer) => {
      for (let at = 0; at < piece.length; ) at += writeSync(file, piece, at);
    };
    const sum = await readAll(read, watch, write, () => fdatasyncSync(file));
    fsyncSync(file);
    return sum;
  } finally {
    closeSync(file);
  }
}

/** Copies a file, see `copyAll`. */
export async function copyFile(path: string, target: string, watch: CopyWatch): Promise<FileSum> {
  const source = openRegularFile(path);
  try {
    return await copyAll(readFrom(source), target, watch);
  } finally {
    closeSync(source);
  }
}

/** The sum of a file. @throws Interrupted */
export async function sumFile(path: string, watch: CopyWatch): Promise<FileSum> {
  const file = openRegularFile(path);
  try {
    return await readAll(readFrom(file), watch);
  } finally {
    closeSync(file);
  }
}

async function readAll(
  read: ReadPiece,
  watch: CopyWatch,
  take?: (piece: Buffer) => void,
  makeDurable?: () => void,
): Promise<FileSum> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(pieceBytes);
  let bytes = 0;
  const doNext = () => {
    const piece = buffer.subarray(0, read(buffer, bytes));
    hash.update(piece);
    if (piece.length > 0) take?.(piece);
    bytes += piece.length;
    return piece.length;
  };
  while ((await doPiece(doNext, watch, makeDurable)) > 0);
  return { bytes, sha256: hash.digest('hex') };
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
