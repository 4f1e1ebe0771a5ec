// Snapshots of a vector index in a file: a copy of its memory, and the number of the last change of rows that it
// contains.
import { createHash } from 'node:crypto';
import { closeSync, existsSync, fsync, mkdirSync, openSync, readSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { writeWhole } from '../../../../foundation/machine/write-whole.js';
import type { GraphShape, MemoryPart } from './graph.js';
import { GraphIndex } from './graph-index.js';

/** The form of memories with floats, and of those with codes alone: increase it when the layout or its use changes. */
const formats = { withFloats: 5, codesAlone: 7 } as const;
/** Enough for a dozen segments of a thousand parts each. */
const headBytes = 2 ** 19;
/** The maximum number of parts of a segment. */
const mostParts = 2 ** 16;

/** The beginning of the file: JSON, preceded by its checksum. */
interface SnapshotHead {
  readonly format: number;
  readonly shape: SavedShape;
  /** The last change that the index contains, by its number in the log of changes. */
  readonly sequence: number;
  /** The offset in the file and the checksum of each part of each segment. */
  readonly parts: readonly (readonly (readonly [at: number, checksum: number])[])[];
}

/**
 * The shape in the form of the file, with `threads` from an earlier version in which several threads could search a
 * graph.
 */
interface SavedShape extends GraphShape {
  readonly threads: 1;
}

/** An index from a snapshot. */
export interface RestoredIndex {
  readonly index: GraphIndex;
  readonly sequence: number;
}

/** The state of an index at a moment. */
export interface IndexState {
  /** The last change that it contains, see `SnapshotHead`. */
  readonly sequence: number;
  /** A different number after every change of any kind. */
  readonly version: number;
}

/** A written part of the memory. */
interface WrittenPart {
  /** Its offset in the file. */
  readonly at: number;
  readonly length: number;
  readonly checksum: number;
}

/** The parts of a file. */
interface WrittenParts {
  /** By number: the parts of a segment have consecutive numbers, see `mostParts`. */
  readonly byPlace: ReadonlyMap<number, WrittenPart>;
  readonly end: number;
}

/**
 * Writes a snapshot and makes it durable; at the end it replaces the previous one of the same name. It is written in
 * several turns of the event loop, between which the index may change: changed parts are written again, all in one
 * turn. Returns the last change that the snapshot contains. After a failure nothing of it stays on the disk, which may
 * be full.
 */
export async function saveSnapshot(
  path: string,
  shape: GraphShape,
  index: GraphIndex,
  stateOf: () => IndexState,
): Promise<number> {
  try {
    const sequence = await writeSnapshot(unfinished(path), shape, index, stateOf);
    renameSync(unfinished(path), path);
    return sequence;
  } catch (error) {
    removeUnfinished(path);
    throw error;
  }
}

async function writeSnapshot(
  path: string,
  shape: GraphShape,
  index: GraphIndex,
  stateOf: () => IndexState,
): Promise<number> {
  mkdirSync(dirname(path), { recursive: true });
  const file = openSync(path, 'w');
  try {
    const { version } = stateOf();
    let written = await writeAll(file, index);
    const state = stateOf();
    if (state.version !== version) written = writeChanged(file, index, written);
    writeHead(file, shape, index, written, state.sequence);
    await promisify(fsync)(file);
    return state.sequence;
  } finally {
    closeSync(file);
  }
}

interface PlacedPart {
  /** See `WrittenParts`. */
  readonly place: number;
  readonly part: MemoryPart;
}

function* partsOf(index: GraphIndex): Iterable<PlacedPart> {
  for (const [number, segment] of index.segments.entries()) {
    let place = number * mostParts;
    for (const part of segment.parts()) {
      yield { place, part };
      place += 1;
    }
  }
}

function writePart(file: number, { bytes, checksum }: MemoryPart, at: number): WrittenPart {
  writeWhole(file, bytes, at);
  return { at, length: bytes.length, checksum: checksum() };
}

async function writeAll(file: number, index: GraphIndex): Promise<WrittenParts> {
  const byPlace = new Map<number, WrittenPart>();
  let end = headBytes;
  for (const { place, part } of partsOf(index)) {
    const written = writePart(file, part, end);
    byPlace.set(place, written);
    end += written.length;
    await nextTurn();
  }
  return { byPlace, end };
}

/** A part that has grown is appended, so that the others keep their offsets. */
function writeChanged(file: number, index: GraphIndex, written: WrittenParts): WrittenParts {
  const byPlace = new Map<number, WrittenPart>();
  let { end } = written;
  for (const { place, part } of partsOf(index)) {
    const before = written.byPlace.get(place);
    const { length } = part.bytes;
    if (before?.length === length && before.checksum === part.checksum()) {
      byPlace.set(place, before);
      continue;
    }
    const fits = before !== undefined && length <= before.length;
    byPlace.set(place, writePart(file, part, fits ? before.at : end));
    if (!fits) end += length;
  }
  return { byPlace, end };
}

function writeHead(
  file: number,
  shape: GraphShape,
  index: GraphIndex,
  { byPlace }: WrittenParts,
  sequence: number,
): void {
  const parts: [at: number, checksum: number][][] = index.segments.map(() => []);
  for (const [place, { at, checksum }] of byPlace) parts[Math.floor(place / mostParts)]?.push([at, checksum]);
  const head = JSON.stringify({
    format: formatOf(shape),
    shape: saved(shape),
    sequence,
    parts,
  } satisfies SnapshotHead);
  const text = checksumOf(head) + head;
  if (text.length > headBytes)
    throw new RangeError('the index has too many parts for the head of a snapshot');
  writeWhole(file, Buffer.from(text.padEnd(headBytes)), 0);
}

/** The index of a snapshot; undefined if there is none, or if it is damaged or has another format or shape. */
export function restoreSnapshot(path: string, shape: GraphShape): RestoredIndex | undefined {
  if (!existsSync(path)) return undefined;
  const file = openSync(path, 'r');
  try {
    const head = readHead(file);
    if (head?.format !== formatOf(shape) || JSON.stringify(head.shape) !== JSON.stringify(saved(shape)))
      return undefined;
    const index = new GraphIndex(shape);
    for (const parts of head.parts) {
      let part = 0;
      for (const { bytes, checksum } of index.addSegment().parts()) {
        const [at, sum] = parts[part] ?? [];
        if (at === undefined || readInto(file, bytes, at) !== bytes.length || checksum() !== sum)
          return undefined;
        part += 1;
      }
      if (part !== parts.length) return undefined;
    }
    return { index, sequence: head.sequence };
  } finally {
    closeSync(file);
  }
}

function formatOf({ walksOn }: GraphShape): number {
  return walksOn === 'codesAlone' ? formats.codesAlone : formats.withFloats;
}

/** In the order of members in files, because shapes are compared as texts. */
function saved({ dimension, metric, walksOn, maxRows }: GraphShape): SavedShape {
  return { dimension, metric, walksOn, threads: 1, maxRows };
}

/** Removes a snapshot, if there is one. */
export function removeSnapshot(path: string): void {
  rmSync(path, { force: true });
  removeUnfinished(path);
}

/** Removes the rest of a snapshot that was being written when the process ended. */
export function removeUnfinished(path: string): void {
  rmSync(unfinished(path), { force: true });
}

function unfinished(path: string): string {
  return `${path}.new`;
}

function readHead(file: number): SnapshotHead | undefined {
  const bytes = Buffer.alloc(headBytes);
  readInto(file, bytes, 0);
  const text = bytes.toString().trimEnd();
  const head = text.slice(checksumLength);
  // A truncated or overwritten head is not used. A head with a valid checksum was written above.
  return text.slice(0, checksumLength) === checksumOf(head) ? (JSON.parse(head) as SnapshotHead) : undefined;
}

const checksumLength = 64;

function checksumOf(head: string): string {
  return createHash('sha256').update(head).digest('hex');
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
