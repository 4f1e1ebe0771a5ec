// Copies the files of a server, which may run, to a directory that is complete or does not exist.
import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { makeDirectories } from '../../foundation/machine/make-directories.js';
import { copyLog } from '../../foundation/sqlite/copy-log.js';
import { lockDataDirectory } from '../../foundation/sqlite/lock-data-directory.js';
import { applyLog, type Database, openDatabase } from '../../foundation/sqlite/open-database.js';
import type { Clock } from '../../foundation/telemetry/clock.js';
import { type BackedUpFile, type BackupManifest, writeBackupManifest } from './backup-manifest.js';
import {
  type CopyWatch,
  copyFile,
  copyOpenFile,
  doPiece,
  inRoom,
  pieceBytes,
  sumFile,
  syncDirectory,
} from './durable-files.js';
import { Pace } from './pace.js';
import { lockName, type StorageLayout, StorageProblem, type StoredDatabase } from './storage-layout.js';
import { isInUse, lostData } from './storage-state.js';

/** How a backup is made. */
export interface BackupOptions {
  readonly layout: StorageLayout;
  /** The directory of the backup; it must not exist or be empty. */
  readonly target: string;
  readonly madeBy: string;
  readonly clock: Clock;
  readonly interrupted: AbortSignal;
  /** Gets the share that is done, 0 to 1. */
  readonly onProgress: (share: number) => void;
}

/** A source file that stays open, so that a server can replace it meanwhile. */
interface OpenFile {
  readonly name: string;
  readonly file: number;
}

/** A database with a read transaction: until its end, nothing of its state is removed from the two files. */
interface OpenSource {
  readonly stored: StoredDatabase;
  readonly database: Database;
  readonly version: number;
  readonly file: number;
  readonly bytes: number;
}

/** How long a copy rests after each piece, beside a server: as a multiple of the time that the piece took. */
const restFactor = 2;

/** An unfinished backup is locked: two commands with one target must not mix. */
const naming = { name: 'unfinished backup', option: 'directory for the backup' };

/**
 * Makes a backup and returns its description. The state of each database is that of one moment, nearly the same for
 * all. Until the last step the files are in `TARGET.unfinished`, which the next backup to that target empties.
 * @throws StorageProblem, Interrupted, DataDirectoryInUse, DatabaseFailure, errors of the file system
 */
export async function makeBackup(options: BackupOptions): Promise<BackupManifest> {
  const target = resolve(options.target);
  expectStorage(options.layout);
  expectFreeTarget(target, options.layout);
  const unfinished = `${target}.unfinished`;
  makeDirectories(unfinished);
  const lock = lockUnfinished(unfinished);
  try {
    emptyExceptLock(unfinished);
    const manifest = await copyAll(unfinished, options);
    writeBackupManifest(unfinished, manifest);
    lock.release();
    rmSync(join(unfinished, lockName));
    syncDirectory(unfinished);
    renameSync(unfinished, target);
    syncDirectory(dirname(target));
    return manifest;
  } catch (error) {
    lock.release();
    rmSync(unfinished, { recursive: true, force: true });
    throw error;
  }
}

function lockUnfinished(unfinished: string) {
  if (readdirSync(unfinished).length > 0 && !existsSync(join(unfinished, lockName)))
    throw new StorageProblem(`${unfinished} exists and is not an unfinished backup: remove it first`);
  return lockDataDirectory(unfinished, naming);
}

/** What a killed backup left. */
function emptyExceptLock(directory: string): void {
  for (const name of readdirSync(directory)) {
    if (!name.startsWith(lockName)) rmSync(join(directory, name), { recursive: true });
  }
}

/** @throws StorageProblem if there is no data directory, or if data of a stopped server is lost */
function expectStorage(layout: StorageLayout): void {
  const { dataDir, databases } = layout;
  if (!existsSync(dataDir))
    throw new StorageProblem(`there is no data directory ${dataDir}: give another --data-dir`);
  for (const { path, isOptional } of databases) {
    if (!existsSync(path) && !isOptional)
      throw new StorageProblem(
        `${path} does not exist: ${dataDir} is not a data directory. Give another --data-dir`,
      );
  }
  const [lost] = lostData(layout);
  if (lost !== undefined) throw new StorageProblem(lost);
}

function expectFreeTarget(target: string, { dataDir, opsDir }: StorageLayout): void {
  const found = statSync(target, { throwIfNoEntry: false });
  if (found !== undefined && (!found.isDirectory() || readdirSync(target).length > 0))
    throw new StorageProblem(
      `${target} exists${found.isDirectory() ? ' and is not empty' : ''}: give a new directory`,
    );
  const place = realPath(target);
  for (const own of [dataDir, opsDir].filter(existsSync).map((path) => realpathSync.native(path))) {
    if (`${place}${sep}`.startsWith(`${own}${sep}`))
      throw new StorageProblem(`${target} is in ${own}: a backup must be outside of the data directory`);
  }
}

/** With symbolic links resolved, as far as the path exists. */
function realPath(path: string): string {
  if (existsSync(path)) return realpathSync.native(path);
  const parent = dirname(path);
  return parent === path ? path : join(realPath(parent), path.slice(parent.length));
}

