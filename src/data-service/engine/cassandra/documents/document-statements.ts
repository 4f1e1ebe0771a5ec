// Reads and conditional writes of one document as CQL, and the row of a document as it was read.
import type { CqlPage, CqlStatement } from '../../../../foundation/cassandra/cql-session.js';
import type { JsonObject } from '../../../../foundation/json/json-value.js';
import { encodeMembers } from '../../../column-types/container-bytes.js';
import { uuid } from '../../../column-types/uuids.js';
import type { DocumentColumns } from '../../../documents/document-columns.js';
import type { StoredDocument } from '../../../query/document-write.js';
import { type Collection, collectionColumns } from '../../../schema/collection.js';
import type { Column } from '../../../schema/table.js';
import { quotedColumn, quotedName, quotedTable } from '../cql-names.js';
import { termsColumn, termsValue } from './document-terms.js';

/** A document with the versions of its row, see `hiddenColumns`. */
export interface VersionedDocument {
  readonly columns: DocumentColumns;
  /** null for a row that other software wrote. */
  readonly version: string | null;
  readonly former: readonly string[];
  readonly born: string | null;
}

/** What a row was found to be. */
export interface FoundRow {
  /** The document; undefined where there is none. */
  readonly row: VersionedDocument | undefined;
  /**
   * The version of what `deleteStatement` left of a document that is deleted. null for a row of the key alone: an
   * INSERT made the row, and the time of its mark is over. undefined where there is no row, or a document.
   */
  readonly mark: string | null | undefined;
}

/**
 * How long a deletion is marked, in seconds: where a node hangs for less, an insert that it carries out behind the
 * deletion has no effect. Nothing else ends the time for which a node keeps a request that it has not begun with.
 */
const markSeconds = 86_400;

/** The versions that a row remembers: so many writes can follow one of unknown outcome before it is found out. */
const mostFormer = 8;

/** Columns of a statement, quoted, with their values. */
interface Assigned {
  readonly names: string[];
  readonly values: (Buffer | null)[];
}

/** Reads one document; LOCAL_SERIAL sees every write that a node has begun. */
export function readStatement(
  collection: Collection,
  key: Uint8Array,
  consistency: 'LOCAL_QUORUM' | 'LOCAL_SERIAL',
): CqlStatement {
  const own = documentColumns(collection).map(quotedColumn);
  const columns = [...own, '"version"', '"former"', '"born"'].join(', ');
  const { key: id } = collectionColumns(collection);
  return {
    cql: `SELECT ${columns} FROM ${quotedTable(collection)} WHERE ${quotedColumn(id)} = ?`,
    values: [id.type.cql.encode(key)],
    isIdempotent: true,
    consistency,
  };
}

/** What `readStatement` found. */
export function rowIn(collection: Collection, { rows }: CqlPage): FoundRow {
  const [row] = rows;
  if (row === undefined) return { row: undefined, mark: undefined };
  const { document, reserved, vector, lexical } = collectionColumns(collection);
  const columns = documentColumns(collection);
  const valueIn = (column: Column | undefined): unknown => {
    const value = column === undefined ? null : (row[columns.indexOf(column)] ?? null);
    return column === undefined || value === null ? null : column.type.cql.fromDriver(value);
  };
  const [version = null, former = null, born = null] = row.slice(columns.length);
  const text = valueIn(document);
  if (text === null) return { row: undefined, mark: versionIn(version) };
  // The columns have these types.
  return {
    row: {
      columns: {
        text: text as string,
        reserved: valueIn(reserved) as string | null,
        vector: valueIn(vector) as Float32Array | null,
        lexical: valueIn(lexical) as string | null,
      },
      version: versionIn(version),
      former: Array.isArray(former) ? former.map((each: unknown) => uuid.cql.fromDriver(each)) : [],
      born: versionIn(born),
    },
    mark: undefined,
  };
}

/** A document to insert, with its content as JSON. */
export interface NewDocument {
  readonly stored: StoredDocument;
  readonly content: JsonObject;
}

