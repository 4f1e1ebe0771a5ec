// Removes what no moment of the last days needs from an archive.

import { decodeFileCopy, type FileCopy } from '../format/file-copy.js';
import {
  type ArchivedDatabase,
  archivedDatabases,
  copiesFolder,
  copyName,
  filesFolder,
  generationFolder,
  generationName,
  generationsFolder,
  parseFilesName,
  parsePieceName,
  piecesFolder,
} from '../format/names.js';
import { type ArchiveStore, listAll } from '../stores/archive-store.js';

/** What is kept. */
export interface Retention {
  /** Moments from this time on can be restored; in ms since 1970. */
  readonly fromMs: number;
  /** The generation that is being shipped. */
  readonly generation: string;
  /** Folders of copies that are being written. */
  readonly unfinished: ReadonlySet<string>;
}

/** A complete copy and its folder. */
interface KeptCopy {
  readonly folder: string;
  readonly copy: FileCopy;
}

/**
 * Removes objects one after another; each `yield` is between two of them. What is removed first makes the rest
 * unreachable, so an end in between leaves no chain that only seems to be whole. @throws StoreFailure, ArchiveDamaged
 */
export async function* removeOld(
  store: ArchiveStore,
  { fromMs, generation, unfinished }: Retention,
  signal?: AbortSignal,
): AsyncGenerator<void, void, undefined> {
  const folders = await store.folders(generationsFolder, signal);
  const present = generationFolder(generation);
  let isNeeded = true;
  for (const folder of folders.filter((name) => name <= present).reverse()) {
    const id = folder.slice(generationsFolder.length, -1);
    if (!isNeeded) {
      await store.remove(generationName(id), signal);
      yield* removeAll(store, folder, signal);
      continue;
    }
    const copies = await newestCopies(store, id, fromMs, signal);
    for (const database of archivedDatabases) {
      const kept = copies[database];
      if (kept !== undefined) yield* removeBefore(store, { id, database, kept, unfinished }, signal);
    }
    if (copies.data !== undefined) yield* removeOldFiles(store, id, fromMs, signal);
    // A generation that can be restored as it was at `fromMs` makes those before it needless.
    if (archivedDatabases.every((database) => copies[database] !== undefined)) isNeeded = false;
  }
}

/** The newest complete copy of each database that was complete at a time. */
async function newestCopies(
  store: ArchiveStore,
  generation: string,
  atMs: number,
  signal: AbortSignal | undefined,
): Promise<Readonly<Record<ArchivedDatabase, KeptCopy | undefined>>> {
  const newest = async (database: ArchivedDatabase) => {
    for (const folder of [...(await store.folders(copiesFolder(generation, database), signal))].reverse()) {
      const found = await store.read(copyName(folder), signal);
      if (found === undefined) continue;
      const copy = decodeFileCopy(copyName(folder), found.bytes);
      if (copy.atMs <= atMs) return { folder, copy };
    }
    return undefined;
  };
  return { data: await newest('data'), ops: await newest('ops') };
}

interface KeptChain {
  readonly id: string;
  readonly database: ArchivedDatabase;
  readonly kept: KeptCopy;
  readonly unfinished: ReadonlySet<string>;
}

/** Removes the copies and pieces before a copy. */
async function* removeBefore(
  store: ArchiveStore,
  { id, database, kept, unfinished }: KeptChain,
  signal: AbortSignal | undefined,
): AsyncGenerator<void, void, undefined> {
  for (const folder of await store.folders(copiesFolder(id, database), signal)) {
    if (folder >= kept.folder) break;
    if (unfinished.has(folder)) continue;
    await store.remove(copyName(folder), signal);
    yield* removeAll(store, folder, signal);
  }
  for await (const name of listAll(store, piecesFolder(id, database), undefined, signal)) {
    if ((parsePieceName(name) ?? kept.copy.firstPiece) >= kept.copy.firstPiece) return;
    await store.remove(name, signal);
    yield;
  }
}

/** Removes small files before the newest that were there at a time. */
async function* removeOldFiles(
  store: ArchiveStore,
  generation: string,
  atMs: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<void, void, undefined> {
  let before: string | undefined;
  for await (const name of listAll(store, filesFolder(generation), undefined, signal)) {
    if ((parseFilesName(name) ?? Number.POSITIVE_INFINITY) > atMs) return;
    if (before !== undefined) await store.remove(before, signal);
    before = name;
    yield;
  }
}

async function* removeAll(
  store: ArchiveStore,
  folder: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<void, void, undefined> {
  for await (const name of listAll(store, folder, undefined, signal)) {
    await store.remove(name, signal);
    yield;
  }
}
