// Sources of rows → SELECT statements.
import { type CqlStatement, takenColumnNames } from '../../../../foundation/cassandra/cql-session.js';
import { encodeMembers, int32 } from '../../../column-types/container-bytes.js';
import { bigint } from '../../../column-types/integers.js';
import type { VectorSearch } from '../../../query/vector-search.js';
import { collectionColumns, isCollection } from '../../../schema/collection.js';
import { type Column, makeColumn, type Table } from '../../../schema/table.js';
import { quotedColumn, quotedName, quotedTable } from '../cql-names.js';
import { termsColumn } from '../documents/document-terms.js';
import type { Bound, ColumnRange } from './column-range.js';
import { termCondition } from './member-terms.js';
import { needsFiltering, type RowSource } from './row-source.js';

/** The token of the partition of a row, as a column. This object is not a column of any table. */
export const tokenColumn: Column = makeColumn(0, { name: 'token', type: bigint });

/** When the document of a row was written; null where there is none. This object is not a column of any table. */
export const writtenColumn: Column = makeColumn(-1, { name: 'written', type: bigint });

/** Conditions with one `?` for each value. */
export interface Conditions {
  readonly texts: string[];
  readonly values: (Buffer | null)[];
}

/** The rows of a source, in the clustering order or (-1) against it. */
export function selectStatement(
  table: Table,
  columns: readonly Column[],
  source: RowSource,
  direction: 1 | -1,
): CqlStatement {
  const { texts, values } = conditionsOf(table, source);
  const cql =
    selectText(table, columns, texts) +
    (direction === -1 ? reversedOrder(table) : '') +
    (needsFiltering(table, source) ? ' ALLOW FILTERING' : '');
  return { cql, values, isIdempotent: true };
}

/** The rows of a source that an index finds to be the most similar. More than LOCAL_ONE is refused for searches. */
export function searchStatement(
  table: Table,
  columns: readonly Column[],
  source: RowSource,
  { column, query }: VectorSearch,
  limit: number,
): CqlStatement {
  const { texts, values } = conditionsOf(table, source);
  const cql = `${selectText(table, columns, texts)} ORDER BY ${quotedColumn(column)} ANN OF ? LIMIT ?`;
  return {
    cql,
    values: [...values, column.type.cql.encode(query), int32(limit)],
    isIdempotent: true,
    consistency: 'LOCAL_ONE',
    pageRows: limit,
  };
}

/** The condition that a row is in the source. */
export function conditionsOf(table: Table, source: RowSource): Conditions {
  const {
    partition,
    behind,
    partitionColumns = table.partitionKey,
    ranges,
    terms = [],
    lookup = [],
  } = source;
  const found: Conditions = { texts: [], values: [] };
  if (partition !== undefined) addEquals(found, partitionColumns, partition);
  if (behind !== undefined) {
    found.texts.push(`${tokenOf(table)} > token(${partitionColumns.map(() => '?').join(', ')})`);
    found.values.push(...partitionColumns.map(({ type }, at) => type.cql.encode(behind[at])));
  }
  for (const [column, range] of ranges) addRange(found, column, range);
  for (const term of terms) {
    const [text, values] = termCondition(term);
    found.texts.push(text);
    found.values.push(...values);
  }
  for (const term of lookup) {
    found.texts.push(`${quotedName(termsColumn)} CONTAINS ?`);
    found.values.push(int32(term));
  }
  return found;
}

/** Adds `column = ?` for each column. */
export function addEquals(
  { texts, values }: Conditions,
  columns: readonly Column[],
  equals: readonly unknown[],
): void {
  for (const [at, column] of columns.entries()) {
    texts.push(`${quotedColumn(column)} = ?`);
    values.push(column.type.cql.encode(equals[at]));
  }
}

function addRange(conditions: Conditions, column: Column, range: ColumnRange): void {
  if (range.kind === 'between') {
    addBound(conditions, column, '>', range.lower);
    addBound(conditions, column, '<', range.upper);
  } else if (range.values.length === 1 && range.isCompared !== true)
    addEquals(conditions, [column], range.values);
  else {
    // One value for the whole list: lists of all lengths have the same text. Nodes use no index for it.
    conditions.texts.push(`${quotedColumn(column)} IN ?`);
    conditions.values.push(encodeMembers(range.values.map((value) => [column.type.cql.encode(value)])));
  }
}

function addBound(
  { texts, values }: Conditions,
  column: Column,
  sign: '>' | '<',
  bound: Bound | undefined,
): void {
  if (bound === undefined) return;
  texts.push(`${quotedColumn(column)} ${sign}${bound.isIncluded ? '=' : ''} ?`);
  values.push(column.type.cql.encode(bound.value));
}

function selectText(table: Table, columns: readonly Column[], conditions: readonly string[]): string {
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
  const names = columns.map((column) => {
    if (column === tokenColumn) return tokenOf(table);
    return column === writtenColumn ? writtenIn(table) : selected(column);
  });
  return `SELECT ${names.join(', ')} FROM ${quotedTable(table)}${where}`;
}

function writtenIn(table: Table): string {
  if (!isCollection(table)) throw new TypeError(`the table ${table.name} has no documents`);
  return `writetime(${quotedColumn(collectionColumns(table).document)})`;
}

function tokenOf({ partitionKey }: Table): string {
  return `token(${partitionKey.map(quotedColumn).join(', ')})`;
}

/** A column as a SELECT names it: converted as its type says, and not by a name under which its value is lost. */
export function selected(column: Column): string {
  const { name, type } = column;
  const quoted = quotedColumn(column);
  if (type.cql.selectedAs !== undefined) return `(${type.cql.selectedAs})${quoted}`;
  return takenColumnNames.has(name) ? `${quoted} AS ${quotedName(`${name} of the table`)}` : quoted;
}

function reversedOrder({ clustering }: Table): string {
  if (clustering.length === 0) return '';
  const order = clustering.map(
    ({ column, direction }) => `${quotedColumn(column)} ${direction === 1 ? 'DESC' : 'ASC'}`,
  );
  return ` ORDER BY ${order.join(', ')}`;
}
