// Parses rows of insert commands (specification: the value forms; wire: insertOne, order of checks).
import type { JsonObject, JsonValue } from '../../foundation/json/json-value.js';
import { isWritable, ValueMismatch } from '../column-types/column-type.js';
import { apiError } from '../errors/api-error.js';
import type { InvalidColumn } from '../errors/row-errors.js';
import { anyTextIndexOn, type Column, type Table } from './table.js';
import { whyUnstorable } from './vector-limits.js';

/** The maximum size of a key in Cassandra, in bytes. */
const maxKeyBytes = 65_535;
/** What Cassandra adds to each of several partition columns: a length of two bytes and an end. */
const framingBytes = 3;

/** Columns with their values. A null removes the column's value. */
export interface Assignments {
  readonly columns: readonly Column[];
  /** In the order of `columns`. */
  readonly values: readonly unknown[];
}

/** A row as it was sent: its texts for vector columns are not embedded yet. */
export interface ParsedRow {
  readonly assignments: Assignments;
  /** Texts for vector columns with a service; the assignments do not include these columns. */
  readonly texts: readonly TextForVector[];
}

/**
 * Parses a row to insert: every key column has a value; other columns only if they are in the row.
 * Columns are in the order of the table, so that rows with the same columns give the same statement.
 * @throws ApiError scope DOCUMENT, in this order: unknown columns, columns that inserts cannot write, all invalid
 * values, texts for vector columns without a service, missing key columns
 */
export function parseRow(document: JsonObject, table: Table): ParsedRow {
  const { assignments, invalid, texts } = readColumns(document, table);
  if (assignments.columns.length + invalid.length + texts.length < document.size) {
    throw apiError('document', 'UNKNOWN_TABLE_COLUMNS', {
      table: table.name,
      allColumns: table.columns,
      unknownColumns: [...document.keys()].filter((name) => !table.columnsByName.has(name)),
    });
  }
  const unsupported = uninsertable(document, table);
  if (unsupported.length > 0) {
    throw apiError('document', 'UNSUPPORTED_COLUMN_TYPES', { table: table.name, columns: unsupported });
  }
  if (invalid.length > 0) throw refuseInvalid(table, invalid);
  const columns = columnsWithoutEmbeddingService(texts);
  if (columns.length > 0)
    throw apiError('document', 'UNSUPPORTED_VECTORIZE_WHEN_MISSING_VECTORIZE_DEFINITION', { columns });
  checkKey(assignments, table);
  return { assignments, texts };
}

/** The columns of some texts that have no service to embed them. */
export function columnsWithoutEmbeddingService(texts: readonly TextForVector[]): readonly Column[] {
  return texts.map(({ column }) => column).filter(({ service }) => service?.isEnabled !== true);
}

/** The row with a vector for each of its texts, in order. @throws ApiError for a vector that its column cannot have */
export function withVectors(
  { assignments, texts }: ParsedRow,
  vectors: readonly Float32Array[],
  table: Table,
): ParsedRow {
  const values = new Map<Column, unknown>(
    assignments.columns.map((column, at) => [column, assignments.values[at]]),
  );
  const invalid = unstorableVectors(texts, vectors, table);
  if (invalid.length > 0) throw refuseInvalid(table, invalid);
  for (const [at, { column }] of texts.entries()) values.set(column, vectors[at]);
  const columns = table.columns.filter((column) => values.has(column));
  return { assignments: { columns, values: columns.map((column) => values.get(column)) }, texts: [] };
}

/** The vectors for some texts that their columns cannot have. */
export function unstorableVectors(
  texts: readonly TextForVector[],
  vectors: readonly Float32Array[],
  table: Table,
): readonly InvalidValue[] {
  const read = texts.map(({ column }, at) => storable(table, column, { value: vectors[at] }));
  return read.flatMap((one) => ('value' in one ? [] : [one]));
}

/**
 * Columns of the row that inserts cannot write. Counters are included even if the row omits them, because inserts
 * cannot create rows of counters.
 */
function uninsertable(document: JsonObject, table: Table): readonly Column[] {
  // In nearly every table all columns are writable.
  if (table.columns.every(({ type }) => isWritable(type))) return [];
  return table.columns.filter(
    ({ name, type }) => !isWritable(type) && (type.add !== undefined || document.has(name)),
  );
}

/** A column, and why its value is invalid. */
export interface InvalidValue extends InvalidColumn {
  readonly kind: ValueMismatch['kind'];
}

/** A text for a vector column, which an embedding service would embed. */
export interface TextForVector {
  readonly column: Column;
  readonly text: string;
}

/** Parses a value, or returns why it is invalid. Null stays null, and an empty container becomes null. */
export function parseValue(
  column: Column,
  json: JsonValue,
): { readonly value: unknown } | TextForVector | InvalidValue {
  if (json === null) return { value: null };
  if (typeof json === 'string' && column.type.vector !== undefined) return readText(column, json);
  const read = readValue(column, () => column.type.parse(json));
  const { container, isAbsent } = column.type;
  // Cassandra does not store empty containers.
  const isNull = 'value' in read && (container?.isEmpty(read.value) ?? isAbsent?.(read.value) ?? false);
  return isNull ? { value: null } : read;
}

/** A parsed value, or why the column cannot have it because of its indexes. */
export function storable<Read extends object>(table: Table, column: Column, read: Read): Read | InvalidValue {
  if (!('value' in read)) return read;
  if (typeof read.value === 'string') return indexable(table, column, read.value) ?? read;
  if (!(read.value instanceof Float32Array)) return read;
  const reason = whyUnstorable(table, column, read.value);
  return reason === undefined ? read : problemOf(column, reason);
}

