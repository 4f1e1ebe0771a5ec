// The tables of collections as the writer thread uses them: statements, columns, numbers of paths.

import type { Database } from '../../../../foundation/sqlite/open-database.js';
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import { text as textType } from '../../../column-types/text.js';
import type { DocumentColumns } from '../../../documents/document-columns.js';
import type { IsIndexed } from '../../../documents/entries.js';
import { indexingTest } from '../../../documents/indexing.js';
import type { DocumentRules } from '../../../documents/read-document.js';
import { type Collection, collectionColumns, isCollection } from '../../../schema/collection.js';
import { documentRules } from '../../../schema/document-rules.js';
import { anyTextIndexOn } from '../../../schema/table.js';
import { analysisUnits } from '../../../text-analysis/analyzer.js';
import { entriesOf } from '../file/engine-state.js';
import { loadSchema } from '../file/schema-store.js';
import { storedFloats } from '../file/sql-functions.js';
import { insertedColumn, rowIdColumn, sqlColumn, sqlPaths, sqlTable } from '../file/sql-names.js';
import { EntryBuild } from './entry-build.js';
import { EntrySegments, type SegmentSizes, segmentSizes } from './entry-segments.js';
import { SegmentMerges } from './segment-merges.js';

/** Paths whose numbers are known without a query. */
const mostPaths = 50_000;

/** Finds the tables of jobs. */
export class DocumentTables {
  readonly #database: Database;
  readonly #sizes: SegmentSizes | undefined;
  readonly #known = new Map<number, DocumentTable>();
  #isLoaded = false;

  constructor(database: Database, sizes?: SegmentSizes) {
    this.#database = database;
    this.#sizes = sizes;
  }

  /** The table in its present version. */
  find({ id, version }: { readonly id: number; readonly version: number }): DocumentTable {
    const known = this.#known.get(id);
    if (known?.version === version) return known;
    this.#load(); // versions change rarely
    const found = this.#known.get(id);
    if (found?.version !== version) throw new TypeError(`the collection ${id} has no version ${version}`);
    return found;
  }

  /** All tables, except new ones that no job has used. */
  all(): Iterable<DocumentTable> {
    if (!this.#isLoaded) this.#load();
    return this.#known.values();
  }

  /** Forgets numbers of paths and segments that a rolled back transaction may have given. */
  forget(): void {
    this.#known.clear();
    this.#isLoaded = false;
  }

  #load(): void {
    this.#isLoaded = true;
    const before = new Map(this.#known);
    this.#known.clear();
    for (const { tables } of loadSchema(this.#database, 'extended').keyspaces.values())
      for (const table of tables.values()) {
        if (!isCollection(table)) continue;
        const same = before.get(table.id);
        const isSame = same?.version === table.version;
        this.#known.set(table.id, isSame ? same : new DocumentTable(table, this.#database, this.#sizes));
      }
  }
}

/** The table of a collection. */
export class DocumentTable {
  readonly id: number;
  readonly version: number;
  readonly engineState: unknown;
  readonly isIndexed: IsIndexed;
  readonly rules: DocumentRules;
  /** Key, then the columns of `encode`; does nothing if the key exists. */
  readonly insertText: string;
  /** Selects by a key the number of the row, then the columns of `decode`. */
  readonly selectText: string;
  /** Selects by a key the bytes of the columns of `decode`, which are not read. */
  readonly sizeText: string;
  /** The columns of `encode`, then the number of the row. */
  readonly updateText: string;
  readonly deleteText: string;
  readonly segments: EntrySegments;
  readonly merges: SegmentMerges;
  /** Undefined if all documents have entries. */
  readonly build: EntryBuild | undefined;
  /** The units of a character of `lexical`, see `analysisUnits`; 0 if it has no text index. */
  readonly lexicalUnits: number;
  readonly #database: Database;
  readonly #columns: readonly (keyof DocumentColumns)[];
  readonly #numbers = new Map<string, number>();

  constructor(collection: Collection, database: Database, sizes: SegmentSizes = segmentSizes) {
    this.#database = database;
    this.id = collection.id;
    this.version = collection.version;
    this.engineState = collection.engineState;
    this.segments = new EntrySegments(collection, database, sizes);
    this.merges = new SegmentMerges(collection, this.segments, database, sizes);
    this.build =
      entriesOf(collection)?.isBuilding === true ? new EntryBuild(collection, database) : undefined;
    this.isIndexed = indexingTest(collection.collection.indexing);
    this.rules = documentRules(collection);
    const { key, document, reserved, vector, lexical } = collectionColumns(collection);
    const textIndex = lexical && anyTextIndexOn(collection, lexical);
    this.lexicalUnits = textIndex === undefined ? 0 : analysisUnits(1, textIndex.analyzer);
    this.#columns = [
      'text',
      'reserved',
      ...(vector === undefined ? [] : ['vector' as const]),
      ...(lexical === undefined ? [] : ['lexical' as const]),
    ];
    const names = [document, reserved, vector, lexical].flatMap((column) =>
      column ? [sqlColumn(column)] : [],
    );
    const table = sqlTable(collection);
    this.insertText =
      `INSERT INTO ${table} (${[insertedColumn, sqlColumn(key), ...names].join(', ')}) ` +
      `VALUES (1, ?${', ?'.repeat(names.length)}) ON CONFLICT DO NOTHING`;
    this.selectText = `SELECT ${[rowIdColumn, ...names].join(', ')} FROM ${table} WHERE ${sqlColumn(key)} = ?`;
    const bytes = names.map((name) => `coalesce(octet_length(${name}), 0)`).join(' + ');
    this.sizeText = `SELECT ${bytes} FROM ${table} WHERE ${sqlColumn(key)} = ?`;
    this.updateText = `UPDATE ${table} SET ${names.map((name) => `${name} = ?`).join(', ')} WHERE ${rowIdColumn} = ?`;
    this.deleteText = `DELETE FROM ${table} WHERE ${rowIdColumn} = ?`;
  }

  /** The values of the columns. */
  encode(columns: DocumentColumns): readonly SqlValue[] {
    return this.#columns.map((name) => {
      const value = columns[name];
      if (value === null) return null;
      if (typeof value === 'string') return textType.sql.encode(value);
      return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    });
  }

  decode(values: readonly SqlValue[]): DocumentColumns {
    const columns: Record<keyof DocumentColumns, DocumentColumns[keyof DocumentColumns]> = {
      text: '',
      reserved: null,
      vector: null,
      lexical: null,
    };
    for (const [at, name] of this.#columns.entries()) columns[name] = decodedValue(name, values[at] ?? null);
    return columns as DocumentColumns; // as `encode` wrote them
  }

  /** The number of a path; a new path gets one. */
  pathNumber(path: string): number {
    const known = this.#numbers.get(path);
    if (known !== undefined) return known;
    const stored = textType.sql.encode(path);
    const find = this.#database.statement(`SELECT id FROM ${sqlPaths(this)} WHERE path = ?`);
    let found = find.get([stored]);
    if (found === undefined) {
      this.#database.statement(`INSERT INTO ${sqlPaths(this)} (path) VALUES (?)`).run([stored]);
      found = find.get([stored]);
    }
    const number = Number(found?.['id']);
    if (this.#numbers.size >= mostPaths) this.#numbers.clear();
    this.#numbers.set(path, number);
    return number;
  }
}

function decodedValue(name: keyof DocumentColumns, value: SqlValue): DocumentColumns[keyof DocumentColumns] {
  if (value === null) return null;
  return name === 'vector' ? storedFloats(value) : textType.sql.decode(String(value));
}
