// The moments that an archive has, by generation, without reading all its pieces and copies.
import { ArchiveDamaged } from '../format/archive-damaged.js';
import type { ArchivedState } from '../format/file-copy.js';
import { type ArchivedDatabase, archivedDatabases } from '../format/names.js';
import type { ArchiveStore } from '../stores/archive-store.js';
import { type Chain, findWholePiece } from './find-pieces.js';
import {
  copyFolders,
  type FoundCopy,
  type FoundGeneration,
  listGenerations,
  readArchive,
  readCopy,
  readGeneration,
} from './list-contents.js';

/** What the archive has of a database in a generation. Every moment from `fromMs` to `toMs` can be restored. */
export interface ArchivedRange {
  readonly database: ArchivedDatabase;
  /** When the state of the first complete copy was there, in ms since 1970; undefined if there is none yet. */
  readonly fromMs: number | undefined;
  /** The time of the last state, in ms since 1970. */
  readonly toMs: number | undefined;
  /**
   * The number of copies from the first to the last complete one; those between them need not be complete. One that
   * refers to another generation does not count.
   */
  readonly copies: number;
  /** The number of the last piece; 0 if there is none. */
  readonly lastPiece: number;
  /** The state of an earlier generation that the first moments are made from; absent if they have a copy. */
  readonly continues?: Pick<ArchivedState, 'generation' | 'sequence'>;
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

/** What was read of a generation before, so that it is not read again. */
export interface KnownGeneration {
  readonly listed?: ListedGeneration | undefined;
  /** Whether `listed` was read when a later generation had begun: then it has got no piece since. */
  readonly isOver: boolean;
  /** Complete copies, by their folders. What is read is added, and what is needed no more is removed. */
  readonly copies: Map<string, FoundCopy>;
}

/** What the archive has of a generation. @throws StoreFailure */
export async function listGeneration(
  store: ArchiveStore,
  generation: string,
  signal?: AbortSignal,
  known: KnownGeneration = { isOver: false, copies: new Map() },
): Promise<ListedGeneration> {
  let description = known.listed?.description;
  const ranges: ArchivedRange[] = [];
  try {
    description ??= await readGeneration(store, generation, signal);
    for (const database of archivedDatabases)
      ranges.push(await rangeOf(store, { generation, database }, known, signal));
    return { generation, description, ranges, problem: undefined };
  } catch (error) {
    // Another generation may be whole.
    if (!(error instanceof ArchiveDamaged)) throw error;
    return { generation, description, ranges, problem: error.message };
  }
}

/** What the archive has of a database in a generation. @throws ArchiveDamaged, StoreFailure */
async function rangeOf(
  store: ArchiveStore,
  chain: Chain,
  known: KnownGeneration,
  signal: AbortSignal | undefined,
): Promise<ArchivedRange> {
  const { database } = chain;
  const { first, last, count } = await outermostCopies(store, chain, known.copies, signal);
  const before = known.listed?.ranges.find((range) => range.database === database);
  const toMsOf = (pieceMs = 0) => last && Math.max(last.atMs, pieceMs);
  const { generation, sequence = 0 } = first?.state ?? {};
  const range = {
    ...{ database, fromMs: first?.atMs, copies: generation === undefined ? count : count - 1 },
    ...(generation === undefined ? {} : { continues: { generation, sequence } }),
  };
  if (known.isOver && before !== undefined)
    return { ...range, toMs: toMsOf(before.toMs), lastPiece: before.lastPiece };
  const firstPiece = last?.firstPiece ?? 1;
  const find = (from: number) =>
    findWholePiece(store, chain, { from, atMs: Number.POSITIVE_INFINITY }, signal);
  const knownPiece = before?.lastPiece ?? 0;
  const piece = (knownPiece > firstPiece ? await find(knownPiece) : undefined) ?? (await find(firstPiece));
  const lastPiece = piece?.sequence ?? last?.sequence ?? 0;
  return { ...range, toMs: toMsOf(piece?.toMs), lastPiece };
}

/**
 * The first and the last complete copy, and the number of the folders from one to the other. An archive of a year
 * has hundreds of them, so the others are not read. @throws ArchiveDamaged, StoreFailure
 */
async function outermostCopies(
  store: ArchiveStore,
  { generation, database }: Chain,
  known: Map<string, FoundCopy>,
  signal: AbortSignal | undefined,
) {
  const folders = await copyFolders(store, generation, database, signal);
  const firstOf = async (ordered: readonly string[]) => {
    for (const folder of ordered) {
      const copy = known.get(folder) ?? (await readCopy(store, folder, signal));
      if (copy !== undefined) return copy;
    }
    return undefined;
  };
  const first = await firstOf(folders);
  const last = first && (await firstOf(folders.toReversed()));
  for (const [folder, copy] of known) if (copy.database === database) known.delete(folder);
  for (const copy of [first, last]) if (copy !== undefined) known.set(copy.folder, copy);
  const count = first && last ? folders.indexOf(last.folder) - folders.indexOf(first.folder) + 1 : 0;
  return { first, last, count };
}
