// What an archive has: its description, its generations and their copies. Names of others are passed over.
import { ArchiveDamaged } from '../format/archive-damaged.js';
import { decodeFileCopy, type FileCopy } from '../format/file-copy.js';
import {
  type ArchiveDescription,
  decodeArchive,
  decodeGeneration,
  type Generation,
} from '../format/generation.js';
import {
  type ArchivedDatabase,
  archiveName,
  copiesFolder,
  copyName,
  generationName,
  generationPattern,
  generationsFolder,
  parseCopyFolder,
} from '../format/names.js';
import type { ArchiveStore } from '../stores/archive-store.js';

/** What was asked for is not in the archive. The message is for the user. */
export class NotInArchive extends Error {}

/** A complete copy of an archive. */
export interface FoundCopy extends FileCopy {
  /** The folder of its parts, with a slash. */
  readonly folder: string;
}

/** A generation with the SHA-256 of its description, which the first pieces name. */
export interface FoundGeneration extends Generation {
  readonly sha256: string;
}

/** The folders of an archive below `generations/`. */
export interface FoundGenerations {
  /** The ids of all generations, the oldest first. */
  readonly generations: readonly string[];
  /** Folders that are not those of generations, each with a slash at its end. */
  readonly others: readonly string[];
}

/** Reads the description of an archive. @throws NotInArchive, ArchiveDamaged, StoreFailure */
export async function readArchive(store: ArchiveStore, signal?: AbortSignal): Promise<ArchiveDescription> {
  const found = await store.read(archiveName, signal);
  if (found !== undefined) return decodeArchive(archiveName, found);
  throw new NotInArchive(
    `${store.title} is not an archive: it has no ${archiveName}. A server makes one when it starts with ` +
      `--archive ${store.title}`,
  );
}

/** Lists the generations. @throws StoreFailure */
export async function listGenerations(store: ArchiveStore, signal?: AbortSignal): Promise<FoundGenerations> {
  const generations: string[] = [];
  const others: string[] = [];
  for (const folder of await store.folders(generationsFolder, signal)) {
    const id = folder.slice(generationsFolder.length, -1);
    if (generationPattern.test(id)) generations.push(id);
    else others.push(folder);
  }
  return { generations, others };
}

/** Reads the description of a generation. @throws ArchiveDamaged, StoreFailure */
export async function readGeneration(
  store: ArchiveStore,
  generation: string,
  signal?: AbortSignal,
): Promise<FoundGeneration> {
  const name = generationName(generation);
  const found = await store.read(name, signal);
  if (found === undefined) throw new ArchiveDamaged(name, 'is missing');
  return decodeGeneration(name, found);
}

/** The folders of the copies of a database, complete or not, in the order of their names. @throws StoreFailure */
export async function copyFolders(
  store: ArchiveStore,
  generation: string,
  database: ArchivedDatabase,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const folders = await store.folders(copiesFolder(generation, database), signal);
  return folders.filter((folder) => parseCopyFolder(folder) !== undefined);
}

/** Reads the copy in a folder; undefined if it is not complete. @throws ArchiveDamaged, StoreFailure */
export async function readCopy(
  store: ArchiveStore,
  folder: string,
  signal?: AbortSignal,
): Promise<FoundCopy | undefined> {
  const found = await store.read(copyName(folder), signal);
  return found && { ...decodeFileCopy(copyName(folder), found), folder };
}

/** The complete copies of a database in a generation. */
export interface FoundCopies {
  /** Those whose description is sound, the oldest first. */
  readonly copies: readonly FoundCopy[];
  /** The others, in the order of their names. `beganMs`: in ms since 1970. */
  readonly damaged: readonly { readonly beganMs: number; readonly damage: ArchiveDamaged }[];
}

/** Finds the complete copies of a database. @throws StoreFailure */
export async function findCopies(
  store: ArchiveStore,
  generation: string,
  database: ArchivedDatabase,
  signal?: AbortSignal,
): Promise<FoundCopies> {
  const copies: FoundCopy[] = [];
  const damaged: { readonly beganMs: number; readonly damage: ArchiveDamaged }[] = [];
  for (const folder of await copyFolders(store, generation, database, signal)) {
    try {
      const copy = await readCopy(store, folder, signal);
      if (copy !== undefined) copies.push(copy);
    } catch (error) {
      if (!(error instanceof ArchiveDamaged)) throw error;
      damaged.push({ beganMs: parseCopyFolder(folder)?.beganMs ?? 0, damage: error });
    }
  }
  return { copies: copies.sort((left, right) => left.atMs - right.atMs), damaged };
}

/** The complete copies of a database, the oldest first. @throws ArchiveDamaged, StoreFailure */
export async function listCopies(
  store: ArchiveStore,
  generation: string,
  database: ArchivedDatabase,
  signal?: AbortSignal,
): Promise<readonly FoundCopy[]> {
  const { copies, damaged } = await findCopies(store, generation, database, signal);
  if (damaged[0] !== undefined) throw damaged[0].damage;
  return copies;
}
