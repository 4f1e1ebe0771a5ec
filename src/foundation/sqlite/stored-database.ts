// A SQLite file of a data directory, as far as starts, backups and checks need to know.

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
  /**
   * Checks its rows and indexes; undefined if it was stopped. `onProgress` gets the share that is done, 0 to 1. Absent
   * if its structure says everything.
   * @throws DatabaseFailure, or another Error if the file cannot be read at all
   */
  readonly check?: (
    signal: AbortSignal,
    onProgress: (share: number) => void,
  ) => Promise<StorageFindings | undefined>;
}

/** What was found in a data file. */
export interface StorageFindings {
  readonly tables: number;
  readonly collections: number;
  readonly rows: number;
  /** Sentences about damage. */
  readonly problems: readonly string[];
}
