// Makes a database file from a copy and its pieces.
import { closeSync, fsyncSync, ftruncateSync, openSync, writevSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { writeWhole } from '../../foundation/machine/write-whole.js';
import { makeSums } from '../../foundation/sqlite/page-sums.js';
import { findPiece, missingPiece } from '../contents/find-pieces.js';
import { findStateCopies, notTheState } from '../contents/find-state.js';
import type { FoundCopy } from '../contents/list-contents.js';
import { ArchiveDamaged } from '../format/archive-damaged.js';
import { isReference } from '../format/file-copy.js';
import type { LogPosition } from '../format/log-position.js';
import { copyName } from '../format/names.js';
import type { ArchivedPage } from '../format/page-list.js';
import type { Piece } from '../format/piece.js';
import type { ArchiveStore } from '../stores/archive-store.js';
import type { DatabasePoint } from './find-moment.js';
import { readParts, readPieces } from './read-chain.js';

/** A database that was restored. */
export interface RestoredDatabase extends DatabasePoint {
  /** The SHA-256 of the piece `sequence`, which the next piece names. */
  readonly sha256: string;
  /** Where that piece ends in the log of the server; undefined if no piece was applied. */
  readonly to: LogPosition | undefined;
  /** Every commit before `completeMs` is in the file, and none after `toMs`; in ms since 1970. */
  readonly completeMs: number;
  readonly toMs: number;
  readonly databasePages: number;
  readonly pageBytes: number;
}

/** How a database is restored. */
export interface RestoreWatch {
  readonly signal: AbortSignal;
  /** Gets the share that is done, 0 to 1. */
  readonly onProgress?: (share: number) => void;
}

/**
 * Makes the file at a path, which must not exist, and the checksums of its pages beside it. Both are durable at the
 * end. A damaged copy is replaced by the one before it and the pieces behind that.
 * @throws ArchiveDamaged, StoreFailure, the reason of the signal, errors of the file system
 */
export async function restoreDatabase(
  store: ArchiveStore,
  point: DatabasePoint,
  path: string,
  watch: RestoreWatch,
): Promise<RestoredDatabase> {
  const { signal } = watch;
  const file = openSync(path, 'wx', 0o600);
  let made: MadeState;
  try {
    made = await makeState(store, point, file, watch);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  for (const _ of makeSums(path)) {
    await nextTurn(); // for signals
    signal.throwIfAborted();
  }
  const { copy, damaged, last, databasePages } = made;
  const { toMs } = last ?? { toMs: copy.atMs };
  // A piece that others of one look at the log follow does not move the time of the pieces before.
  const completeMs = Math.max(copy.beganMs, last?.completeMs ?? 0);
  return {
    ...{ ...point, copy, damaged, sha256: last?.sha256 ?? copy.last, to: last?.to },
    ...{ completeMs, toMs, databasePages, pageBytes: copy.pageBytes },
  };
}

/** What a file was made of. */
interface MadeState {
  /** A copy of the generation that has the moment. */
  readonly copy: FoundCopy;
  readonly damaged: readonly string[];
  /** The last piece of that generation; undefined if none was applied. */
  readonly last: Piece | undefined;
  readonly databasePages: number;
}

async function makeState(
  store: ArchiveStore,
  point: DatabasePoint,
  file: number,
  { signal, onProgress }: RestoreWatch,
): Promise<MadeState> {
  const damaged = [...point.damaged];
  /** A copy that is a reference begins with the state of the next point. The last one has a copy with pages. */
  let points = [point];
  let done = 0;
  const take = (pages: readonly ArchivedPage[]) => {
    signal.throwIfAborted();
    writePages(file, pages, point.copy.pageBytes);
    done += 1;
    onProgress?.(Math.min(1, done / points.reduce((sum, each) => sum + objectsOf(each), 0)));
  };
  for (;;) {
    points = await withBases(store, points, signal);
    const next = points.at(-1) ?? point;
    const damage = await takeParts(store, next.copy, take, signal);
    if (damage === undefined) break;
    const copy = next.earlier.at(-1);
    if (copy === undefined) throw damage;
    damaged.push(damage.message);
    points = [...points.slice(0, -1), { ...next, copy, earlier: next.earlier.slice(0, -1) }];
    ftruncateSync(file, 0);
    done = 0;
  }
  let state: Omit<MadeState, 'damaged'> | undefined;
  for (const each of points.toReversed()) {
    if (state !== undefined) expectState(each.copy, state);
    let last: Piece | undefined;
    for await (const piece of readPieces(store, each, signal)) {
      take(piece.pages);
      last = piece;
    }
    const databasePages: number = last?.databasePages ?? state?.databasePages ?? each.copy.databasePages;
    // Pages that a later transaction adds and does not fill are empty.
    ftruncateSync(file, databasePages * each.copy.pageBytes);
    state = { copy: each.copy, last, databasePages };
  }
  if (state === undefined) throw new Error('a database was made of nothing');
  return { ...state, damaged };
}

function objectsOf({ copy, sequence }: DatabasePoint): number {
  return copy.parts + sequence - copy.firstPiece + 1;
}

/** Adds the points that references lead to. @throws ArchiveDamaged, StoreFailure */
async function withBases(
  store: ArchiveStore,
  points: readonly DatabasePoint[],
  signal: AbortSignal,
): Promise<DatabasePoint[]> {
  const all = [...points];
  for (let copy = all.at(-1)?.copy; copy !== undefined && isReference(copy); copy = all.at(-1)?.copy) {
    const { database, state, folder } = copy;
    const { generation, sequence } = state;
    const base = await findStateCopies(store, copyName(folder), database, state, signal);
    all.push({ generation, database, ...base, damaged: [], sequence, isLast: false });
  }
  return all;
}

/** @throws ArchiveDamaged unless what was made is the state that a reference names */
function expectState(reference: FoundCopy, { copy, last }: Omit<MadeState, 'damaged'>): void {
  const isSame = (last?.sha256 ?? copy.last) === reference.state?.sha256;
  if (reference.state !== undefined && !(isSame && copy.pageBytes === reference.pageBytes))
    throw notTheState(copyName(reference.folder), reference.state);
}

/** Takes the pages of a copy; returns what is wrong with it if it is damaged. */
async function takeParts(
  store: ArchiveStore,
  copy: FoundCopy,
  take: (pages: readonly ArchivedPage[]) => void,
  signal: AbortSignal,
): Promise<ArchiveDamaged | undefined> {
  try {
    for await (const { pages } of readParts(store, copy, signal)) take(pages);
    return undefined;
  } catch (error) {
    if (error instanceof ArchiveDamaged) return error;
    throw error;
  }
}

/**
 * About how many bytes a database and the checksums of its pages have when it is restored.
 * @throws ArchiveDamaged, StoreFailure
 */
export async function bytesOfState(
  store: ArchiveStore,
  { copy, sequence, ...chain }: DatabasePoint,
  signal?: AbortSignal,
): Promise<number> {
  let { databasePages } = copy;
  if (sequence >= copy.firstPiece) {
    const last = await findPiece(store, chain, sequence, signal);
    if (last === undefined) throw missingPiece(chain, sequence);
    databasePages = last.databasePages;
  }
  return databasePages * (copy.pageBytes + bytesOfSum);
}

/** A page has a checksum of so many bytes. */
const bytesOfSum = 8;
/** The system writes so many buffers at a time. */
const mostBuffers = 1_024;

/** Writes pages at their places, neighbours at once. */
function writePages(file: number, pages: readonly ArchivedPage[], pageBytes: number): void {
  for (let from = 0; from < pages.length; ) {
    const first = pages[from]?.page ?? 1;
    let to = from + 1;
    while (to < pages.length && to - from < mostBuffers && pages[to]?.page === first + to - from) to += 1;
    const run = pages.slice(from, to).map(({ content }) => content);
    const offset = (first - 1) * pageBytes;
    // The system may write a part of it only, as on a disk that becomes full.
    if (writevSync(file, run, offset) < run.length * pageBytes) writeWhole(file, Buffer.concat(run), offset);
    from = to;
  }
}
