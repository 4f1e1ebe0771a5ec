// Keeps the write-ahead logs of databases until everything of them is shipped.
import { existsSync } from 'node:fs';
import { DatabaseFailure } from './database-failure.js';
import { type Database, openDatabase } from './open-database.js';

/**
 * Connections that only read. The driver cannot finalize statements, so SQLite closes a connection at any time after
 * `close`, when the last of its statements has been collected, at the latest when its thread ends; the connection that
 * is then the last of the file moves the log into it, which no `CheckpointGate` sees. While the guards are held, no
 * other connection of this process is the last one, and a guard itself may not write.
 */
export class LogGuards {
  readonly #paths: readonly string[];
  readonly #held = new Map<string, Database>();

  /** `paths` are those of the databases. */
  constructor(paths: readonly string[]) {
    this.#paths = paths;
  }

  /**
   * Opens the connections that are not open, of databases that have a log: before that, the lock would be in the way of
   * the connection that makes the database. What fails now is tried at the next call.
   */
  hold(): void {
    for (const path of this.#paths) {
      if (this.#held.has(path) || !existsSync(`${path}-wal`)) continue;
      const database = holdLog(path);
      if (database !== undefined) this.#held.set(path, database);
    }
  }

  close(): void {
    for (const database of this.#held.values()) database.close();
    this.#held.clear();
  }
}

function holdLog(path: string): Database | undefined {
  let database: Database | undefined;
  try {
    database = openDatabase({ path, readOnly: true });
    // A connection takes its lock with the first statement.
    database.exec('SELECT count(*) FROM sqlite_schema');
    return database;
  } catch (error) {
    database?.close();
    if (!(error instanceof DatabaseFailure)) throw error;
    return undefined;
  }
}
