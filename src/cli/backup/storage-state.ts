// Whether a server uses a data directory, and what is lost in it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DataDirectoryInUse } from '../../foundation/sqlite/data-directory-in-use.js';
import { findLostData } from '../../foundation/sqlite/find-lost-data.js';
import { lockDataDirectory } from '../../foundation/sqlite/lock-data-directory.js';
import { lockName, type StorageLayout } from './storage-layout.js';

/** Sentences about data that is lost. Nothing is known of a directory that a server uses: its logs look damaged. */
export function lostData({ dataDir, databases }: StorageLayout): string[] {
  return isInUse(dataDir) ? [] : databases.flatMap((database) => findLostData(database) ?? []);
}

/** Whether a server uses a data directory. A directory that cannot be written has no server. */
export function isInUse(dataDir: string): boolean {
  if (!existsSync(join(dataDir, lockName))) return false;
  try {
    lockDataDirectory(dataDir).release();
    return false;
  } catch (error) {
    return error instanceof DataDirectoryInUse;
  }
}