/** Inserts a document unless its id exists. */
export function insertStatement(
  collection: Collection,
  { stored: { key, ...columns }, content }: NewDocument,
  version: string,
): CqlStatement {
  const { key: id } = collectionColumns(collection);
  const assigned: Assigned = { names: [quotedColumn(id)], values: [id.type.cql.encode(key)] };
  assignColumns(assigned, collection, { columns, content, before: undefined });
  assigned.names.push('"version"', '"born"');
  assigned.values.push(uuid.cql.encode(version), uuid.cql.encode(version));
  const marks = assigned.names.map(() => '?').join(', ');
  const into = `${quotedTable(collection)} (${assigned.names.join(', ')})`;
  return {
    cql: `INSERT INTO ${into} VALUES (${marks}) IF NOT EXISTS`,
    values: assigned.values,
    isIdempotent: false,
    isConditional: true,
  };
}

/**
 * The version of an insert that is sent behind another one of the same document, which a node may still carry out. It
 * has the digit of UUIDs of other software where random ones have a 4.
 */
export function repeatedVersion(id: string): string {
  return id.replace(/(?<=^.{14})./, '8');
}

/** Whether a node may still carry out an insert of this document that was sent before. */
export function isRepeated({ born }: VersionedDocument): boolean {
  return born !== null && born[14] === '8';
}

/**
 * Inserts a document unless its id exists, behind an insert that a node may still carry out, or in a row that has no
 * document. `mark`: see `FoundRow`. An UPDATE leaves nothing of the row when all of its values have expired.
 */
export function repeatedInsertStatement(
  collection: Collection,
  { stored: { key, ...columns }, content }: NewDocument,
  version: string,
  mark: string | null | undefined,
): CqlStatement {
  const assigned: Assigned = { names: [], values: [] };
  assignColumns(assigned, collection, { columns, content, before: undefined });
  assigned.names.push('"version"', '"born"');
  assigned.values.push(uuid.cql.encode(version), uuid.cql.encode(version));
  const { document } = collectionColumns(collection);
  // A row of other software has no version, but a document.
  const condition = ifVersion(mark ?? null, ` AND ${quotedColumn(document)} = null`);
  return updateStatement(collection, key, assigned, condition);
}

/** Notes in a document that a node may still carry out another insert of it. `version` is a `repeatedVersion`. */
export function noteRepeatedStatement(
  collection: Collection,
  key: Uint8Array,
  before: VersionedDocument,
  version: string,
): CqlStatement {
  const { former } = changedRow(before, before.columns, version);
  const values = [encodedVersion(version), encodedVersions(former), encodedVersion(version)];
  const assigned = { names: ['"version"', '"former"', '"born"'], values };
  return updateStatement(collection, key, assigned, ifUnchanged(collection, before));
}

/** The row before and after a change, and the document after it. */
export interface ChangedRow {
  readonly before: VersionedDocument;
  readonly after: VersionedDocument;
  readonly content: JsonObject;
}

/**
 * Changes a document if its version is still the one that was read. What stays the same is not written.
 */
export function changeStatement(
  collection: Collection,
  key: Uint8Array,
  { before, after, content }: ChangedRow,
): CqlStatement {
  const assigned: Assigned = { names: [], values: [] };
  assignColumns(assigned, collection, { columns: after.columns, content, before: before.columns });
  assigned.names.push('"version"', '"former"');
  assigned.values.push(encodedVersion(after.version), encodedVersions(after.former));
  return updateStatement(collection, key, assigned, ifUnchanged(collection, before));
}

/**
 * Deletes a document if its version is still the one that was read. Where a node may still carry out an insert of it,
 * the row stays for a day, without a document and with this version: the insert then finds that the id exists.
 */
export function deleteStatement(
  collection: Collection,
  key: Uint8Array,
  before: VersionedDocument,
  version: string,
): CqlStatement {
  const condition = ifUnchanged(collection, before);
  if (isRepeated(before)) {
    const names = [
      ...documentColumns(collection).map(quotedColumn),
      quotedName(termsColumn),
      '"former"',
      '"born"',
    ];
    const values = [...names.map(() => null), encodedVersion(version)];
    const assigned = { names: [...names, '"version"'], values };
    return updateStatement(collection, key, assigned, condition, ` USING TTL ${markSeconds}`);
  }
  return {
    cql: `DELETE FROM ${quotedTable(collection)}${whereKey(collection)}${condition.cql}`,
    values: [keyOf(collection, key), condition.value],
    isIdempotent: false,
    isConditional: true,
  };
}

