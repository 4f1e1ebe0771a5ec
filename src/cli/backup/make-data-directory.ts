// Makes a data directory: all of it, or nothing that a server would start with.
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rowsFileOf } from '../../foundation/config/engines/registry.js';
import { makeDirectories } from '../../foundation/machine/make-directories.js';
import { lockDataDirectory } from '../../foundation/sqlite/lock-data-directory.js';
import { sumsPath } from '../../foundation/sqlite/page-sums.js';
import { copyFile, inRoom, syncDirectory } from './durable-files.js';
import { type StorageLayout, StorageProblem, unfinishedName } from './storage-layout.js';

/** What a data directory is made from. */
export interface DirectoryContent {
  /** The names of all files that it may get, as those of a backup, such as `ops/ops.db`. */
  readonly names: readonly string[];
  /** About how much room they take, in bytes. */
  readonly bytes: number;
  /** Writes those that exist durably to an empty directory, which gets the folders in their names. */
  readonly write: (directory: string) => Promise<void>;
}

/** Where it is made. */
export interface DirectoryOptions {
  /** The directories to make, which must not exist or be empty. */
  readonly layout: StorageLayout;
  readonly interrupted: AbortSignal;
}

/** What may be in a directory that counts as empty: the lock of a server, what a file system has at its root. */
const ignored: ReadonlySet<string> = new Set(['lock.db', 'lock.db-journal', 'lost+found', unfinishedName]);

/**
 * Makes the data directory of a layout. Files are written to a directory inside the data directory, which may be a
 * mount point, and moved to their places at the end. A server refuses the data directory until that is done; the same
 * call begins again.
 * @throws StorageProblem, Interrupted, DataDirectoryInUse, what `write` throws, errors of the file system
 */
export async function makeDataDirectory(content: DirectoryContent, options: DirectoryOptions): Promise<void> {
  const { layout } = options;
  const { dataDir, opsDir } = layout;
  makeDirectories(dataDir);
  const lock = lockDataDirectory(dataDir);
  try {
    const unfinished = join(dataDir, unfinishedName);
    if (existsSync(unfinished)) removeFiles(content, layout);
    for (const directory of new Set([dataDir, opsDir])) expectEmpty(directory, layout);
    makeDirectories(unfinished);
    syncDirectory(dataDir);
    try {
      for (const name of content.names) makeDirectories(dirname(join(unfinished, name)));
      await inRoom(unfinished, content.bytes, () => content.write(unfinished));
      // The database of the rows is the last one: without it a server refuses the other files.
      for (const name of inOrderOfMoves(content, layout)) {
        const from = join(unfinished, name);
        if (existsSync(from)) await moveToPlace(from, placeOf(name, layout), options);
      }
    } catch (error) {
      removeFiles(content, layout);
      throw error;
    }
    rmSync(unfinished, { recursive: true });
    syncDirectory(dataDir);
  } finally {
    lock.release();
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

function inOrderOfMoves({ names }: DirectoryContent, { engine }: StorageLayout): readonly string[] {
  const rowsFile = rowsFileOf(engine);
  return [...names.filter((name) => name !== rowsFile), ...names.filter((name) => name === rowsFile)];
}

/** The place may be on another file system. */
async function moveToPlace(from: string, path: string, { interrupted }: DirectoryOptions): Promise<void> {
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

/** The path of a file of the data directory. */
function placeOf(name: string, { dataDir, databases }: StorageLayout): string {
  for (const { name: known, path } of databases) {
    if (name === known) return path;
    if (name === sumsPath(known)) return sumsPath(path);
  }
  return join(dataDir, name);
}

/** Removes what an earlier or failed call wrote; its directories were empty before. The marker is the last. */
function removeFiles({ names }: DirectoryContent, layout: StorageLayout): void {
  for (const name of names) rmSync(placeOf(name, layout), { force: true });
  rmSync(join(layout.dataDir, unfinishedName), { recursive: true, force: true });
}
