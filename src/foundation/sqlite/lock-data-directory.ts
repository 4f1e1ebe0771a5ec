// Prevents a second process from using a data directory.
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DataDirectoryInUse } from './data-directory-in-use.js';
import { DatabaseFailure } from './database-failure.js';
import { type Database, openDatabase } from './open-database.js';

/** The right to use a data directory, held until `release` or the end of the process, however it ends. */
export interface DataDirectoryLock {
  release(): void;
}

/** The name of a directory in messages, and the option that sets another one. */
export interface DirectoryNaming {
  readonly name: string;
  readonly option: string;
}

/** The file that the lock uses. */
const lockName = 'lock.db';
/** How long a process that takes the lock waits for `isLocked` in another one, which takes much less. */
const lockTimeoutMs = 250;

/** The directories that servers of this process hold, as `identityOf` names them. */
const heldHere = new Set<string>();

const dataDirectoryNaming: DirectoryNaming = { name: 'data directory', option: '--data-dir' };

/**
 * Takes the lock of a directory that exists: an exclusive transaction on `lock.db`. The operating system releases it
 * when the process dies; a file with a process id would remain.
 * @throws DataDirectoryInUse, DatabaseFailure
 */
export function lockDataDirectory(
  directory: string,
  { name, option }: DirectoryNaming = dataDirectoryNaming,
): DataDirectoryLock {
  let database: Database | undefined;
  try {
    database = openDatabase({
      path: join(directory, lockName),
      journalMode: 'delete',
      busyTimeoutMs: lockTimeoutMs,
    });
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database?.close();
    if (!(error instanceof DatabaseFailure)) throw error;
    if (error.kind !== 'busy') {
      const reason = `lock.db: ${error.message}${whyNotWritable(directory, option)}`;
      const problem = `the ${name} ${directory} cannot be used: ${reason}`;
      throw new DatabaseFailure(error.kind, problem, { cause: error });
    }
    const [holder, advice] = heldHere.has(identityOf(directory))
      ? ['another server of this process', 'close']
      : ['another process', 'stop'];
    throw new DataDirectoryInUse(
      `the ${name} ${directory} is in use by ${holder}: ${advice} that one, or give another ${option}`,
      { cause: error },
    );
  }
  const held = database;
  const identity = identityOf(directory);
  heldHere.add(identity);
  return {
    release: () => {
      heldHere.delete(identity);
      held.close();
    },
  };
}

/** A text that is equal for all paths of a directory. */
function identityOf(directory: string): string {
  const { dev, ino } = statSync(directory, { bigint: true });
  return `${dev}:${ino}`;
}

/** Whether a process has the lock of a directory. The question does not prevent another one from taking it. */
export function isLocked(directory: string): boolean {
  const path = join(directory, lockName);
  if (!existsSync(path)) return false;
  let database: Database | undefined;
  try {
    database = openDatabase({ path, readOnly: true });
    database.statement('SELECT count(*) FROM sqlite_schema').get();
    return false;
  } catch (error) {
    if (!(error instanceof DatabaseFailure)) throw error;
    return error.kind === 'busy'; // a file that cannot be read has no server of this user
  } finally {
    database?.close();
  }
}

/** SQLite only says that it cannot open a file. Empty if the permissions of the directory are not the reason. */
function whyNotWritable(directory: string, option: string): string {
  try {
    accessSync(directory, constants.W_OK | constants.X_OK);
    return '';
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'denied';
    const user = process.getuid?.();
    return (
      ` (${code}: the server may not write there; make the directory writable for ` +
      `${user === undefined ? 'its user' : `the user ${user}`}, or give another ${option})`
    );
  }
}
