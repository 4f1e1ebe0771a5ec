// Makes the data directory of a follower from its archive, at first and whenever it must be made again.
import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { NotInArchive, readArchive } from '../../archive/contents/list-contents.js';
import {
  type ChainPlace,
  followStateName,
  hasNext,
  nextName,
  readFollowState,
  writeFollowState,
} from '../../archive/following/follow-state.js';
import type { RestoredDatabase } from '../../archive/restoring/restore-database.js';
import type { ArchiveStore } from '../../archive/stores/archive-store.js';
import { restoreArchive } from '../../cli/archive/restore-archive.js';
import { syncDirectory } from '../../cli/backup/durable-files.js';
import { lockName } from '../../cli/backup/storage-layout.js';
import { makeDirectories } from '../../foundation/machine/make-directories.js';
import { storageLayout } from '../storage/storage-layout.js';
import type { FollowedDirectory } from './follow-messages.js';

/** How a directory is made. */
export interface Making {
  readonly store: ArchiveStore;
  readonly directory: FollowedDirectory;
  readonly interrupted: AbortSignal;
  /** Gets the share that is done, 0 to 1. */
  readonly onProgress: (share: number) => void;
}

/**
 * Makes the newest state that the archive has beside the present one, whole or not at all.
 * @throws NotInArchive, ArchiveDamaged, StoreFailure, StorageProblem, the reason of the signal
 */
export async function makeNext({ store, directory, interrupted, onProgress }: Making): Promise<void> {
  const next = join(directory.dataDir, nextName);
  rmSync(next, { recursive: true, force: true });
  const { archive } = await readArchive(store, interrupted);
  const layout = await storageLayout({ ...directory, dataDir: next, opsDir: undefined });
  const { databases } = await restoreArchive({ store, atMs: undefined, layout, interrupted, onProgress });
  const [data, ops] = [placeIn(databases, 'data'), placeIn(databases, 'ops')];
  const [generation] = databases.map((database) => database.generation);
  if (data === undefined || ops === undefined || generation === undefined) {
    rmSync(next, { recursive: true, force: true });
    throw new NotInArchive(`${store.title} has no complete copy of the operations data yet`);
  }
  for (const end of ['', '-journal']) rmSync(join(next, `${lockName}${end}`), { force: true });
  writeFollowState(next, { archive, generation, role: 'follows', places: { data, ops } });
}

function placeIn(
  databases: readonly RestoredDatabase[],
  wanted: RestoredDatabase['database'],
): ChainPlace | undefined {
  const found = databases.find(({ database }) => database === wanted);
  if (found === undefined) return undefined;
  const { sequence, sha256, to, toMs, pageBytes } = found;
  return { sequence, sha256, to, toMs, pageBytes, target: sequence };
}

/**
 * Moves a complete state to its place; no database is open. A process that is killed meanwhile continues it at its next
 * start: `follow.json` is moved last. @throws errors of the file system
 */
export async function moveNext(directory: FollowedDirectory): Promise<void> {
  const next = join(directory.dataDir, nextName);
  const { dataDir, databases } = await storageLayout(directory);
  const places = new Map(
    databases.flatMap(({ name, path }) => [[name, path] as const, [`${name}-sums`, `${path}-sums`] as const]),
  );
  for (const { path } of databases)
    for (const end of ['-wal', '-shm', '-round-end']) rmSync(`${path}${end}`, { force: true });
  // The graphs are of the rows of before.
  rmSync(join(dataDir, 'vectors'), { recursive: true, force: true });
  for (const name of filesIn(next))
    if (name !== followStateName) moveFile(join(next, name), places.get(name) ?? join(dataDir, name));
  moveFile(join(next, followStateName), join(dataDir, followStateName));
  rmSync(next, { recursive: true, force: true });
}

function filesIn(directory: string, prefix = ''): readonly string[] {
  return readdirSync(join(directory, prefix)).flatMap((entry) => {
    const name = `${prefix}${entry}`;
    return statSync(join(directory, name)).isDirectory() ? filesIn(directory, `${name}/`) : [name];
  });
}

/** The place may be on another file system. */
function moveFile(from: string, to: string): void {
  makeDirectories(dirname(to));
  try {
    renameSync(from, to);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EXDEV')) throw error;
    copyFileSync(from, `${to}.new`);
    const file = openSync(`${to}.new`, 'r+');
    fsyncSync(file);
    closeSync(file);
    renameSync(`${to}.new`, to);
    rmSync(from);
  }
  syncDirectory(dirname(to));
}

/**
 * Refuses a data directory whose rows are not of this archive: they would be lost. @throws Error that says what to do
 */
export async function expectFollower(store: ArchiveStore, directory: FollowedDirectory): Promise<void> {
  const state = readFollowState(directory.dataDir);
  const { databases } = await storageLayout(directory);
  const rows = databases.find(({ path }) => existsSync(path));
  if (state === undefined) {
    if (rows === undefined || hasNext(directory)) return;
    throw new Error(
      `${directory.dataDir} has data of a server that does not follow an archive: give another --data-dir`,
    );
  }
  // Without the archive, as while its disk is not mounted, the follower shows what it has.
  const found = await readArchive(store).catch(() => undefined);
  if (found !== undefined && found.archive !== state.archive)
    throw new Error(
      `${directory.dataDir} follows another archive than ${store.title}: give another --data-dir, or that archive`,
    );
}