/** Why the text index of the column, if it has one, cannot contain a text. */
function indexable(table: Table, column: Column, text: string): InvalidValue | undefined {
  if (table.indexes.length === 0) return undefined;
  // Also while it is being built: it then gets this text, too.
  const most = anyTextIndexOn(table, column)?.analyzer.mostCharacters ?? Number.POSITIVE_INFINITY;
  if (text.length <= most) return undefined;
  const reason = `the text has ${text.length} characters, and its text index allows at most ${most}`;
  return { name: column.name, type: column.type, reason, kind: 'limit' };
}

/** For a column with a service, a blank text means null. */
function readText(column: Column, text: string): { readonly value: null } | TextForVector {
  return column.service?.isEnabled === true && text.trim() === '' ? { value: null } : { column, text };
}

/** The result of `parse` for a column, or why the JSON is invalid. */
export function readValue<Value>(
  column: Column,
  parse: () => Value,
): { readonly value: Value } | InvalidValue {
  try {
    return { value: parse() };
  } catch (error) {
    if (!(error instanceof ValueMismatch)) throw error;
    return { name: column.name, type: column.type, reason: error.message, kind: error.kind };
  }
}

function readColumns(
  document: JsonObject,
  table: Table,
): { assignments: Assignments; invalid: InvalidValue[]; texts: TextForVector[] } {
  const columns: Column[] = [];
  const values: unknown[] = [];
  const invalid: InvalidValue[] = [];
  const texts: TextForVector[] = [];
  for (const column of table.columns) {
    const json = document.get(column.name);
    if (json === undefined) continue;
    const read = storable(table, column, parseValue(column, json));
    if ('value' in read) {
      columns.push(column);
      values.push(read.value);
    } else if ('text' in read) texts.push(read);
    else invalid.push(read);
  }
  // The list object of the table if it is the same, because data derived from it is cached.
  const isWhole = columns.length === table.columns.length;
  return { assignments: { columns: isWhole ? table.columns : columns, values }, invalid, texts };
}

/** The error for a value beyond a limit, if there is one among values that were refused. */
export function limitError(invalid: readonly InvalidValue[]): Error | undefined {
  const tooLarge = invalid.find(({ kind }) => kind === 'limit');
  if (tooLarge === undefined) return undefined;
  const problem = `${tooLarge.name}: ${tooLarge.reason}`;
  return apiError('document', 'SHRED_DOC_LIMIT_VIOLATION', { problem });
}

function refuseInvalid(table: Table, invalid: readonly InvalidValue[]): Error {
  const facts = { table: table.name, invalidColumns: invalid };
  return limitError(invalid) ?? apiError('document', 'INVALID_COLUMN_VALUES', facts);
}

function checkKey({ columns, values }: Assignments, table: Table): void {
  const keyValue = (column: Column): unknown => values[columns.indexOf(column)] ?? null;
  const missing = table.keyColumns.filter((column) => keyValue(column) === null);
  if (missing.length > 0) {
    throw apiError('document', 'MISSING_PRIMARY_KEY_COLUMNS', { primaryKey: table.keyColumns, missing });
  }
  const problem = keyProblem(table, keyValue);
  if (problem !== undefined) throw refuseInvalid(table, [problem]);
}

/** The problem that Cassandra has with the values of a key, or undefined. `keyValue` never returns null. */
export function keyProblem(table: Table, keyValue: KeyValue): InvalidValue | undefined {
  const clustering = table.clustering.map(({ column }) => column);
  return partitionProblem(table, keyValue) ?? clusteringProblem(clustering, keyValue);
}

/** What is wrong with the values of some clustering columns. */
export function clusteringProblem(
  clustering: readonly Column[],
  keyValue: KeyValue,
): InvalidValue | undefined {
  if (!isTooLong(clustering, keyValue)) return undefined;
  const named = clustering.find((column) => isTooLong([column], keyValue)) ?? clustering[0];
  return named && problemOf(named, `the clustering columns have more than ${maxKeyBytes} bytes`);
}

/** What is wrong with the values of the partition columns alone. */
export function partitionProblem(
  { name, partitionKey }: Table,
  keyValue: KeyValue,
): InvalidValue | undefined {
  const [first, ...others] = partitionKey;
  if (first === undefined) throw new TypeError(`the table ${name} has no partition key`);
  if (others.length === 0 && first.type.traits.mayBeEmpty && mostBytes(first, keyValue(first)) === 0)
    return problemOf(first, 'the only column of the partition key cannot be empty');
  const framing = others.length === 0 ? 0 : framingBytes * partitionKey.length;
  if (isTooLong(partitionKey, keyValue, framing))
    return problemOf(first, `the partition key has more than ${maxKeyBytes} bytes`);
  return undefined;
}

type KeyValue = (column: Column) => unknown;

function problemOf({ name, type }: Column, reason: string): InvalidValue {
  return { name, type, reason, kind: 'value' };
}

function isTooLong(key: readonly Column[], keyValue: KeyValue, framing = 0): boolean {
  const total = (size: typeof sizeBytes) =>
    key.reduce((sum, column) => sum + size(column, keyValue(column)), framing);
  return total(mostBytes) > maxKeyBytes && total(sizeBytes) > maxKeyBytes;
}

/** An upper bound of `sizeBytes`: most keys are small because of their type, and their bytes need not be counted. */
function mostBytes(column: Column, value: unknown): number {
  if (typeof value === 'number' || typeof value === 'boolean') return 8;
  // A code unit is at most three bytes.
  if (typeof value === 'string') return value.length * 3;
  return sizeBytes(column, value);
}

function sizeBytes({ type }: Column, value: unknown): number {
  return type.cql.encode(value).length;
}
