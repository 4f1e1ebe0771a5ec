// Which files a data directory consists of, as far as backups and checks need to know.

/** A SQLite file. */
export interface StoredDatabase {
  /** Its path in a backup: `ops/ops.db`. */
  readonly name: string;
  readonly path: string;
  /** What a message calls it: `rows`. */
  readonly content: string;
  /** Whether a data directory without it is one. */
  readonly isOptional: boolean;
  /** The version of its format, read from an open file, and the newest one that this program can open. */
  readonly version: { readonly of: (query: (sql: string) => unknown) => number; readonly newest: number };
  /** Sentences about what the file at a path has that no server made. @throws DatabaseFailure, TypeError */
  readonly refused: (path: string) => readonly string[];
  /** Files that exist only if the database was used. */
  readonly companions: readonly string[];
}

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
  /** `embedded` or `cassandra`. */
  readonly engine: string;
  readonly databases: readonly StoredDatabase[];
  /** Those that may exist: secrets and the key store. */
  readonly files: readonly StoredFile[];
  /** A directory of files that can be made again from the rows, and how the names of those files end. */
  readonly derived: { readonly directory: string; readonly ending: string };
}

/** The file in a directory that its lock uses. */
export const lockName = 'lock.db';
/** The file of a backup that describes it. A server refuses a data directory with it. */
export const manifestName = 'backup.json';
/** The directory in a data directory in which `restore` writes. A server refuses a data directory with it. */
export const unfinishedName = 'restore-unfinished';

/** The storage cannot be used as requested. The message is for the user. */
export class StorageProblem extends Error {}

/** What was found in a data file. */
export interface StorageFindings {
  readonly tables: number;
  readonly collections: number;
  readonly rows: number;
  /** Sentences about damage. */
  readonly problems: readonly string[];
}

/**
 * Checks the rows and indexes of a data file; undefined if it was stopped. `onProgress` gets the share that is done, 0
 * to 1.
 */
export type CheckDataFile = (
  path: string,
  signal: AbortSignal,
  onProgress: (share: number) => void,
) => Promise<StorageFindings | undefined>;
