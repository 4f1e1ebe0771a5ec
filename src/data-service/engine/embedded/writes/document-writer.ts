// Writes documents with their index entries, inside the transaction of a commit. Nothing else writes either.

import type { JsonObject, JsonValue } from '../../../../foundation/json/json-value.js';
import type { Database } from '../../../../foundation/sqlite/open-database.js';
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import { packError } from '../../../../foundation/threads/crossing-error.js';
import {
  type ChangedDocument,
  changedDocument,
  type DocumentChangeState,
} from '../../../documents/change-document.js';
import { type DocumentColumns, parsedObject } from '../../../documents/document-columns.js';
import { addEntries, type EntryKey, entryIdentity } from '../../../documents/entries.js';
import { ApiError } from '../../../errors/api-error.js';
import { apiErrorForm } from '../../../errors/crossing-api-error.js';
import type { DocumentInsertState, StoredDocument } from '../../../query/document-write.js';
import { portionUnits } from '../file/text-functions.js';
import { removeEntryText } from '../statements/entry-statements.js';
import { type DocumentTable, DocumentTables } from './document-tables.js';
import {
  bytesOfOperand,
  type ChangeWork,
  changeOfWork,
  type DocumentResult,
  type DocumentWork,
} from './document-work.js';
import type { SegmentSizes } from './entry-segments.js';
import { addDocumentEntries, entryWidth, writeEntries } from './entry-writes.js';
import type { MergesLeft } from './segment-merges.js';

/** The number of a document and its columns. */
interface StoredRow {
  readonly number: number;
  readonly before: DocumentColumns;
}

/** After documents of so many bytes, which take some ten milliseconds, other writes have their turn. */
const portionBytes = 1024 * 1024;

/** What the documents of a portion have so far. */
class Portion {
  readonly #lexicalUnits: number;
  #bytes = 0;
  #units = 0;

  constructor({ lexicalUnits }: Pick<DocumentTable, 'lexicalUnits'>) {
    this.#lexicalUnits = lexicalUnits;
  }

  get isFull(): boolean {
    return this.#bytes >= portionBytes || this.#units >= portionUnits;
  }

  addBytes(bytes: number): void {
    this.#bytes += bytes;
  }

  /** Adds a text that is analyzed, because it is new or removed. */
  addText({ lexical }: Pick<DocumentColumns, 'lexical'>): void {
    this.#units += (lexical?.length ?? 0) * this.#lexicalUnits;
  }
}

/** Runs the work of jobs on documents. */
export class DocumentWriter {
  readonly #database: Database;
  readonly #tables: DocumentTables;

  constructor(database: Database, sizes?: SegmentSizes) {
    this.#database = database;
    this.#tables = new DocumentTables(database, sizes);
  }

