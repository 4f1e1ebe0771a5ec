// Copies the files of a server, which may run, to a directory that is complete or does not exist.

import {
  closeSync,
  existsSync,
  fstatSync,
  lstatSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { isThere } from '../../foundation/machine/is-there.js';
import { makeDirectories } from '../../foundation/machine/make-directories.js';
import { expectRegularFile, openRegularFile } from '../../foundation/machine/regular-file.js';
import { CopiedSums } from '../../foundation/sqlite/copied-sums.js';
import { DatabaseSnapshot } from '../../foundation/sqlite/database-snapshot.js';
import { isLocked, lockDataDirectory } from '../../foundation/sqlite/lock-data-directory.js';
import type { LogReading } from '../../foundation/sqlite/logged-pages.js';
import { sumsPath } from '../../foundation/sqlite/page-sums.js';
import type { StoredDatabase } from '../../foundation/sqlite/stored-database.js';
import type { Clock } from '../../foundation/telemetry/clock.js';
import { type BackedUpFile, type BackupManifest, writeBackupManifest } from './backup-manifest.js';
import {
  type CopyWatch,
  copyAll,
  copyFile,
  doPiece,
  inRoom,
  pieceBytes,
  readFrom,
  syncDirectory,
} from './durable-files.js';
import { Pace } from './pace.js';
import { lockName, type StorageLayout, StorageProblem } from './storage-layout.js';
import { lostData } from './storage-state.js';

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
  /** Gets a sentence for each database with damage. */
  readonly onDamage: (problem: string) => void;
}

/** A source file that stays open, so that a server can replace it meanwhile. */
interface OpenFile {
  readonly name: string;
  readonly file: number;
}

/** A database in the state that is copied. */
interface OpenSource {
  readonly stored: StoredDatabase;
  readonly version: number;
  readonly snapshot: DatabaseSnapshot;
  readonly sums: CopiedSums;
}

/** An unfinished backup is locked: two commands with one target must not mix. */
const naming = { name: 'unfinished backup', option: 'directory for the backup' };

/**
 * Makes a backup and returns its description. The state of each database is that of one moment, nearly the same for
 * all. Until the last step the files are in `TARGET.unfinished`, which the next backup to that target empties.
 * @throws StorageProblem, Interrupted, DataDirectoryInUse, DatabaseFailure, errors of the file system
 */
