// The check of the index entries of a collection, for the check process: each value of each document has its entry, and
// there are no others.
import type { JsonObject } from '../../../../foundation/json/json-value.js';
import type { Database } from '../../../../foundation/sqlite/open-database.js';
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import { text as textType } from '../../../column-types/text.js';
import { parsedObject } from '../../../documents/document-columns.js';
import { addEntries, type EntryKey, entryIdentity, type IsIndexed } from '../../../documents/entries.js';
import { indexingTest } from '../../../documents/indexing.js';
import { type Collection, collectionColumns, isCollection } from '../../../schema/collection.js';
import { inSnapshot } from '../file/open-for-reading.js';
import { loadSchema } from '../file/schema-store.js';
import { rowIdColumn, sqlColumn, sqlPaths, sqlTable } from '../file/sql-names.js';
import {
  countEntriesText,
  findEntryText,
  readBuiltText,
  segmentsText,
} from '../statements/entry-statements.js';
import { documentProblems } from './check-document.js';

/** What is wrong. */
export interface EntryProblems {
  /** Entries that are missing, or that no document has: they can be made again from the documents. */
  readonly entries: readonly string[];
  /** Documents whose text is damaged. */
  readonly documents: readonly string[];
}

/** Compares all entries with the documents, in one snapshot. A collection that is gone has no problems. */
export function checkEntries(database: Database, id: number, mostProblems: number): EntryProblems {
  return inSnapshot(database, () => {
    const collection = findCollection(database, id);
    return collection === undefined
      ? { entries: [], documents: [] }
      : new EntryCheck(database, collection, mostProblems).run();
  });
}

function findCollection(database: Database, id: number): Collection | undefined {
  for (const { tables } of loadSchema(database, 'extended').keyspaces.values())
    for (const table of tables.values()) if (table.id === id && isCollection(table)) return table;
  return undefined;
}

class EntryCheck {
  readonly #database: Database;
  readonly #collection: Collection;
  readonly #most: number;
  readonly #isIndexed: IsIndexed;
  readonly #segments: readonly (readonly [first: number, id: number])[];
  readonly #paths: ReadonlyMap<string, number>;
  readonly #entries: string[] = [];
  readonly #documents: string[] = [];
  /** Documents without entries, while they are being built: after the first number, up to the second. */
  readonly #unbuilt: readonly [number, number];
  #missing = 0;
  /** Whether the entries of a document are not known. */
  #hasUnknown = false;

  constructor(database: Database, collection: Collection, most: number) {
    this.#database = database;
    this.#collection = collection;
    this.#most = most;
    this.#isIndexed = indexingTest(collection.collection.indexing);
    const built = database.statement(readBuiltText, { returnArrays: true }).get([collection.id]);
    this.#unbuilt = [Number(built?.[0] ?? 0), Number(built?.[1] ?? 0)];
    const rows = (sql: string) => database.statement(sql, { returnArrays: true }).all();
    this.#segments = rows(segmentsText(collection)).map(
      ([first, id]) => [Number(first), Number(id)] as const,
    );
    this.#paths = new Map(
      rows(`SELECT path, id FROM ${sqlPaths(collection)}`).map(([path, id]) => [
        textType.sql.decode(String(path)),
        Number(id),
      ]),
    );
  }

  run(): EntryProblems {
    const { key, document, reserved, vector, lexical } = collectionColumns(this.#collection);
    const columns = [document, key, reserved, vector, lexical].map((column) =>
      column === undefined ? 'NULL' : sqlColumn(column),
    );
    const rows = this.#database
      .statement(
        `SELECT ${rowIdColumn}, ${columns.join(', ')} FROM ${sqlTable(this.#collection)} ORDER BY ${rowIdColumn}`,
        { returnArrays: true },
      )
      .iterate();
    let [expected, segment] = [0, 0];
    for (const [row, stored, ...others] of rows) {
      const number = Number(row);
      while ((this.#segments[segment + 1]?.[0] ?? Number.POSITIVE_INFINITY) <= number) segment += 1;
      const parsed = this.#parsed(number, stored ?? null);
      if (parsed !== undefined) this.#checkColumns(number, parsed, others);
      expected += this.#checkEntries(number, parsed ?? new Map(), this.#segments[segment]?.[1] ?? -1);
    }
    const [found] =
      this.#database.statement(countEntriesText(this.#collection), { returnArrays: true }).get() ?? [];
    const others = Number(found) - (expected - this.#missing);
    // The entries of a damaged document are not known.
    if (others !== 0 && !this.#hasUnknown) this.#entries.push(`${others} entries of no value`);
    return { entries: this.#entries, documents: this.#documents };
  }

  /** Compares the columns of a document with each other. */
  #checkColumns(number: number, document: JsonObject, columns: readonly SqlValue[]): void {
    const [key = null, reserved = null, vector = null, lexical = null] = columns;
    // Values of other classes are reported by the check of rows.
    const textOf = (value: SqlValue) => (typeof value === 'string' ? textType.sql.decode(value) : null);
    const problems = documentProblems(
      {
        document,
        key: bytesOf(key) ?? new Uint8Array(),
        reserved: textOf(reserved),
        vector: bytesOf(vector),
        lexical: textOf(lexical),
      },
      collectionColumns(this.#collection).vector?.type,
    );
    if (problems.length > 0)
      this.#note(this.#documents, `the document in row ${number} is damaged: ${problems.join('; ')}`);
  }

  /** Checks the entries of a document, and returns their number. */
  #checkEntries(number: number, document: JsonObject, segment: number): number {
    const known = new Set<string>();
    const [built, last] = this.#unbuilt;
    if (number > built && number <= last) return 0;
    addEntries(document, this.#isIndexed, (path, key) => {
      const identity = entryIdentity(path, key);
      if (known.has(identity)) return;
      known.add(identity);
      if (!this.#isThere(segment, path, key, number)) this.#noteMissing(number, path);
    });
    return known.size;
  }

  #parsed(number: number, stored: SqlValue): JsonObject | undefined {
    try {
      return parsedObject(textType.sql.decode(String(stored)));
    } catch {
      this.#hasUnknown = true;
      this.#note(this.#documents, `the document in row ${number} is damaged`);
      return undefined;
    }
  }

  #isThere(segment: number, path: string, key: EntryKey, number: number): boolean {
    const id = this.#paths.get(path);
    if (id === undefined) return false;
    return (
      this.#database.statement(findEntryText(this.#collection)).get([segment, id, key, number]) !== undefined
    );
  }

  #noteMissing(number: number, path: string): void {
    this.#missing += 1;
    this.#note(this.#entries, `the document in row ${number} lacks its entry of "${path}"`);
  }

  #note(list: string[], problem: string): void {
    if (list.length < this.#most) list.push(problem);
  }
}

function bytesOf(value: SqlValue): Uint8Array | null {
  return value instanceof Uint8Array ? value : null;
}
