// Snapshots of a vector index in a file: its memory as it is, and up to which change of the rows it goes.
import { closeSync, existsSync, fsync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import type { GraphShape } from './graph.js';
import { GraphIndex } from './graph-index.js';

/** Rises whenever the memory is laid out or used in another way. */
const format = 2;
const headBytes = 65_536;

/** What stands at the beginning of the file, as JSON. */
interface SnapshotHead {
  readonly format: number;
  readonly shape: GraphShape;
  /** The last change that the rows have, by its number in the log of changes. */
  readonly sequence: number;
  /** Per segment, a checksum per part. */
  readonly checksums: readonly (readonly number[])[];
}

/** An index as it was saved. */
export interface RestoredIndex {
  readonly index: GraphIndex;
  readonly sequence: number;
}

/**
 * Writes a snapshot and makes it durable; one of the same name is replaced at the end. The index must not be changed
 * before the call returns its promise, and may be changed then.
 */
export async function saveSnapshot(
  path: string,
  shape: GraphShape,
  index: GraphIndex,
  sequence: number,
): Promise<void> {
  const file = openSync(`${path}.new`, 'w');
  try {
    let at = headBytes;
    const checksums = index.segments.map((segment) =>
      Array.from(segment.parts(), (part) => {
        at += writeWhole(file, part.bytes, at);
        return part.checksum();
      }),
    );
    const head: SnapshotHead = { format, shape, sequence, checksums };
    writeWhole(file, Buffer.from(JSON.stringify(head).padEnd(headBytes)), 0);
    await promisify(fsync)(file);
  } finally {
    closeSync(file);
  }
  renameSync(`${path}.new`, path);
}

/** The index of a snapshot; undefined where there is none, or one that is damaged or of another make. */
export function restoreSnapshot(path: string, shape: GraphShape): RestoredIndex | undefined {
  if (!existsSync(path)) return undefined;
  const file = openSync(path, 'r');
  try {
    const head = readHead(file);
    if (head?.format !== format || JSON.stringify(head.shape) !== JSON.stringify(shape)) return undefined;
    const index = new GraphIndex(shape);
    let at = headBytes;
    for (const sums of head.checksums) {
      let part = 0;
      for (const { bytes, checksum } of index.addSegment().parts()) {
        if (readInto(file, bytes, at) !== bytes.length || checksum() !== sums[part]) return undefined;
        at += bytes.length;
        part += 1;
      }
      if (part !== sums.length) return undefined;
    }
    return { index, sequence: head.sequence };
  } finally {
    closeSync(file);
  }
}

/** Removes a snapshot, if there is one. */
export function removeSnapshot(path: string): void {
  rmSync(path, { force: true });
  rmSync(`${path}.new`, { force: true });
}

function readHead(file: number): SnapshotHead | undefined {
  const bytes = Buffer.alloc(headBytes);
  readInto(file, bytes, 0);
  try {
    return JSON.parse(bytes.toString()) as SnapshotHead; // written by us; the parts have checksums
  } catch {
    return undefined; // cut off or overwritten: as good as none
  }
}

function writeWhole(file: number, bytes: Uint8Array, position: number): number {
  let written = 0;
  while (written < bytes.length) {
    written += writeSync(file, bytes, written, bytes.length - written, position + written);
  }
  return written;
}

function readInto(file: number, bytes: Uint8Array, position: number): number {
  let read = 0;
  while (read < bytes.length) {
    const got = readSync(file, bytes, read, bytes.length - read, position + read);
    if (got === 0) break;
    read += got;
  }
  return read;
}