export async function makeBackup(options: BackupOptions): Promise<BackupManifest> {
  expectStorage(options.layout);
  const target = expectFreeTarget(resolve(options.target), options.layout);
  const unfinished = `${target}.unfinished`;
  makeDirectories(unfinished);
  const lock = lockUnfinished(unfinished);
  try {
    emptyExceptLock(unfinished);
    const manifest = await copyStorage(unfinished, options);
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
  const { dataDir, databases, engine, files } = layout;
  if (!isThere(dataDir))
    throw new StorageProblem(`there is no data directory ${dataDir}: give another --data-dir`);
  for (const { path, isOptional } of databases) {
    if (!existsSync(path) && !isOptional)
      throw new StorageProblem(
        [databases, files].flat().some((stored) => existsSync(stored.path))
          ? `${path} does not exist, and there are other files of a server in ${dataDir}: if its --engine is not ` +
              `${engine}, give its --config, or set the variables of its options, such as COLONNADE_ENGINE`
          : `${path} does not exist: ${dataDir} is not a data directory. Give another --data-dir`,
      );
  }
  for (const { path } of databases) for (const file of [path, `${path}-wal`]) expectRegularFile(file);
  const [lost] = lostData(layout);
  if (lost !== undefined) throw new StorageProblem(lost);
}

/** The path of the target, without symbolic links: the directory is replaced at the end. */
function expectFreeTarget(given: string, { dataDir, opsDir }: StorageLayout): string {
  const target = realPath(given);
  const found = lstatSync(target, { throwIfNoEntry: false });
  if (found?.isSymbolicLink() === true)
    throw new StorageProblem(`${target} is a symbolic link to a path that does not exist: give a directory`);
  if (found !== undefined && (!found.isDirectory() || readdirSync(target).length > 0))
    throw new StorageProblem(
      `${given} exists${found.isDirectory() ? ' and is not empty' : ''}: give a new directory`,
    );
  if (found !== undefined && found.dev !== statSync(dirname(target)).dev)
    throw new StorageProblem(`${given} is a mount point: give a new directory in it`);
  for (const own of [dataDir, opsDir].filter(existsSync).map((path) => realpathSync.native(path))) {
    if (`${target}${sep}`.startsWith(`${own}${sep}`))
      throw new StorageProblem(`${given} is in ${own}: a backup must be outside of the data directory`);
  }
  return target;
}

/** With symbolic links resolved, as far as the path exists. */
function realPath(path: string): string {
  if (existsSync(path)) return realpathSync.native(path);
  const parent = dirname(path);
  return parent === path ? path : join(realPath(parent), path.slice(parent.length));
}

async function copyStorage(unfinished: string, options: BackupOptions): Promise<BackupManifest> {
  const { layout, madeBy, clock, interrupted, onProgress, onDamage } = options;
  const madeAt = new Date(clock.nowMs()).toISOString();
  const open = new Set<OpenSource>();
  let derived: readonly OpenFile[] = [];
  try {
    for (const stored of layout.databases) if (existsSync(stored.path)) open.add(openSource(stored));
    // A snapshot of an index fits the rows if it is not newer; the server checks that.
    derived = openDerived(layout);
    const amount = amountOf([...open], derived, layout);
    const progress = new Progress(amount, onProgress);
    const onBytes = (bytes: number) => progress.note(bytes);
    const pace = new Pace(clock, () => isLocked(layout.dataDir));
    const copying = {
      unfinished,
      layout,
      derived,
      progress,
      onDamage,
      watch: { interrupted, pace, onBytes },
    };
    const files = await inRoom(unfinished, amount, () => copyFiles(open, copying));
    return { madeBy, madeAt, engine: layout.engine, files };
  } finally {
    for (const { file } of derived) closeSync(file);
    for (const source of open) closeSource(source);
  }
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

/** How much of the work is done. */
class Progress {
  readonly #report: (share: number) => void;
  #total: number;
  #done = 0;

  /** `total`: about how many bytes the work has. */
  constructor(total: number, report: (share: number) => void) {
    this.#total = total;
    this.#report = report;
  }

  note(bytes: number): void {
    this.#done += bytes;
    this.#report(Math.min(1, this.#done / this.#total));
  }

  /** Sets how many bytes there are still to do. */
  expect(bytes: number): void {
    this.#total = this.#done + bytes;
  }
}

/**
 * The bytes of all files: about how much is read, and at most how much is written, because pages of a log are pages of
 * the file or are appended to it.
 */
function amountOf(
  sources: readonly OpenSource[],
  derived: readonly OpenFile[],
  { files }: StorageLayout,
): number {
  const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return sumOf([
    ...sources.map(({ stored, snapshot }) => snapshot.bytes + sizeOf(`${stored.path}-wal`)),
    bytesOf(derived),
    ...files.map(({ path }) => sizeOf(path)),
  ]);
}

/** The path of a file of the backup, in a directory that exists. */
function placeIn(unfinished: string, name: string): string {
  makeDirectories(dirname(join(unfinished, name)));
  return join(unfinished, name);
}

function bytesOf(files: readonly OpenFile[]): number {
  return sumOf(files.map(({ file }) => fstatSync(file).size));
}

/** What a copy of all files needs. */
interface Copying {
  readonly unfinished: string;
  readonly layout: StorageLayout;
  readonly derived: readonly OpenFile[];
  readonly progress: Progress;
  readonly watch: CopyWatch;
  readonly onDamage: BackupOptions['onDamage'];
}

/** Closes each database as soon as it is copied, and takes it from `open`. */
async function copyFiles(
  open: Set<OpenSource>,
  { unfinished, layout, derived, progress, watch, onDamage }: Copying,
): Promise<readonly BackedUpFile[]> {
  const place = (name: string) => placeIn(unfinished, name);
  const files: BackedUpFile[] = [];
  for (const { name, path } of layout.files)
    if (existsSync(path)) files.push({ name, ...(await copyFile(path, place(name), watch)) });
  const reading = { pieceBytes, doPiece: (piece: () => number) => doPiece(piece, watch) };
  for (const { snapshot } of open) await snapshot.readLog(reading);
  progress.expect(sumOf([...open].map(({ snapshot }) => snapshot.bytes)) + bytesOf(derived));
  for (const source of open) {
    files.push(...(await copyDatabase(source, { place, watch, reading, onDamage })));
    open.delete(source);
    closeSource(source);
  }
  for (const { name, file } of derived)
    files.push({ name, ...(await copyAll(readFrom(file), place(name), watch)) });
  for (const folder of new Set(files.map(({ name }) => dirname(join(unfinished, name)))))
    syncDirectory(folder);
  return files;
}

/** How a database is copied. */
interface DatabaseCopying extends Pick<Copying, 'watch' | 'onDamage'> {
  readonly place: (name: string) => string;
  readonly reading: LogReading;
}

/** Copies a database, and the sums of its pages. */
async function copyDatabase(
  { stored, version, snapshot, sums }: OpenSource,
  { place, watch, reading, onDamage }: DatabaseCopying,
): Promise<readonly BackedUpFile[]> {
  const read = (buffer: Buffer, offset: number) => {
    const bytes = snapshot.read(buffer, offset);
    sums.take(buffer.subarray(0, bytes), snapshot.pageBytes);
    return bytes;
  };
  const copied = { name: stored.name, ...(await copyAll(read, place(stored.name), watch)), version };
  const { content, damaged } = await sums.finish(snapshot, reading);
  if (damaged.length > 0)
    onDamage(
      `warning: ${stored.path} is damaged in ${damaged.length} pages, and the backup is, too: ` +
        'colonnade check says more',
    );
  const readContent = (buffer: Buffer, offset: number) => content.copy(buffer, 0, offset);
  const name = sumsPath(stored.name);
  return [copied, { name, ...(await copyAll(readContent, place(name), watch)) }];
}

function closeSource({ snapshot, sums }: OpenSource): void {
  sums.close();
  snapshot.close();
}

function openSource(stored: StoredDatabase): OpenSource {
  const sums = new CopiedSums(stored.path);
  const snapshot = openSnapshot(stored.path, sums);
  try {
    const version = stored.version.of((sql) => snapshot.query(sql));
    if (version > stored.version.newest)
      throw new StorageProblem(
        `${stored.path} was written by a later release of Colonnade (version ${version} of its format, ` +
          `known up to ${stored.version.newest}): make the backup with that release`,
      );
    return { stored, version, snapshot, sums };
  } catch (error) {
    sums.close();
    snapshot.close();
    throw error;
  }
}

function openSnapshot(path: string, sums: CopiedSums): DatabaseSnapshot {
  try {
    return new DatabaseSnapshot(path);
  } catch (error) {
    sums.close();
    throw error;
  }
}

function openDerived({ derived }: StorageLayout): readonly OpenFile[] {
  if (derived === undefined || !existsSync(derived.directory)) return [];
  const { directory, ending } = derived;
  return readdirSync(directory)
    .filter((name) => name.endsWith(ending))
    .map((name) => ({ name: `vectors/${name}`, file: openRegularFile(join(directory, name)) }));
}
