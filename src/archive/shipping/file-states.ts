// What a data directory knows of the archive that its files were made from, until its first start: the databases are
// the states of an earlier generation, so that the next one needs no copy to begin with. It is in the place of
// `archive-state.json`.
import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { readRegularFile } from '../../foundation/machine/regular-file.js';
import { FileNotWritten, replaceFile } from '../../foundation/secrets/replace-file.js';
import { readRoundEnd } from '../../foundation/sqlite/round-end.js';
import { ArchiveDamaged } from '../format/archive-damaged.js';
import type { ArchivedState } from '../format/file-copy.js';
import { Members } from '../format/members.js';
import { type ArchivedDatabase, archivedDatabases, generationPattern } from '../format/names.js';
import { type ChainEnd, readFile, stateFormat, statePath } from './archive-state.js';
import { fileMark } from './find-place.js';
import { closeSource, openLog } from './read-log.js';

/** The state of a database, and how its file is known again that is in this state. */
export interface FileState extends Omit<ArchivedState, 'generation'> {
  readonly toMs: number;
  readonly pageBytes: number;
  readonly file: NonNullable<ChainEnd['file']>;
}

/** The states that the databases of a data directory have. */
export interface FileStates {
  /** The id of the archive. */
  readonly archive: string;
  readonly generation: string;
  /** Without those that the archive did not have. */
  readonly databases: Readonly<Partial<Record<ArchivedDatabase, FileState>>>;
}

/** Where a file is, and what the archive has of its content. */
export interface NotedDatabase extends Omit<FileState, 'file'> {
  readonly database: ArchivedDatabase;
  /** The path of its file. */
  readonly path: string;
}

/**
 * Notes that databases which nobody has open are states of a generation, durably. Returns why it could not, in words:
 * then the next generation begins with copies.
 */
export function noteFileStates(
  dataDir: string,
  { archive, generation }: Pick<FileStates, 'archive' | 'generation'>,
  noted: readonly NotedDatabase[],
): string | undefined {
  try {
    const databases: Partial<Record<ArchivedDatabase, FileState>> = {};
    for (const { database, path, sequence, sha256, toMs, pageBytes } of noted) {
      const file = fileMark(path);
      if (file === undefined || !hasNoLog(path)) return `${path} has a log`;
      databases[database] = { sequence, sha256, toMs, pageBytes, file };
    }
    const note = { format: stateFormat, archive, base: { generation, databases } };
    replaceFile(statePath(dataDir), Buffer.from(`${JSON.stringify(note, undefined, 2)}\n`));
    return undefined;
  } catch (error) {
    if (error instanceof FileNotWritten || (error instanceof Error && 'syscall' in error))
      return error.message;
    throw error;
  }
}

/**
 * The states that the databases have, if they are as they were noted. The note is removed durably, so that no later
 * start uses it, which would not know what this one has written. No database is open. Undefined if there is no note
 * that can be used.
 */
export function takeFileStates(
  dataDir: string,
  paths: Readonly<Record<ArchivedDatabase, string>>,
): FileStates | undefined {
  try {
    const base = readBase(statePath(dataDir));
    if (base === undefined) return undefined;
    removeDurably(statePath(dataDir));
    const isAsNoted = Object.values(base.databases).length > 0 && archivedDatabases.every(isSame);
    return isAsNoted ? base : undefined;

    function isSame(database: ArchivedDatabase): boolean {
      const noted = base?.databases[database];
      if (noted === undefined) return true;
      const file = fileMark(paths[database]);
      const isFile = file?.bytes === noted.file.bytes && file.changed === noted.file.changed;
      return isFile && hasNoLog(paths[database]);
    }
  } catch (error) {
    // Without a note the generation begins with copies.
    if (error instanceof ArchiveDamaged || error instanceof SyntaxError) return undefined;
    if (error instanceof Error && 'syscall' in error) return undefined;
    throw error;
  }
}

function readBase(path: string): FileStates | undefined {
  const members = new Members(path, JSON.parse(readRegularFile(path).toString()));
  if (members.format !== stateFormat || !members.has('base')) return undefined;
  const base = members.members('base');
  const databases = base.members('databases');
  return {
    archive: members.text('archive'),
    generation: base.text('generation', generationPattern),
    databases: Object.fromEntries(
      archivedDatabases
        .filter((database) => databases.has(database))
        .map((database) => [database, readState(databases.members(database))]),
    ),
  };
}

function readState(members: Members): FileState {
  return {
    sequence: members.integer('sequence'),
    sha256: members.sha256('sha256'),
    toMs: members.integer('toMs'),
    pageBytes: members.integer('pageBytes'),
    file: readFile(members.members('file')),
  };
}

/** Whether everything of a database is in its file: it has no log, and no rest of one that is not shipped. */
export function hasNoLog(path: string): boolean {
  const log = openLog(path);
  if (log !== undefined) closeSource(log);
  return log === undefined && readRoundEnd(path) === undefined;
}

function removeDurably(path: string): void {
  rmSync(path);
  const directory = openSync(dirname(path), 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
