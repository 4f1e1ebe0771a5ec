// Keeps the write-ahead log of a database until everything of it is shipped.
import { existsSync } from 'node:fs';
import { DatabaseFailure } from './database-failure.js';
import { type Database, openDatabase } from './open-database.js';

/**
 * A connection that only reads. The driver cannot finalize statements, so SQLite closes a connection at any time after
 * `close`, when the last of its statements has been collected; the connection that is then the last of the file moves
 * the log into it, which no `CheckpointGate` sees. While a guard is open, no other connection of this process is the
 * last one, and a guard itself may not write.
 */
export class LogGuard {
  readonly #path: string;
  #database: Database | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Opens the connection if it is not open and the database has a log: before that, its lock would be in the way of the
   * connection that makes the database. What fails now is tried at the next call.
   */
  hold(): void {
    if (this.#database !== undefined || !existsSync(`${this.#path}-wal`)) return;
    let database: Database | undefined;
    try {
      database = openDatabase({ path: this.#path, readOnly: true });
      // A connection takes its lock with the first statement.
      database.exec('SELECT count(*) FROM sqlite_schema');
      this.#database = database;
    } catch (error) {
      database?.close();
      if (!(error instanceof DatabaseFailure)) throw error;
    }
  }

  close(): void {
    this.#database?.close();
    this.#database = undefined;
  }
}
