// Which files a data directory consists of, as far as backups and checks need to know.

import type { StoredDatabase } from '../../foundation/sqlite/stored-database.js';

/** A file that is replaced as a whole. */
export interface StoredFile {
  readonly name: string;
  readonly path: string;
  /** A sentence about its damage, in a directory with its usual companions. */
  readonly problem: (directory: string) => string | undefined;
}

/** The storage of a server. */
export interface StorageLayout {
  /** Absolute paths. */
  readonly dataDir: string;
  readonly opsDir: string;
  /** The value of `--engine`. */
  readonly engine: string;
  readonly databases: readonly StoredDatabase[];
  /** Those that may exist: secrets and the key store. */
  readonly files: readonly StoredFile[];
  /**
   * A directory of files that can be made again from the rows, and how the names of those files end; undefined if there
   * is none.
   */
  readonly derived: { readonly directory: string; readonly ending: string } | undefined;
}

/** The file in a directory that its lock uses. */
export const lockName = 'lock.db';
/** The file of a backup that describes it. A server refuses a data directory with it. */
export const manifestName = 'backup.json';
/** The directory in a data directory in which `restore` writes. A server refuses a data directory with it. */
export const unfinishedName = 'restore-unfinished';

/** The storage cannot be used as requested. The message is for the user. */
export class StorageProblem extends Error {}