function updateStatement(
  collection: Collection,
  key: Uint8Array,
  { names, values }: Assigned,
  condition: Condition,
  using = '',
): CqlStatement {
  const set = names.map((name) => `${name} = ?`).join(', ');
  return {
    cql: `UPDATE ${quotedTable(collection)}${using} SET ${set}${whereKey(collection)}${condition.cql}`,
    values: [...values, keyOf(collection, key), condition.value],
    isIdempotent: false,
    isConditional: true,
  };
}

/** Whether nodes carried a conditional statement out. */
export function isApplied({ rows }: CqlPage): boolean {
  return rows[0]?.[0] === true; // the first column is `[applied]`
}

/**
 * Whether the reply to an insert that found a row says that this may be the mark of a deletion. Behind `[applied]` it
 * has the key, and the other columns by their names: `born` is the first of them.
 */
export function mayBeMark({ rows }: CqlPage): boolean {
  return rows[0]?.[2] === null;
}

/** The row of a new document. */
export function insertedDocument(columns: DocumentColumns, version: string): VersionedDocument {
  return { columns, version, former: [], born: version };
}

/** The row after a change of the document. */
export function changedRow(
  before: VersionedDocument,
  columns: DocumentColumns,
  version: string,
): VersionedDocument {
  const all = before.version === null ? before.former : [before.version, ...before.former];
  return { columns, version, former: all.slice(0, mostFormer), born: before.born };
}

function documentColumns(collection: Collection): readonly Column[] {
  const { document, reserved, vector, lexical } = collectionColumns(collection);
  return [document, reserved, vector, lexical].filter((column) => column !== undefined);
}

interface AssignedDocument {
  readonly columns: DocumentColumns;
  readonly content: JsonObject;
  /** Undefined for a new document. */
  readonly before: DocumentColumns | undefined;
}

/** Adds the columns that differ from those before; of a new document, those that have a value. */
function assignColumns(
  { names, values }: Assigned,
  collection: Collection,
  { columns, content, before }: AssignedDocument,
): void {
  const { document, reserved, vector, lexical } = collectionColumns(collection);
  const assign = (column: Column | undefined, value: unknown) => {
    if (column === undefined) return;
    names.push(quotedColumn(column));
    values.push(value === null ? null : column.type.cql.encode(value));
  };
  const isSameText = columns.text === before?.text;
  const isSameLexical = columns.lexical === (before?.lexical ?? null);
  if (!isSameText) assign(document, columns.text);
  if (!isSameText || !isSameLexical) {
    names.push(quotedName(termsColumn));
    values.push(termsValue(collection, content, columns.lexical));
  }
  if (columns.reserved !== (before?.reserved ?? null)) assign(reserved, columns.reserved);
  if (!isSameVector(columns.vector, before?.vector ?? null)) assign(vector, columns.vector);
  if (!isSameLexical) assign(lexical, columns.lexical);
}

function isSameVector(one: Float32Array | null, other: Float32Array | null): boolean {
  if (one === null || other === null) return one === other;
  return Buffer.compare(bytesOf(one), bytesOf(other)) === 0;
}

function bytesOf({ buffer, byteOffset, byteLength }: Float32Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function whereKey(collection: Collection): string {
  return ` WHERE ${quotedColumn(collectionColumns(collection).key)} = ?`;
}

/** The condition of a statement, and the value for its mark. */
interface Condition {
  readonly cql: string;
  readonly value: Buffer | null;
}

function ifVersion(version: string | null, more = ''): Condition {
  return { cql: ` IF "version" = ?${more}`, value: encodedVersion(version) };
}

/** A row of other software has no version, and neither has a row that is not there. */
function ifUnchanged(collection: Collection, { version }: VersionedDocument): Condition {
  const { document } = collectionColumns(collection);
  return ifVersion(version, version === null ? ` AND ${quotedColumn(document)} != null` : '');
}

function keyOf(collection: Collection, key: Uint8Array): Buffer | null {
  return collectionColumns(collection).key.type.cql.encode(key);
}

function encodedVersions(versions: readonly string[]): Buffer {
  return encodeMembers(versions.map((version) => [uuid.cql.encode(version)]));
}

function encodedVersion(version: string | null): Buffer | null {
  return version === null ? null : uuid.cql.encode(version);
}

function versionIn(value: unknown): string | null {
  return value === null ? null : uuid.cql.fromDriver(value);
}
