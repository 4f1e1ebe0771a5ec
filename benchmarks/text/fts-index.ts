// SQLite's full-text index (FTS5) with the same words, beside a table of the rows, with the settings of the engine.
import { type Database, openDatabase } from '../../src/foundation/sqlite/open-database.js';

/** A row as both servers return it. */
export interface TextRow {
  readonly id: number;
  readonly body: string;
}

/** An index without the texts themselves, and the rows. */
export class FtsIndex {
  readonly #database: Database;

  constructor(path: string) {
    this.#database = openDatabase({ path, walAutocheckpointPages: 30_000, cacheSizeBytes: 28 * 1024 * 1024 });
    this.#database.exec(
      `CREATE VIRTUAL TABLE IF NOT EXISTS texts USING fts5(body, content='', tokenize='ascii');
      CREATE TABLE IF NOT EXISTS rows (number INTEGER PRIMARY KEY, body TEXT NOT NULL)`,
    );
  }

  /** Adds texts to the index in one transaction; their numbers follow each other from `first`. */
  insert(first: number, texts: readonly string[]): void {
    this.#add('INSERT INTO texts (rowid, body) VALUES (?, ?)', first, texts);
  }

  /** Adds the rows of these texts to the table. */
  insertRows(first: number, texts: readonly string[]): void {
    this.#add('INSERT INTO rows (number, body) VALUES (?, ?)', first, texts);
  }

  /** The best rows with all words. */
  search(words: string, limit: number): readonly TextRow[] {
    const statement = this.#database.statement(
      `SELECT number, rows.body AS body FROM texts JOIN rows ON number = texts.rowid
        WHERE texts MATCH ? ORDER BY rank LIMIT ?`,
    );
    return statement
      .all([words, limit])
      .map(({ number, body }) => ({ id: Number(number), body: String(body) }));
  }

  close(): void {
    this.#database.close();
  }

  #add(sql: string, first: number, texts: readonly string[]): void {
    const statement = this.#database.statement(sql);
    this.#database.transaction(() => {
      for (const [at, text] of texts.entries()) statement.run([first + at, text]);
    });
  }
}
