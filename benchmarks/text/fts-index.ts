// SQLite's full-text index (FTS5) with the same words, in this process, on a file with the settings of the engine.
import { type Database, openDatabase } from '../../src/foundation/sqlite/open-database.js';

/** An index without the texts themselves. */
export class FtsIndex {
  readonly #database: Database;

  constructor(path: string) {
    this.#database = openDatabase({ path, walAutocheckpointPages: 30_000, cacheSizeBytes: 28 * 1024 * 1024 });
    this.#database.exec(`CREATE VIRTUAL TABLE texts USING fts5(body, content='', tokenize='ascii')`);
  }

  /** Adds texts in one transaction; their numbers follow each other from `first`. */
  insert(first: number, texts: readonly string[]): void {
    const statement = this.#database.statement('INSERT INTO texts (rowid, body) VALUES (?, ?)');
    this.#database.transaction(() => {
      for (const [at, text] of texts.entries()) statement.run([first + at + 1, text]);
    });
  }

  /** The numbers of the best rows with all words. */
  search(words: string, limit: number): readonly number[] {
    const statement = this.#database.statement(
      'SELECT rowid AS number FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?',
    );
    return statement.all([words, limit]).map(({ number }) => Number(number));
  }

  close(): void {
    this.#database.close();
  }
}
