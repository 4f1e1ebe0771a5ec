// The moments that an archive has, by generation, without reading its pieces.
import { ArchiveDamaged } from '../format/archive-damaged.js';
import { type ArchivedDatabase, archivedDatabases } from '../format/names.js';
import type { ArchiveStore } from '../stores/archive-store.js';
import { findWholePiece } from './find-pieces.js';
import {
  type FoundGeneration,
  listCopies,
  listGenerations,
  readArchive,
  readGeneration,
} from './list-contents.js';

/** What the archive has of a database in a generation. Every moment from `fromMs` to `toMs` can be restored. */
export interface ArchivedRange {
  readonly database: ArchivedDatabase;
  /** When the state of the first complete copy was there, in ms since 1970; undefined if there is none yet. */
  readonly fromMs: number | undefined;
  /** The time of the last state, in ms since 1970. */
  readonly toMs: number | undefined;
  readonly copies: number;
  /** The number of the last piece; 0 if there is none. */
  readonly lastPiece: number;
}

/** A generation, with what the archive has of it, as far as it can be read. Plain data, which crosses threads. */
export interface ListedGeneration {
  readonly generation: string;
  /** Undefined if it cannot be read. */
  readonly description: FoundGeneration | undefined;
  readonly ranges: readonly ArchivedRange[];
  /** A sentence about what is damaged or missing; undefined if nothing is, as far as it was read. */
  readonly problem: string | undefined;
}

/** An archive with its generations, the oldest first. */
export interface ListedArchive {
  /** The id of the archive. */
  readonly archive: string;
  readonly madeMs: number;
  readonly generations: readonly ListedGeneration[];
  /** Folders below `generations/` that are not those of generations. */
  readonly others: readonly string[];
}

/** @throws NotInArchive if there is no archive, ArchiveDamaged if its description is, StoreFailure */
export async function listArchive(store: ArchiveStore, signal?: AbortSignal): Promise<ListedArchive> {
  const description = await readArchive(store, signal);
  const found = await listGenerations(store, signal);
  const generations: ListedGeneration[] = [];
  for (const id of found.generations) generations.push(await listGeneration(store, id, signal));
  return { ...description, generations, others: found.others };
}

/**
 * What the archive has of a generation. `known`: what was read before, of which what cannot change is not read again.
 * @throws StoreFailure
 */
export async function listGeneration(
  store: ArchiveStore,
  generation: string,
  signal?: AbortSignal,
  known?: ListedGeneration,
): Promise<ListedGeneration> {
  let description = known?.description;
  const ranges: ArchivedRange[] = [];
  try {
    description ??= await readGeneration(store, generation, signal);
    for (const database of archivedDatabases)
      ranges.push(await rangeOf(store, generation, database, signal, lastPieceIn(known, database)));
    return { generation, description, ranges, problem: undefined };
  } catch (error) {
    // Another generation may be whole.
    if (!(error instanceof ArchiveDamaged)) throw error;
    return { generation, description, ranges, problem: error.message };
  }
}

function lastPieceIn(known: ListedGeneration | undefined, wanted: ArchivedDatabase): number {
  return known?.ranges.find(({ database }) => database === wanted)?.lastPiece ?? 0;
}

/**
 * What the archive has of a database in a generation. `knownPiece`: the last piece when it was read before; 0 if it was
 * not. @throws ArchiveDamaged, StoreFailure
 */
async function rangeOf(
  store: ArchiveStore,
  generation: string,
  database: ArchivedDatabase,
  signal?: AbortSignal,
  knownPiece = 0,
): Promise<ArchivedRange> {
  const copies = await listCopies(store, generation, database, signal);
  const [first] = copies;
  const chain = { generation, database };
  const firstPiece = first?.firstPiece ?? 1;
  const find = (from: number) =>
    findWholePiece(store, chain, { from, atMs: Number.POSITIVE_INFINITY }, signal);
  const known = knownPiece > firstPiece ? await find(knownPiece) : undefined;
  const last = known ?? (await find(firstPiece));
  return {
    database,
    fromMs: first?.atMs,
    toMs: first && Math.max(first.atMs, last?.toMs ?? 0),
    copies: copies.length,
    lastPiece: last?.sequence ?? 0,
  };
}
