// Snapshots of a vector index in a file: its memory as it is, and up to which change of the rows it goes.
import { closeSync, existsSync, fsync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { GraphShape, MemoryPart } from './graph.js';
import { GraphIndex } from './graph-index.js';

/** Rises whenever the memory is laid out or used in another way. */
const format = 2;
/** Room for the checksums of a thousand parts a segment, and for a dozen segments. */
const headBytes = 2 ** 18;
/** A segment has fewer. */
const mostParts = 2 ** 16;

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

/** What an index is at some moment. */
export interface IndexState {
  /** The last change that it has, see `SnapshotHead`. */
  readonly sequence: number;
  /** Another number after every change, of whatever kind. */
  readonly version: number;
}

/** A part of the memory as it was written. */
interface WrittenPart {
  readonly at: number;
  readonly length: number;
  readonly checksum: number;
}

/**
 * Writes a snapshot and makes it durable; one of the same name is replaced at the end. In between others have their
 * turns, and may change the index: the parts that are not as they were written are written once more, all in one turn.
 * Gives the last change that the snapshot has.
 */
export async function saveSnapshot(
  path: string,
  shape: GraphShape,
  index: GraphIndex,
  stateOf: () => IndexState,
): Promise<number> {
  const file = openSync(`${path}.new`, 'w');
  try {
    const { version } = stateOf();
    let written = new Map<number, WrittenPart>();
    for (const { place, at, part } of partsOf(index)) {
      written.set(place, writePart(file, part, at));
      await nextTurn();
    }
    const state = stateOf();
    if (state.version !== version) written = writeChanged(file, index, written);
    writeHead(file, shape, index, written, state.sequence);
    await promisify(fsync)(file);
    renameSync(`${path}.new`, path);
    return state.sequence;
  } finally {
    closeSync(file);
  }
}

interface PlacedPart {
  /** Segments and their parts, counted through. */
  readonly place: number;
  /** Where it stands in the file. */
  readonly at: number;
  readonly part: MemoryPart;
}

function* partsOf(index: GraphIndex): Iterable<PlacedPart> {
  let at = headBytes;
  for (const [number, segment] of index.segments.entries()) {
    let place = number * mostParts;
    for (const part of segment.parts()) {
      yield { place, at, part };
      place += 1;
      at += part.bytes.length;
    }
  }
}

function writePart(file: number, { bytes, checksum }: MemoryPart, at: number): WrittenPart {
  writeWhole(file, bytes, at);
  return { at, length: bytes.length, checksum: checksum() };
}

function writeChanged(
  file: number,
  index: GraphIndex,
  written: ReadonlyMap<number, WrittenPart>,
): Map<number, WrittenPart> {
  const all = new Map<number, WrittenPart>();
  for (const { place, at, part } of partsOf(index)) {
    const before = written.get(place);
    const isAsWritten =
      before?.at === at && before.length === part.bytes.length && before.checksum === part.checksum();
    all.set(place, isAsWritten ? before : writePart(file, part, at));
  }
  return all;
}

function writeHead(
  file: number,
  shape: GraphShape,
  index: GraphIndex,
  written: ReadonlyMap<number, WrittenPart>,
  sequence: number,
): void {
  const checksums: number[][] = index.segments.map(() => []);
  for (const [place, { checksum }] of written) checksums[Math.floor(place / mostParts)]?.push(checksum);
  const head: SnapshotHead = { format, shape, sequence, checksums };
  writeWhole(file, Buffer.from(JSON.stringify(head).padEnd(headBytes)), 0);
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
