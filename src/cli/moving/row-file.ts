// A file with one row in each line, which grows by whole pieces and is read line by line.
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip, gzip } from 'node:zlib';
import { appendFlags, expectRegularFile, openRegularFile } from '../../foundation/machine/regular-file.js';
import type { PagePlace } from './page-place.js';

const compress = promisify(gzip);
/** A page has at most 33,554,432 characters of rows; U+0001 and the like take six. */
const longestLineBytes = 256 * 1024 * 1024;
const lineFeed = 10;

/** The file does not have the content that it should have. The message is for the user. */
export class RowFileProblem extends Error {}

/** A file to which pieces are appended. */
export interface RowWriter {
  /** Compressed if the file is. Returns the length of the file when the piece is on disk. @throws RowFileProblem */
  append(piece: string): Promise<number>;
  close(): Promise<void>;
}

/**
 * Opens a file, which is created if it does not exist, and cuts it to a length: what a killed process wrote after it
 * recorded that length is removed. Each compressed piece is a gzip member, so the length is always one between members.
 * @throws RowFileProblem if the file is shorter, or if another process writes to it
 */
export async function openRowWriter(
  path: string,
  sizeBytes: number,
  isCompressed: boolean,
): Promise<RowWriter> {
  expectRegularFile(path);
  const file = await open(path, appendFlags, 0o600);
  try {
    const found = (await file.stat()).size;
    if (found < sizeBytes)
      throw new RowFileProblem(`${path} has ${found} bytes, but ${sizeBytes} were written to it`);
    await file.truncate(sizeBytes);
  } catch (error) {
    await file.close();
    throw error;
  }
  let written = sizeBytes;
  return {
    append: async (piece) => {
      const bytes = isCompressed ? await compress(piece) : Buffer.from(piece);
      if ((await file.stat()).size !== written)
        throw new RowFileProblem(`${path} has changed: another process writes to it`);
      try {
        written += await writeDurably(file, bytes);
      } catch (error) {
        throw notWritten(path, error);
      }
      return written;
    },
    close: () => file.close(),
  };
}

/** Errors of writes do not name the file. */
function notWritten(path: string, error: unknown): unknown {
  if (!(error instanceof Error && 'code' in error)) return error;
  const isFull = error.code === 'ENOSPC' || error.code === 'EDQUOT' || error.code === 'EFBIG';
  const next = isFull ? '. Make room, then run the same command again' : '';
  return new RowFileProblem(`${path} cannot be written: ${error.message}${next}`, { cause: error });
}

async function writeDurably(file: FileHandle, bytes: Uint8Array): Promise<number> {
  await file.writeFile(bytes);
  await file.datasync();
  return bytes.length;
}

/** A line without its line break; the first one has the number 1. */
export interface Line {
  readonly number: number;
  readonly text: string;
  /** Why the line cannot be inserted. */
  readonly problem?: string;
  /** The key of the row where lines can have the same one; see `FileRow`. */
  readonly key?: string;
  /** Whether a row before it has the same key, so that this one replaces it. */
  readonly isRepeated?: boolean;
  /** Where the rows behind it begin, if it is the last row of a page of a server. */
  readonly place?: PagePlace;
}

/**
 * Lines in groups of those that are read at a time. Each turn of an asynchronous loop takes as long as some rows do, so
 * no loop has a turn for each line.
 */
export type LineGroups = AsyncIterable<readonly Line[]>;

/**
 * The lines after the first `skipped`.
 * @throws RowFileProblem if the file cannot be decompressed, ends in the middle of a line, or has a longer line
 */
export function readLines(path: string, isCompressed: boolean, skipped = 0): LineGroups {
  return linesOf(chunksOf(path, isCompressed), path, { skipped });
}

/**
 * The lines of chunks after the first `skipped`. With `mayEndOpen` the last one needs no line break. `path`: the file
 * in messages.
 * @throws RowFileProblem as `readLines`
 */
export async function* linesOf(
  chunks: AsyncIterable<Buffer>,
  path: string,
  { skipped = 0, mayEndOpen = false }: { readonly skipped?: number; readonly mayEndOpen?: boolean } = {},
): AsyncGenerator<readonly Line[]> {
  let rest: Buffer[] = [];
  let restBytes = 0;
  let number = 0;
  for await (const chunk of chunks) {
    let from = 0;
    const lines: Line[] = [];
    for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, from)) {
      number += 1;
      if (number > skipped) {
        const last = chunk.subarray(from, at);
        lines.push({ number, text: (rest.length === 0 ? last : Buffer.concat([...rest, last])).toString() });
      }
      rest = [];
      restBytes = 0;
      from = at + 1;
    }
    if (lines.length > 0) yield lines;
    if (from === chunk.length) continue;
    rest.push(chunk.subarray(from));
    restBytes += chunk.length - from;
    if (restBytes > longestLineBytes)
      throw new RowFileProblem(`${path} line ${number + 1} has more than ${longestLineBytes} bytes`);
  }
  if (restBytes === 0) return;
  if (!mayEndOpen) throw new RowFileProblem(`${path} ends in the middle of line ${number + 1}`);
  if (number >= skipped) yield [{ number: number + 1, text: Buffer.concat(rest).toString() }];
}

/** The content of a file in pieces. @throws RowFileProblem if it cannot be read or decompressed */
export async function* chunksOf(path: string, isCompressed: boolean): AsyncGenerator<Buffer> {
  try {
    yield* bytesOf(path, isCompressed);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new RowFileProblem(`${path} cannot be read: ${error.message}`, { cause: error });
  }
}

function bytesOf(path: string, isCompressed: boolean): Readable {
  const stream = createReadStream(path, { fd: openRegularFile(path), highWaterMark: 256 * 1024 });
  // The reader of the result gets an error of either.
  return isCompressed ? pipeline(stream, createGunzip(), () => {}) : stream;
}
