// Makes a data directory from a backup: all of it, or nothing that a server would start with.
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { rowsFileOf } from '../../foundation/config/engines/registry.js';
import { makeDirectories } from '../../foundation/machine/make-directories.js';
import { lockDataDirectory } from '../../foundation/sqlite/lock-data-directory.js';
import { sumsPath } from '../../foundation/sqlite/page-sums.js';
import { type BackedUpFile, type BackupManifest, readBackupManifest } from './backup-manifest.js';
import { copyFile, type FileSum, inRoom, syncDirectory } from './durable-files.js';
import { refusedInCopy } from './refused-files.js';
import { type StorageLayout, StorageProblem, unfinishedName } from './storage-layout.js';

/** How a backup is restored. */
export interface RestoreOptions {
  readonly backup: string;
  /** The directories to make, which must not exist or be empty. */
  readonly layout: StorageLayout;
  readonly interrupted: AbortSignal;
  /** Gets the share that is done, 0 to 1. */
  readonly onProgress: (share: number) => void;
}

/** What may be in a directory that counts as empty: the lock of a server, what a file system has at its root. */
const ignored: ReadonlySet<string> = new Set(['lock.db', 'lock.db-journal', 'lost+found', unfinishedName]);

/**
 * Restores a backup and returns its description. Files are copied to a directory inside the data directory, which may
 * be a mount point, and moved to their places at the end. A server refuses the data directory until that is done; the
 * same call begins again.
 * @throws StorageProblem, Interrupted, DataDirectoryInUse, DatabaseFailure, errors of the file system
 */
export async function restoreBackup(options: RestoreOptions): Promise<BackupManifest> {
  const { layout } = options;
  const backup = resolve(options.backup);
  const manifest = readBackupManifest(backup);
  expectKnown(manifest, layout);
  const { dataDir, opsDir } = layout;
  makeDirectories(dataDir);
  const lock = lockDataDirectory(dataDir);
  try {
    const unfinished = join(dataDir, unfinishedName);
    if (existsSync(unfinished)) removeFiles(manifest, layout);
    for (const directory of new Set([dataDir, opsDir])) expectEmpty(directory, layout);
    makeDirectories(unfinished);
    syncDirectory(dataDir);
    try {
      const bytes = totalBytes(manifest);
      await inRoom(unfinished, bytes, () => copyFiles(backup, unfinished, manifest, options));
      for (const problem of refusedInCopy(manifest, backup, unfinished, layout))
        throw new StorageProblem(problem);
      // The database of the rows is the last one: without it a server refuses the other files.
      for (const file of inOrderOfMoves(manifest))
        await moveToPlace(join(unfinished, file.name), placeOf(file, layout), options);
    } catch (error) {
      removeFiles(manifest, layout);
      throw error;
    }
    rmSync(unfinished, { recursive: true });
    syncDirectory(dataDir);
    return manifest;
  } finally {
    lock.release();
  }
}

/** @throws StorageProblem for formats of a later release */
function expectKnown({ files, madeBy }: BackupManifest, { databases }: StorageLayout): void {
  for (const { name, version } of files) {
    const known = databases.find((database) => database.name === name)?.version.newest;
    if (version !== undefined && known !== undefined && version > known)
      throw new StorageProblem(
        `the backup was made by a later release (${madeBy}): ${name} has version ${version} of its format, ` +
          `known up to ${known}. Restore it with that release`,
      );
  }
}

function expectEmpty(directory: string, { dataDir }: StorageLayout): void {
  const found = statSync(directory, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isDirectory()) throw new StorageProblem(`${directory} is not a directory`);
  const other = readdirSync(directory).find(
    (name) => !ignored.has(name) && !isEmptyDirectory(join(directory, name)),
  );
  if (other === undefined) return;
  const option = directory === dataDir ? '--data-dir' : '--ops-dir';
  throw new StorageProblem(
    `${directory} is not empty (${other}), and nothing is overwritten: move it away, or give another ${option}`,
  );
}

function isEmptyDirectory(path: string): boolean {
  return statSync(path).isDirectory() && readdirSync(path).every((name) => ignored.has(name));
}

function totalBytes({ files }: BackupManifest): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

async function copyFiles(
  backup: string,
  unfinished: string,
  manifest: BackupManifest,
  { interrupted, onProgress }: RestoreOptions,
): Promise<void> {
  const { files } = manifest;
  const total = totalBytes(manifest);
  let done = 0;
  const onBytes = (bytes: number) => {
    done += bytes;
    onProgress(done / total);
  };
  for (const file of files) {
    const source = join(backup, file.name);
    if (!existsSync(source)) throw new StorageProblem(`the backup is damaged: ${source} is missing`);
    const target = join(unfinished, file.name);
    makeDirectories(dirname(target));
    expectSame(source, file, await copyFile(source, target, { interrupted, onBytes }));
  }
}

/** @throws StorageProblem if a file is not what the manifest says */
export function expectSame(path: string, wanted: BackedUpFile, found: FileSum): void {
  if (found.bytes === wanted.bytes && found.sha256 === wanted.sha256) return;
  const reason =
    found.bytes === wanted.bytes
      ? 'its checksum differs'
      : `it has ${found.bytes} bytes, not ${wanted.bytes}`;
  throw new StorageProblem(`the backup is damaged: ${path}: ${reason}`);
}

function inOrderOfMoves({ engine, files }: BackupManifest): readonly BackedUpFile[] {
  const rowsFile = rowsFileOf(engine);
  const isRows = ({ name }: BackedUpFile) => name === rowsFile;
  return [...files.filter((file) => !isRows(file)), ...files.filter(isRows)];
}

/** The place may be on another file system. */
async function moveToPlace(from: string, path: string, { interrupted }: RestoreOptions): Promise<void> {
  makeDirectories(dirname(path));
  try {
    renameSync(from, path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EXDEV')) throw error;
    const near = `${path}.new`;
    rmSync(near, { force: true });
    await copyFile(from, near, { interrupted });
    renameSync(near, path);
  }
  syncDirectory(dirname(path));
}

/** The path of a restored file. */
function placeOf({ name }: BackedUpFile, { dataDir, databases }: StorageLayout): string {
  for (const { name: known, path } of databases) {
    if (name === known) return path;
    if (name === sumsPath(known)) return sumsPath(path);
  }
  return join(dataDir, name);
}

/** Removes what an earlier or failed restore wrote; its directories were empty before. The marker is the last. */
function removeFiles({ files }: BackupManifest, layout: StorageLayout): void {
  for (const file of files) rmSync(placeOf(file, layout), { force: true });
  rmSync(join(layout.dataDir, unfinishedName), { recursive: true, force: true });
}
