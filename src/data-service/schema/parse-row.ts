// Reads rows out of insert commands (specification: the value forms; wire: insertOne, order of checks).
import type { JsonObject, JsonValue } from '../../foundation/json/json-value.js';
import { isWritable, ValueMismatch } from '../column-types/column-type.js';
import { apiError } from '../errors/api-error.js';
import type { InvalidColumn } from '../errors/row-errors.js';
import { type Column, type Table, vectorIndexOn } from './table.js';
import { isZeroVector } from './vector-index.js';

/** Bytes of the key that Cassandra takes. */
const maxKeyBytes = 65_535;

/** Columns with their values. A null removes the column's value. */
export interface Assignments {
  readonly columns: readonly Column[];
  /** Aligned with `columns`. */
  readonly values: readonly unknown[];
}

/** A row as it was sent: its texts for vector columns are not embedded yet. */
export interface ParsedRow {
  readonly assignments: Assignments;
  /** For vector columns with a service, none of them in the assignments. */
  readonly texts: readonly TextForVector[];
}

/**
 * Reads a row to insert: every key column has a value; other columns only if the row names them.
 * Columns come in the order of the table, so that rows with the same columns make the same statement.
 * @throws ApiError scope DOCUMENT: unknown columns, then columns that no row can be inserted with, then all values that
 *   do not fit, then texts for vector columns without a service, then missing key columns
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

/** The columns among those of some texts that have no service to make vectors of them. */
export function columnsWithoutEmbeddingService(texts: readonly TextForVector[]): readonly Column[] {
  return texts.map(({ column }) => column).filter(({ service }) => service?.isEnabled !== true);
}

/** The row with a vector for each of its texts, in their order. @throws ApiError for one that no index can hold */
export function withVectors(
  { assignments, texts }: ParsedRow,
  vectors: readonly Float32Array[],
  table: Table,
): ParsedRow {
  const values = new Map<Column, unknown>(
    assignments.columns.map((column, at) => [column, assignments.values[at]]),
  );
  const invalid = unindexableVectors(texts, vectors, table);
  if (invalid.length > 0) throw refuseInvalid(table, invalid);
  for (const [at, { column }] of texts.entries()) values.set(column, vectors[at]);
  const columns = table.columns.filter((column) => values.has(column));
  return { assignments: { columns, values: columns.map((column) => values.get(column)) }, texts: [] };
}

/** The vectors made of some texts that an index of their column cannot hold. */
export function unindexableVectors(
  texts: readonly TextForVector[],
  vectors: readonly Float32Array[],
  table: Table,
): readonly InvalidValue[] {
  const read = texts.map(({ column }, at) => indexable(table, column, { value: vectors[at] }));
  return read.flatMap((one) => ('value' in one ? [] : [one]));
}

/** Columns of the row that inserts cannot write; counters also where the row leaves them out: they make no row. */
function uninsertable(document: JsonObject, table: Table): readonly Column[] {
  // Nearly every table has columns without restrictions only.
  if (table.columns.every(({ type }) => isWritable(type))) return [];
  return table.columns.filter(
    ({ name, type }) => !isWritable(type) && (type.add !== undefined || document.has(name)),
  );
}

/** What a column says about a value that does not fit it. */
export interface InvalidValue extends InvalidColumn {
  readonly kind: ValueMismatch['kind'];
}

/** A text for a vector column: an embedding service would make the vector of it. */
export interface TextForVector {
  readonly column: Column;
  readonly text: string;
}

/** Reads a value, or says why it does not fit. Null stays null, and an empty container is null. */
export function parseValue(
  column: Column,
  json: JsonValue,
): { readonly value: unknown } | TextForVector | InvalidValue {
  if (json === null) return { value: null };
  if (typeof json === 'string' && column.type.vector !== undefined) return readText(column, json);
  const read = readValue(column, () => column.type.parse(json));
  // Cassandra does not keep an empty container.
  return 'value' in read && column.type.container?.isEmpty(read.value) === true ? { value: null } : read;
}

/** A value that was read, or why an index of the table cannot hold it. */
export function indexable<Read extends object>(
  table: Table,
  column: Column,
  read: Read,
): Read | InvalidValue {
  if (!('value' in read) || !(read.value instanceof Float32Array)) return read;
  if (vectorIndexOn(table, column)?.metric !== 'cosine' || !isZeroVector(read.value)) return read;
  const reason = 'a zero vector has no direction, which the metric cosine of the index needs';
  return { name: column.name, type: column.type, reason, kind: 'value' };
}

/** Where there is a service, a blank text says as little as null. */
function readText(column: Column, text: string): { readonly value: null } | TextForVector {
  return column.service?.isEnabled === true && text.trim() === '' ? { value: null } : { column, text };
}

/** What `parse` makes of JSON for a column, or why it does not fit. */
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
    const read = indexable(table, column, parseValue(column, json));
    if ('value' in read) {
      columns.push(column);
      values.push(read.value);
    } else if ('text' in read) texts.push(read);
    else invalid.push(read);
  }
  // The list object of the table if it is the same: data derived from it can be cached.
  const isWhole = columns.length === table.columns.length;
  return { assignments: { columns: isWhole ? table.columns : columns, values }, invalid, texts };
}

function refuseInvalid(table: Table, invalid: readonly InvalidValue[]): Error {
  const tooLarge = invalid.find(({ kind }) => kind === 'limit');
  if (tooLarge !== undefined) {
    return apiError('document', 'SHRED_DOC_LIMIT_VIOLATION', {
      problem: `${tooLarge.name}: ${tooLarge.reason}`,
    });
  }
  return apiError('document', 'INVALID_COLUMN_VALUES', { table: table.name, invalidColumns: invalid });
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

/** What Cassandra would refuse about the values of a key, or undefined. `keyValue` gives no nulls. */
export function keyProblem(table: Table, keyValue: (column: Column) => unknown): InvalidValue | undefined {
  const [first] = table.partitionKey;
  if (first === undefined) throw new TypeError(`the table ${table.name} has no partition key`);
  const problem = (column: Column, reason: string): InvalidValue => ({
    name: column.name,
    type: column.type,
    reason,
    kind: 'value',
  });
  if (
    table.partitionKey.length === 1 &&
    first.type.traits.mayBeEmpty &&
    mostBytes(first, keyValue(first)) === 0
  ) {
    return problem(first, 'the only column of the partition key cannot be empty');
  }
  const isTooLong = (key: readonly Column[]) => {
    const total = (size: typeof sizeBytes) =>
      key.reduce((sum, column) => sum + size(column, keyValue(column)), 0);
    return total(mostBytes) > maxKeyBytes && total(sizeBytes) > maxKeyBytes;
  };
  if (isTooLong(table.partitionKey)) {
    return problem(first, `the partition key has more than ${maxKeyBytes} bytes`);
  }
  const long = table.clustering.find(({ column }) => isTooLong([column]));
  return long && problem(long.column, `a clustering column has more than ${maxKeyBytes} bytes`);
}

/** No fewer than `sizeBytes`: most keys are small by their kind and need no look at their bytes. */
function mostBytes(column: Column, value: unknown): number {
  if (typeof value === 'number' || typeof value === 'boolean') return 8;
  // A code unit is at most three bytes.
  if (typeof value === 'string') return value.length * 3;
  return sizeBytes(column, value);
}

function sizeBytes({ type }: Column, value: unknown): number {
  return type.cql.encode(value).length;
}
