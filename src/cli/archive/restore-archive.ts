// Makes a data directory of a moment that an archive has.
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ArchiveDamaged } from '../../archive/format/archive-damaged.js';
import type { ArchivedDatabase } from '../../archive/format/names.js';
import { decodeFiles, type SmallFile } from '../../archive/format/small-files.js';
import { LeaseWatch } from '../../archive/lease/lease-watch.js';
import { findMoment, type RestorePoint } from '../../archive/restoring/find-moment.js';
import { readObject } from '../../archive/restoring/read-objects.js';
import {
  bytesOfState,
  type RestoredDatabase,
  restoreDatabase,
} from '../../archive/restoring/restore-database.js';
import { noteFileStates } from '../../archive/shipping/file-states.js';
import { type ArchiveStore, StoreFailure } from '../../archive/stores/archive-store.js';
import { replaceFile } from '../../foundation/secrets/replace-file.js';
import { sumsPath } from '../../foundation/sqlite/page-sums.js';
import type { Clock } from '../../foundation/telemetry/clock.js';
import { checkStructure } from '../backup/check-structure.js';
import { syncDirectory } from '../backup/durable-files.js';
import { type DirectoryOptions, makeDataDirectory } from '../backup/make-data-directory.js';
import { refusedInCopy } from '../backup/refused-files.js';
import { type StorageLayout, StorageProblem } from '../backup/storage-layout.js';

/** How an archive is restored. */
export interface ArchiveRestoreOptions extends DirectoryOptions {
  readonly store: ArchiveStore;
  /** The moment, in ms since 1970; undefined for the newest state. */
  readonly atMs: number | undefined;
  /** Gets the share that is done, 0 to 1. */
  readonly onProgress: (share: number) => void;
}

/** What was restored. */
export interface RestoredArchive {
  readonly point: RestorePoint;
  readonly databases: readonly RestoredDatabase[];
  readonly files: number;
  readonly bytes: number;
}

/** The files of a data directory that an archive has as databases. */
const archivedFiles: Readonly<Record<ArchivedDatabase, string>> = {
  data: 'data.db',
  ops: 'ops/ops.db',
};

/**
 * Restores the state of a moment, see `makeDataDirectory`. The checksums of all objects are compared, then the
 * structure of each database is checked.
 * @throws StorageProblem, NotInArchive, ArchiveDamaged, StoreFailure, DataDirectoryInUse, DatabaseFailure, the reason
 * of the signal, errors of the file system
 */
export async function restoreArchive(options: ArchiveRestoreOptions): Promise<RestoredArchive> {
  const { store, atMs, layout, interrupted } = options;
  const point = await findMoment(store, atMs, interrupted);
  expectEngine(point, layout);
  const small = await readSmallFiles(store, point, interrupted);
  let bytes = small.reduce((sum, { content }) => sum + content.length, 0);
  for (const database of point.databases) bytes += await bytesOfState(store, database, interrupted);
  const names = [
    ...point.databases.flatMap(({ database }) => [
      archivedFiles[database],
      sumsPath(archivedFiles[database]),
    ]),
    ...small.map(({ name }) => name),
  ];
  const databases: RestoredDatabase[] = [];
  const write = async (directory: string) => {
    databases.push(...(await writeDatabases(directory, point, options)));
    for (const { name, content } of small) replaceFile(join(directory, name), content);
    expectSound(directory, names, options);
  };
  await makeDataDirectory({ names, bytes, write }, options);
  return { point, databases, files: names.length, bytes };
}

/**
 * Notes what was restored for the first start, whose generation of the archive then needs no copy to begin with.
 * Returns why it could not, in words.
 */
export function noteRestored(
  { point, databases }: RestoredArchive,
  { dataDir, databases: stored }: StorageLayout,
): string | undefined {
  const { archive } = point.archive;
  const { generation } = point.generation;
  const noted = databases.flatMap((database) => {
    const found = stored.find(({ name }) => name === archivedFiles[database.database]);
    return found === undefined ? [] : [{ ...database, path: found.path }];
  });
  return noteFileStates(dataDir, { archive, generation }, noted);
}

/**
 * Whether the last server that wrote to an archive has ended in order, and everything of it is there. The record of a
 * promotion says nothing of the server before: it names no port.
 */
export async function hasServerEnded(
  store: ArchiveStore,
  clock: Pick<Clock, 'monotonicMs'>,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const { record } = await new LeaseWatch(store, clock).look(signal);
    return record?.state === 'released' && record.url !== '';
  } catch (error) {
    if (error instanceof ArchiveDamaged || error instanceof StoreFailure) return false;
    throw error;
  }
}

/** Sentences about what of the data directory is missing or older than the archive. */
export function warningsOf({
  point: { databases, files, withoutCopy },
  databases: restored,
}: RestoredArchive): readonly string[] {
  const warnings = withoutCopy.map(
    (generation) => `the generation ${generation} has no complete copy, so nothing of it can be restored`,
  );
  for (const damage of restored.flatMap(({ damaged }) => damaged))
    warnings.push(`${damage}: an earlier copy and the pieces behind it have taken its place`);
  if (!databases.some(({ database }) => database === 'ops'))
    warnings.push('the archive has no operations data of then: the next start makes new rules and alerts');
  if (files === undefined)
    warnings.push('the archive has no key store of then: the next start makes new keys');
  return warnings;
}

function expectEngine({ generation }: RestorePoint, { engine }: StorageLayout): void {
  if (generation.engine !== engine)
    throw new StorageProblem(
      `the archive is of a server with --engine ${generation.engine}, and the configuration has ${engine}`,
    );
}

async function readSmallFiles(
  store: ArchiveStore,
  { files }: RestorePoint,
  interrupted: AbortSignal,
): Promise<readonly SmallFile[]> {
  if (files === undefined) return [];
  return decodeFiles(files, (await readObject(store, files, interrupted)).bytes);
}

async function writeDatabases(
  directory: string,
  { databases }: RestorePoint,
  { store, interrupted, onProgress }: ArchiveRestoreOptions,
): Promise<readonly RestoredDatabase[]> {
  const restored: RestoredDatabase[] = [];
  for (const database of databases) {
    const path = join(directory, archivedFiles[database.database]);
    const watch = {
      signal: interrupted,
      onProgress: (share: number) => onProgress((restored.length + share) / databases.length),
    };
    restored.push(await restoreDatabase(store, database, path, watch));
    syncDirectory(dirname(path));
  }
  return restored;
}

/** @throws StorageProblem for files that a server must not start with */
function expectSound(
  directory: string,
  names: readonly string[],
  { store, layout }: ArchiveRestoreOptions,
): void {
  const source = {
    names,
    titleOf: (name: string) => `${name} of ${store.title}`,
    alternative: 'moment',
  } as const;
  const problems = refusedInCopy(source, directory, layout);
  for (const { name } of layout.databases) {
    const path = join(directory, name);
    if (!names.includes(name)) continue;
    if (problems.length === 0)
      problems.push(
        ...checkStructure(path, 'quick_check').map((text) => `${source.titleOf(name)} is damaged: ${text}`),
      );
    // The look at a database with a log leaves an empty one.
    for (const ending of ['-wal', '-shm']) rmSync(`${path}${ending}`, { force: true });
  }
  if (problems[0] !== undefined) throw new StorageProblem(problems[0]);
}
