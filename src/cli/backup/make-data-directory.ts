// Makes a data directory: all of it, or nothing that a server would start with.
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { rowsFileOf } from '../../foundation/config/engines/registry.js';
import { makeDirectories } from '../../foundation/machine/make-directories.js';
import { replaceFile } from '../../foundation/secrets/replace-file.js';
import { type DataDirectoryLock, lockDataDirectory } from '../../foundation/sqlite/lock-data-directory.js';
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
  const locks = [lockDataDirectory(dataDir)];
  try {
    const unfinished = join(dataDir, unfinishedName);
    locks.push(...lockOpsDirectory(layout));
    if (existsSync(unfinished)) removeFiles(content, layout);
    for (const directory of new Set([dataDir, opsDir])) expectEmpty(directory, layout);
    makeDirectories(unfinished);
    syncDirectory(dataDir);
    try {
      for (const name of content.names) makeDirectories(dirname(join(unfinished, name)));
      await inRoom(unfinished, content.bytes, () => content.write(unfinished));
      noteMoves(content, layout);
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
    for (const lock of locks) lock.release();
  }
}

const opsNaming = { name: 'operations directory', option: '--ops-dir' };

/**
 * An operations directory elsewhere may be that of a server that runs. What is in it stays as it is, unless an
 * interrupted call put it there.
 */
function lockOpsDirectory(layout: StorageLayout): readonly DataDirectoryLock[] {
  const { dataDir, opsDir } = layout;
  if (isIn(dataDir, opsDir)) return [];
  if (notedMoves(layout).length === 0) expectEmpty(opsDir, layout);
  makeDirectories(opsDir);
  return [lockDataDirectory(opsDir, opsNaming)];
}

function isIn(directory: string, path: string): boolean {
  return `${path}${sep}`.startsWith(`${directory}${sep}`);
}

/** The file that says what is moved out of the data directory. */
const movesName = 'moves.json';

interface Moves {
  readonly opsDir: string;
  readonly names: readonly string[];
}

/** Notes which files will be in the operations directory, before they are moved there. */
function noteMoves({ names }: DirectoryContent, layout: StorageLayout): void {
  const { dataDir, opsDir } = layout;
  const unfinished = join(dataDir, unfinishedName);
  const moved = names.filter(
    (name) => !isIn(dataDir, placeOf(name, layout)) && existsSync(join(unfinished, name)),
  );
  const moves: Moves = { opsDir, names: moved };
  replaceFile(join(unfinished, movesName), Buffer.from(JSON.stringify(moves)));
}

/** The files that a call moves, or moved before it was interrupted, to the operations directory of this one. */
function notedMoves({ dataDir, opsDir }: StorageLayout): readonly string[] {
  const path = join(dataDir, unfinishedName, movesName);
  if (!existsSync(path)) return [];
  const moves = JSON.parse(readFileSync(path, 'utf8')) as Moves; // `noteMoves` wrote it
  return moves.opsDir === opsDir ? moves.names : [];
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
    const near = nearOf(path);
    rmSync(near, { force: true });
    const copy = () => copyFile(from, near, { interrupted });
    await inRoom(dirname(path), statSync(from).size, copy);
    rmSync(from); // what is left here was not moved: a call that ends behind the rename would leave both
    renameSync(near, path);
  }
  syncDirectory(dirname(path));
}

/** Where a file from another file system is until it is complete. */
function nearOf(path: string): string {
  return `${path}.new`;
}

/** The path of a file of the data directory. */
function placeOf(name: string, { dataDir, databases }: StorageLayout): string {
  for (const { name: known, path } of databases) {
    if (name === known) return path;
    if (name === sumsPath(known)) return sumsPath(path);
  }
  return join(dataDir, name);
}

/**
 * Removes what an earlier or failed call wrote. The data directory was empty before; in another operations directory,
 * only what was moved there is removed. The marker is the last.
 */
function removeFiles({ names }: DirectoryContent, layout: StorageLayout): void {
  const { dataDir } = layout;
  const unfinished = join(dataDir, unfinishedName);
  const moves = notedMoves(layout);
  for (const name of names) {
    const place = placeOf(name, layout);
    const isOwn = isIn(dataDir, place);
    if (!isOwn && !moves.includes(name)) continue;
    rmSync(nearOf(place), { force: true });
    if (isOwn || !existsSync(join(unfinished, name))) rmSync(place, { force: true });
  }
  rmSync(unfinished, { recursive: true, force: true });
}