async function copyAll(unfinished: string, options: BackupOptions): Promise<BackupManifest> {
  const { layout, madeBy, clock, interrupted } = options;
  const madeAt = new Date(clock.nowMs()).toISOString();
  const open = new Set<OpenSource>();
  let derived: readonly OpenFile[] = [];
  try {
    for (const stored of layout.databases) if (existsSync(stored.path)) open.add(openSource(stored));
    const total = sumOf([...open].map(({ bytes }) => bytes));
    // A snapshot of an index fits the rows if it is not newer; the server checks that.
    derived = openDerived(layout);
    const needed = total + otherBytes([...open], derived, layout);
    const watch: CopyWatch = {
      interrupted,
      ...(isInUse(layout.dataDir) && { pace: new Pace(clock, restFactor) }),
    };
    const copying = { unfinished, layout, derived, watch, onBytes: shareOf(2 * total, options.onProgress) };
    const files = await inRoom(unfinished, needed, () => copyFiles(open, copying));
    return { madeBy, madeAt, engine: layout.engine, files };
  } finally {
    for (const { file } of derived) closeSync(file);
    for (const source of open) closeSource(source);
  }
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

function shareOf(total: number, onProgress: (share: number) => void): (bytes: number) => void {
  let done = 0;
  return (bytes) => {
    done += bytes;
    onProgress(Math.min(1, done / total));
  };
}

/** How much a backup may need beside the copies of the database files: a log is copied, and may then be appended. */
function otherBytes(
  sources: readonly OpenSource[],
  derived: readonly OpenFile[],
  { files }: StorageLayout,
): number {
  const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return (
    2 * sumOf(sources.map(({ stored }) => sizeOf(`${stored.path}-wal`))) +
    sumOf(derived.map(({ file }) => fstatSync(file).size)) +
    sumOf(files.map(({ path }) => sizeOf(path)))
  );
}

/** The file last: to close it releases the locks that SQLite has on it in this process. */
function closeSource({ database, file }: Pick<OpenSource, 'database' | 'file'>): void {
  closeDatabase(database);
  closeSync(file);
}

function closeDatabase(database: Database): void {
  database.endReading();
  database.close();
}

/** The path of a file of the backup, in a directory that exists. */
function placeIn(unfinished: string, name: string): string {
  makeDirectories(dirname(join(unfinished, name)));
  return join(unfinished, name);
}

/** What a copy of all files needs. */
interface Copying {
  readonly unfinished: string;
  readonly layout: StorageLayout;
  readonly derived: readonly OpenFile[];
  readonly watch: CopyWatch;
  /** Gets the bytes of databases that were copied, or read for a checksum. */
  readonly onBytes: (bytes: number) => void;
}

/** Closes each database as soon as it is copied, and takes it from `open`. */
async function copyFiles(
  open: Set<OpenSource>,
  { unfinished, layout, derived, watch, onBytes }: Copying,
): Promise<readonly BackedUpFile[]> {
  const place = (name: string) => placeIn(unfinished, name);
  const sources = [...open];
  const files: BackedUpFile[] = [];
  for (const { name, path } of layout.files)
    if (existsSync(path)) files.push({ name, ...(await copyFile(path, place(name), watch)) });
  const doLogPiece = (piece: () => number, copy: number) => doPiece(piece, watch, copy);
  for (const { stored } of sources)
    await copyLog(`${stored.path}-wal`, `${place(stored.name)}-wal`, { pieceBytes, doPiece: doLogPiece });
  for (const source of sources) {
    await copyOpenFile(source.file, place(source.stored.name), { ...watch, onBytes });
    open.delete(source);
    closeSource(source);
  }
  for (const { name, file } of derived)
    files.push({ name, ...(await copyOpenFile(file, place(name), watch)) });
  for (const { stored, version } of sources) {
    applyLog(place(stored.name));
    const sum = await sumFile(place(stored.name), { ...watch, onBytes }, true);
    files.push({ name: stored.name, ...sum, version });
  }
  for (const folder of new Set(files.map(({ name }) => dirname(join(unfinished, name)))))
    syncDirectory(folder);
  return files;
}

function openSource(stored: StoredDatabase): OpenSource {
  const database = openDatabase({ path: stored.path, readOnly: true, busyTimeoutMs: 10_000 });
  try {
    database.exec('BEGIN');
    const one = (sql: string) => database.statement(sql, { returnArrays: true }).get()?.[0];
    const version = stored.version.of(one); // the first read begins the snapshot
    if (version > stored.version.newest)
      throw new StorageProblem(
        `${stored.path} was written by a later release of Colonnade (version ${version} of its format, ` +
          `known up to ${stored.version.newest}): make the backup with that release`,
      );
    const file = openSync(stored.path, 'r');
    return { stored, database, version, file, bytes: fstatSync(file).size };
  } catch (error) {
    closeDatabase(database);
    throw error;
  }
}

function openDerived({ derived: { directory, ending } }: StorageLayout): readonly OpenFile[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((name) => name.endsWith(ending))
    .map((name) => ({ name: `vectors/${name}`, file: openSync(join(directory, name), 'r') }));
}
