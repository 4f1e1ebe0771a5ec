// Removes what no moment of the last days needs from an archive.
import { leadsTo } from '../contents/find-state.js';
import { copyFolders, type FoundCopy, listGenerations, readCopy } from '../contents/list-contents.js';
import {
  type ArchivedDatabase,
  archivedDatabases,
  copyName,
  filesFolder,
  generationFolder,
  generationName,
  parseCopyFolder,
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

/**
 * Removes objects one after another. Each `yield` is between two requests to the store, so that the caller can ship in
 * between: an archive may have hundreds of generations. What is removed first makes the rest unreachable, so an end in
 * between leaves no chain that only seems to be whole. @throws StoreFailure, ArchiveDamaged
 */
export async function* removeOld(
  store: ArchiveStore,
  { fromMs, generation, unfinished }: Retention,
  signal?: AbortSignal,
): AsyncGenerator<void, void, undefined> {
  const { generations } = await listGenerations(store, signal);
  let isNeeded = true;
  const wanted: WantedStates = { data: new Map(), ops: new Map() };
  for (const id of generations.filter((each) => each <= generation).reverse()) {
    if (!isNeeded && !archivedDatabases.some((database) => wanted[database].has(id))) {
      // The clock may have been far behind when the generation after this one began.
      if ((yield* newestCopyMs(store, [id], signal)) > fromMs) {
        yield* newestCopies(store, id, Number.NEGATIVE_INFINITY, wanted, signal);
        continue;
      }
      await store.remove(generationName(id), signal);
      yield* removeAll(store, generationFolder(id), signal);
      continue;
    }
    const copies = yield* newestCopies(store, id, fromMs, wanted, signal);
    for (const database of archivedDatabases) {
      const kept = copies[database];
      if (kept !== undefined) yield* removeBefore(store, { id, database, kept, unfinished }, signal);
    }
    if (copies.data !== undefined) yield* removeOldFiles(store, id, fromMs, signal);
    // A generation that can be restored as it was at `fromMs` makes those before it needless.
    if (archivedDatabases.every((database) => copies[database] !== undefined)) isNeeded = false;
  }
}

/**
 * When the last copy of some generations began, by their names; -Infinity without one. Each `yield` is between two
 * requests. `isLeftOut`: whether a copy does not count. @throws StoreFailure, and what `isLeftOut` throws
 */
export async function* newestCopyMs(
  store: ArchiveStore,
  generations: readonly string[],
  signal?: AbortSignal,
  isLeftOut: (folder: string) => Promise<boolean> = async () => false,
): AsyncGenerator<void, number, undefined> {
  let newestMs = Number.NEGATIVE_INFINITY;
  for (const id of generations)
    for (const database of archivedDatabases) {
      const folders = [...(await copyFolders(store, id, database, signal))].reverse();
      yield;
      for (const folder of folders) {
        const beganMs = parseCopyFolder(folder)?.beganMs ?? newestMs;
        if (beganMs > newestMs && !(await isLeftOut(folder))) newestMs = beganMs;
      }
    }
  return newestMs;
}

/** The last pieces of states that later generations are made from, by their generations. */
type WantedStates = Readonly<Record<ArchivedDatabase, Map<string, number>>>;

/**
 * The newest complete copy of each database that was complete at a time, and which leads to the state that is wanted of
 * it. What that copy and those after it refer to is wanted, too.
 */
async function* newestCopies(
  store: ArchiveStore,
  generation: string,
  atMs: number,
  wanted: WantedStates,
  signal: AbortSignal | undefined,
): AsyncGenerator<void, Readonly<Record<ArchivedDatabase, FoundCopy | undefined>>, undefined> {
  const newest: Record<ArchivedDatabase, FoundCopy | undefined> = { data: undefined, ops: undefined };
  for (const database of archivedDatabases) {
    const folders = [...(await copyFolders(store, generation, database, signal))].reverse();
    yield;
    const states = wanted[database];
    const last = states.get(generation) ?? Number.POSITIVE_INFINITY;
    for (const folder of folders) {
      const copy = await readCopy(store, folder, signal);
      yield;
      const { state } = copy ?? {};
      if (state !== undefined) {
        const known = states.get(state.generation) ?? state.sequence;
        states.set(state.generation, Math.min(state.sequence, known));
      }
      if (copy === undefined || copy.atMs > atMs || !leadsTo(copy, last)) continue;
      newest[database] = copy;
      break;
    }
  }
  return newest;
}

interface KeptChain {
  readonly id: string;
  readonly database: ArchivedDatabase;
  readonly kept: FoundCopy;
  readonly unfinished: ReadonlySet<string>;
}

/** Removes the copies and pieces before a copy. */
async function* removeBefore(
  store: ArchiveStore,
  { id, database, kept, unfinished }: KeptChain,
  signal: AbortSignal | undefined,
): AsyncGenerator<void, void, undefined> {
  for (const folder of await copyFolders(store, id, database, signal)) {
    if (folder >= kept.folder) break;
    if (unfinished.has(folder)) continue;
    await store.remove(copyName(folder), signal);
    yield* removeAll(store, folder, signal);
  }
  for await (const name of listAll(store, piecesFolder(id, database), undefined, signal)) {
    const sequence = parsePieceName(name);
    if (sequence === undefined) continue; // a file of others
    if (sequence >= kept.firstPiece) return;
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
    const madeMs = parseFilesName(name);
    if (madeMs === undefined) continue; // a file of others
    if (madeMs > atMs) return;
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
