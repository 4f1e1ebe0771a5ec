// The moments that an archive has, by generation, without reading its pieces.

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

/** A generation, with what the archive has of it. */
export interface ListedGeneration extends FoundGeneration {
  readonly ranges: readonly ArchivedRange[];
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

/** @throws NotInArchive if there is no archive, ArchiveDamaged, StoreFailure */
export async function listArchive(store: ArchiveStore, signal?: AbortSignal): Promise<ListedArchive> {
  const description = await readArchive(store, signal);
  const found = await listGenerations(store, signal);
  const generations: ListedGeneration[] = [];
  for (const id of found.generations) {
    const generation = await readGeneration(store, id, signal);
    const ranges: ArchivedRange[] = [];
    for (const database of archivedDatabases) ranges.push(await rangeOf(store, id, database, signal));
    generations.push({ ...generation, ranges });
  }
  return { ...description, generations, others: found.others };
}

/**
 * What the archive has of a database in a generation. `knownPiece`: the last piece when it was read before; 0 if it was
 * not. @throws ArchiveDamaged, StoreFailure
 */
export async function rangeOf(
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
  const find = (from: number) => findWholePiece(store, chain, from, Number.POSITIVE_INFINITY, signal);
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
