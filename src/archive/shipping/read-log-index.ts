// Finds the commits of a write-ahead log by SQLite's index of it, without reading the pages of the log.
// The index is described at https://www.sqlite.org/walformat.html#the_wal_index_file_format.
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { readFlags } from '../../foundation/machine/regular-file.js';
import { isEqualPair, pairAt } from '../../foundation/sqlite/log-format.js';
import { continueSum } from '../../foundation/sqlite/page-sum.js';
import type { LogPosition } from '../format/log-position.js';
import { type FoundCommits, type FrameSource, sumAt } from './read-log.js';

const version = 3_007_000;
/** The head is there twice, so that a reader sees whether it is being changed. Its last 8 bytes are its sum. */
const headBytes = 48;
const summedBytes = 40;
/** Behind both heads and the marks of readers, the numbers of pages begin in the first block. */
const firstNumberAt = 136;
const blockBytes = 32_768;
const numberBytes = 4;
/** Half of a block has the numbers of the pages of its frames; the other half is a hash table. */
const framesOfBlock = 4_096;
const framesOfFirst = framesOfBlock - firstNumberAt / numberBytes;

/** What the index says. */
export interface IndexedCommits {
  /** Undefined if no commit follows the place. */
  readonly commits: FoundCommits | undefined;
}

/**
 * Finds all commits after a place that the source has. Undefined if the index is not that of the source or is being
 * changed, or if the commits have more pages than wanted: then the log itself must be read. Call it only while a
 * connection of this process has the database open, because the index of an earlier process may be wrong.
 */
export function findIndexedCommits(
  database: string,
  source: FrameSource,
  from: LogPosition,
  mostPages: number,
): IndexedCommits | undefined {
  const file = indexOf(database);
  const head = file === undefined ? undefined : readHead(file, source);
  if (file === undefined || head === undefined || head.frames < from.frames) return undefined;
  if (head.frames === from.frames) return { commits: undefined };
  const frameOfPage = lastFrames(file, from.frames, head.frames, mostPages);
  // The numbers are those of the head only if the log has not begun a new round meanwhile.
  const after = readHead(file, source);
  if (frameOfPage === undefined || after === undefined || after.frames < head.frames) return undefined;
  const sum = sumAt(source, head.frames - 1);
  if (sum === undefined || !isEqualPair(sum, head.sum)) return undefined;
  const to = { salts: source.salts, frames: head.frames, sum };
  return { commits: { to, databasePages: head.databasePages, frameOfPage, isCut: false } };
}

/**
 * The open indexes by the paths of their databases. To close one releases every lock that this process has on the file
 * (https://www.sqlite.org/howtocorrupt.html, 2.2), and the connections of the server would not notice: another process
 * that opens the database then takes the index for one that nobody uses, and empties it.
 */
const opened = new Map<string, { readonly mark: string; readonly files: readonly number[] }>();

/** Undefined if there is none, or it cannot be read. */
function indexOf(database: string): number | undefined {
  try {
    return openIndex(database);
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) return undefined; // the log itself is read
    throw error;
  }
}

function openIndex(database: string): number | undefined {
  const path = `${database}-shm`;
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (found?.isFile() !== true) return undefined;
  const known = opened.get(database);
  if (known?.mark === markOf(found)) return known.files[0];
  const file = openSync(path, readFlags);
  const mark = markOf(fstatSync(file, { bigint: true }));
  // SQLite has removed the index before, and made another one: nobody locks that one any more.
  if (known !== undefined && known.mark !== mark) closeLogIndex(database);
  opened.set(database, { mark, files: [file, ...(known?.mark === mark ? known.files : [])] });
  return file;
}

function markOf({ dev, ino }: { readonly dev: bigint; readonly ino: bigint }): string {
  return `${dev} ${ino}`;
}

/** Closes the index of a database that no connection of this process has open. */
export function closeLogIndex(database: string): void {
  const files = opened.get(database)?.files ?? [];
  opened.delete(database);
  for (const file of files) closeSync(file);
}

/** Undefined if it is not the index of the round of the source. */
function readHead(file: number, { salts, pageBytes }: FrameSource) {
  const bytes = Buffer.alloc(2 * headBytes);
  if (readSync(file, bytes, 0, bytes.length, 0) < bytes.length) return undefined;
  const head = bytes.subarray(0, headBytes);
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, headBytes / numberBytes);
  const [found, , , , frames = 0, databasePages = 0, sum = 0, secondSum = 0, , , ...own] = words;
  const [size] = new Uint16Array(bytes.buffer, bytes.byteOffset + 14, 1);
  const isSound =
    found === version &&
    bytes[12] === 1 && // it is complete
    head.equals(bytes.subarray(headBytes)) &&
    isEqualPair(continueSum([0, 0], head.subarray(0, summedBytes), false), [own[0] ?? 0, own[1] ?? 0]);
  const isOfSource = isEqualPair(pairAt(head, 32), salts) && (size === 1 ? 65_536 : size) === pageBytes;
  return isSound && isOfSource ? { frames, databasePages, sum: [sum, secondSum] as const } : undefined;
}

/** The last frame of each page; undefined if there are more pages than wanted. */
function lastFrames(
  file: number,
  from: number,
  to: number,
  mostPages: number,
): ReadonlyMap<number, number> | undefined {
  const found = new Map<number, number>();
  const numbers = new Uint32Array(framesOfBlock);
  for (let frame = from; frame < to; ) {
    const isFirst = frame < framesOfFirst;
    const block = isFirst ? 0 : 1 + Math.floor((frame - framesOfFirst) / framesOfBlock);
    const begin = isFirst ? 0 : framesOfFirst + (block - 1) * framesOfBlock;
    const count = Math.min(to, begin + (isFirst ? framesOfFirst : framesOfBlock)) - frame;
    const offset = block * blockBytes + (isFirst ? firstNumberAt : 0) + (frame - begin) * numberBytes;
    if (readSync(file, numbers, 0, count * numberBytes, offset) < count * numberBytes) return undefined;
    for (let at = 0; at < count; at += 1) found.set(numbers[at] ?? 0, frame + at);
    if (found.size > mostPages) return undefined;
    frame += count;
  }
  return found;
}
