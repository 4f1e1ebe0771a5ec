// What is lost in a data directory.
import { findLostData } from '../../foundation/sqlite/find-lost-data.js';
import { isLocked } from '../../foundation/sqlite/lock-data-directory.js';
import type { StorageLayout } from './storage-layout.js';

/** Sentences about data that is lost. Nothing is known of a directory that a server uses: its logs look damaged. */
export function lostData({ dataDir, databases }: StorageLayout): string[] {
  return isLocked(dataDir) ? [] : databases.flatMap((database) => findLostData(database) ?? []);
}