  /**
   * The table must have this version. Returns undefined, and writes nothing, if the documents and what a change adds to
   * each have `largeBytes` or more. The work ends after documents of `portionBytes`, or with texts of `portionUnits`.
   * @throws DatabaseFailure; then the transaction must be rolled back, and `forget` be called
   */
  write(
    identity: { readonly id: number; readonly version: number },
    work: DocumentWork,
    largeBytes: number,
  ): DocumentResult | undefined {
    const table = this.#tables.find(identity);
    if (work.kind === 'change') return this.#change(table, work, largeBytes);
    if (sum(work.documents.map(bytesOf)) >= largeBytes) return undefined;
    return { kind: 'insert', states: this.#insertAll(table, work.documents, work.isOrdered) };
  }

  /**
   * Runs a step of the merges of index entries, in the present transaction, and more of them until `isTime` if merges
   * are behind. At rest more is merged.
   * @throws as `write`
   */
  mergeSome(
    isAtRest: boolean,
    isTime: () => boolean,
    versionOf: (id: number) => number | undefined,
  ): MergesLeft {
    for (const { id } of [...this.#tables.all()]) {
      const version = versionOf(id);
      const table = version === undefined ? undefined : this.#tables.find({ id, version });
      if (table === undefined || table.build !== undefined || !table.merges.step(isAtRest)) continue;
      const { merges } = table;
      while (merges.isBehind && !isTime() && merges.step(isAtRest)) {}
      return merges.isBehind ? 'many' : 'some';
    }
    return 'none';
  }

  /**
   * Runs the next step of the build of index entries, in the present transaction; see `EntryBuild.step`. Returns
   * whether all documents have them.
   * @throws as `write`
   */
  buildSome(
    identity: { readonly id: number; readonly version: number },
    count: number,
    isTime: () => boolean,
  ): boolean {
    const table = this.#tables.find(identity);
    return table.build === undefined || table.build.step(table, count, isTime);
  }

  /** Forgets what a rolled back transaction may have changed. */
  forget(): void {
    this.#tables.forget();
  }

  #insertAll(
    table: DocumentTable,
    documents: readonly StoredDocument[],
    isOrdered: boolean,
  ): readonly DocumentInsertState[] {
    const states: DocumentInsertState[] = [];
    const portion = new Portion(table);
    for (const document of documents) {
      if (portion.isFull) return states;
      portion.addBytes(bytesOf(document));
      portion.addText(document);
      const isStored = this.#insert(table, document);
      states.push(isStored ? 'stored' : 'exists');
      if (!isStored && isOrdered) break;
    }
    return [...states, ...documents.slice(states.length).map(() => 'skipped' as const)];
  }

  #insert(table: DocumentTable, document: StoredDocument): boolean {
    const { changes, lastInsertRowid } = this.#database
      .statement(table.insertText)
      .run([document.key, ...table.encode(document)]);
    if (changes === 0) return false;
    const number = Number(lastInsertRowid);
    addDocumentEntries(this.#database, table, number, parsedObject(document.text));
    return true;
  }

  #change(table: DocumentTable, work: ChangeWork, largeBytes: number): DocumentResult | undefined {
    const most = largeBytes - work.keys.length * bytesOfOperand(work);
    // The size of a single document is known when it is read. Of several, none may be changed before.
    if (work.keys.length > 1 && this.#bytesOfAll(table, work.keys) >= most) return undefined;
    const mostOfOne = work.keys.length > 1 ? Number.POSITIVE_INFINITY : most;
    const states: DocumentChangeState[] = [];
    const images: DocumentColumns[] = [];
    const change = changeOfWork(work);
    const portion = new Portion(table);
    try {
      for (const key of work.keys) {
        if (portion.isFull) break;
        const stored = this.#read(table, key);
        const size = stored === undefined ? 0 : bytesOf(stored.before);
        if (size >= mostOfOne) return undefined;
        portion.addBytes(size);
        const changed = changedDocument(stored?.before, change, table.rules);
        if (stored !== undefined) {
          portion.addText(stored.before);
          if (changed.state === 'changed') portion.addText(changed.columns);
          this.#write(table, stored.number, changed);
        }
        states.push(changed.state);
        if (changed.image !== undefined) images.push(changed.image);
      }
    } catch (error) {
      // An ApiError is about a document of which nothing is written.
      if (!(error instanceof ApiError)) throw error;
      return { kind: 'change', states, images, failure: packError(error, [apiErrorForm]) };
    }
    return { kind: 'change', states, images, failure: undefined };
  }

  #read(table: DocumentTable, key: Uint8Array): StoredRow | undefined {
    const row = this.#database.statement(table.selectText, { returnArrays: true }).get([key]);
    if (row === undefined) return undefined;
    const [number, ...stored] = row;
    return { number: Number(number), before: table.decode(stored) };
  }

  #bytesOfAll(table: DocumentTable, keys: readonly Uint8Array[]): number {
    const size = this.#database.statement(table.sizeText, { returnArrays: true });
    return sum(keys.map((key) => Number(size.get([key])?.[0] ?? 0)));
  }

  /** Writes what has become of a document. Only entries that differ are written. */
  #write(table: DocumentTable, number: number, document: ChangedDocument): void {
    if (document.state !== 'deleted' && document.state !== 'changed') return;
    const { before } = document;
    const after = document.state === 'changed' ? document.after : undefined;
    if (document.state === 'deleted') this.#database.statement(table.deleteText).run([number]);
    else this.#database.statement(table.updateText).run([...table.encode(document.columns), number]);
    if (table.build?.hasEntries(number) === false) return;
    const segment = table.segments.idOf(number);
    const target = table.merges.targetOf(segment);
    const removed = new Map<string, readonly [path: string, key: EntryKey]>();
    const [changed, changedAfter] = after === undefined ? [before, after] : differingMembers(before, after);
    addEntries(changed, table.isIndexed, (path, key) => removed.set(entryIdentity(path, key), [path, key]));
    const added: SqlValue[] = [];
    if (changedAfter !== undefined) {
      addEntries(changedAfter, table.isIndexed, (path, key) => {
        if (!removed.delete(entryIdentity(path, key)))
          added.push(segment, table.pathNumber(path), key, number);
      });
    }
    const remove = this.#database.statement(removeEntryText(table));
    for (const [path, key] of removed.values()) {
      const entry = [table.pathNumber(path), key, number];
      remove.run([segment, ...entry]);
      if (target !== undefined) remove.run([target, ...entry]);
    }
    writeEntries(this.#database, table, added);
    if (target === undefined) return;
    for (let at = 0; at < added.length; at += entryWidth)
      table.merges.noteAdded(segment, added.slice(at + 1, at + entryWidth));
  }
}

/** The members of both documents without those that an update has not touched. */
function differingMembers(before: JsonObject, after: JsonObject): readonly [JsonObject, JsonObject] {
  return [membersOtherThan(after, before), membersOtherThan(before, after)];
}

/** The members of the second object that the first one does not share. */
function membersOtherThan(others: JsonObject, members: JsonObject): JsonObject {
  const own = new Map<string, JsonValue>();
  for (const [name, value] of members) if (others.get(name) !== value) own.set(name, value);
  return own;
}

/** About how many bytes a document has. */
function bytesOf({ text, reserved, lexical, vector }: DocumentColumns): number {
  return text.length + (reserved?.length ?? 0) + (lexical?.length ?? 0) + (vector?.byteLength ?? 0);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
