// Where rows are read: one partition, or all of them in the order of their tokens, and what their columns must be.

import { isExact } from '../../../column-types/text-fold.js';
import type { MemberComparison } from '../../../query/filter.js';
import type { VectorSearch } from '../../../query/vector-search.js';
import type { Column, Table } from '../../../schema/table.js';
import { indexesOn, regularIndexOn, vectorIndexOn } from '../../../schema/table.js';
import type { Lookup } from '../documents/filter-lookups.js';
import { hasUnknownIndex, isShadowed, isUsable } from '../schema/engine-state.js';
import { type ColumnRange, intersection, isEmpty, onlyValue, rangeBehind } from './column-range.js';
import { isTermServed, type MemberTerm } from './member-terms.js';
import type { ColumnRanges } from './pushed-filter.js';

/** The rows of one SELECT, which come in the order of the key in a partition, else in the order of tokens. */
export interface RowSource {
  /** The values of the partition columns; absent: all partitions. */
  readonly partition?: readonly unknown[];
  /** Only partitions behind that of these values. */
  readonly behind?: readonly unknown[];
  /** The partition columns, of which some have bytes as values. Absent: those of the table. */
  readonly partitionColumns?: readonly Column[];
  /** Ranges of other columns than those of `partition`. */
  readonly ranges: ColumnRanges;
  /** Members that the rows have. Absent: any. */
  readonly terms?: readonly MemberTerm[];
  /** Terms that documents have. Absent: any. */
  readonly lookup?: Lookup;
  /** Rows that are left out, because an earlier source has them. Absent: none. */
  readonly without?: MemberComparison;
}

/** Cassandra stores longer texts, but its indexes lack them: `sai_string_term_size_fail_threshold`, in bytes. */
const mostIndexedBytes = 8 * 1024;

/** Searches of a vector index that one read takes. */
export const mostSearches = 10;

/** Whether an index of the table finds the rows of a range. */
export function isServed(table: Table, column: Column, range: ColumnRange): boolean {
  const index = regularIndexOn(table, column);
  if (index === undefined || !isUsable(index) || hasUnindexedTexts(table, column, range)) return false;
  if (range.kind === 'between') return column.type.traits.index === 'servesRanges';
  return range.values.length === 1 && range.isCompared !== true;
}

/**
 * A range as it can be asked of a column that is not in the prefix of the key; undefined where it cannot. Cassandra
 * uses an index that is there, for this column or for another one. Where the index would not find all rows, nodes
 * compare the rows with a list of values.
 */
export function askedRange(table: Table, column: Column, range: ColumnRange): ColumnRange | undefined {
  if (column.type.static !== undefined || hasUnknownIndex(column)) return undefined;
  if (isFoundWhole(table, column, range)) return range;
  // Cassandra refuses a list of some columns of the partition key.
  if (range.kind === 'between' || table.partitionKey.includes(column)) return undefined;
  return { kind: 'values', values: range.values, isCompared: true };
}

/**
 * Whether the index of a column, if it has one, finds all rows of a range: nodes have built it, and it compares as the
 * type does.
 */
function isFoundWhole(table: Table, column: Column, range: ColumnRange): boolean {
  const indexes = indexesOn(table, column);
  if (indexes.length === 0) return true;
  if (range.kind === 'between' && column.type.cql.isIndexedInOtherOrder === true) return false;
  if (hasUnindexedTexts(table, column, range)) return false;
  return indexes.every(
    (index) => isUsable(index) && index.kind === 'regular' && (index.fold === null || isExact(index.fold)),
  );
}

/** The ranges of one folded text each that indexes find. */
export function comparedByIndex(
  table: Table,
  folded: ColumnRanges,
): readonly (readonly [Column, ColumnRange])[] {
  return [...folded].filter(
    ([column, range]) =>
      (range.kind === 'between' || range.values.length === 1) && isFoldAskable(table, column, range),
  );
}

/** Whether the index of folded texts, if a column has one, is built, not shadowed, and lacks no row and no text. */
export function isFoldAskable(table: Table, column: Column, range: ColumnRange): boolean {
  const index = regularIndexOn(table, column);
  const isAskable = index === undefined || (isUsable(index) && !isShadowed(index));
  return isAskable && !hasUnindexedTexts(table, column, range);
}

/** Whether an index may lack a value of the range: a long text, or an empty one where the key has them last. */
function hasUnindexedTexts({ clustering }: Table, column: Column, range: ColumnRange): boolean {
  if (range.kind === 'between' || !column.type.traits.text) return false;
  const isReversed = clustering.some((each) => each.column === column && each.direction === -1);
  return range.values.some(
    (text) =>
      (text === '' && isReversed) || (typeof text === 'string' && Buffer.byteLength(text) > mostIndexedBytes),
  );
}

/** Whether Cassandra reads more rows than it gives, which it refuses without `ALLOW FILTERING`. */
export function needsFiltering(table: Table, { partition, ranges, terms = [] }: RowSource): boolean {
  if (terms.some((term) => !isTermServed(table, term))) return true;
  let isPrefix = partition !== undefined;
  let isSliced = false;
  for (const { column } of table.clustering) {
    const range = ranges.get(column);
    if (range === undefined) {
      isPrefix = false;
      continue;
    }
    if (!isPrefix && (isSliced || !isServed(table, column, range))) return true;
    if (range.kind === 'values') continue;
    isSliced ||= isPrefix;
    isPrefix = false;
  }
  const isClustering = (column: Column) => table.clustering.some((each) => each.column === column);
  return [...ranges].some(([column, range]) => !isClustering(column) && !isServed(table, column, range));
}

/**
 * Whether the rows of all sources that are the most similar can be found by the vector index of a search. Cassandra
 * searches only where its indexes find all rows of the filter. Within partitions it would search, but 5.0
 * misses rows there: those that got their vector by an update, until they are flushed.
 */
export function canSearch(table: Table, { column }: VectorSearch, sources: readonly RowSource[]): boolean {
  const isWhole = ({ ranges }: RowSource) => !table.partitionKey.some((column) => ranges.has(column));
  const index = vectorIndexOn(table, column);
  return (
    index !== undefined &&
    isUsable(index) &&
    sources.length <= mostSearches &&
    sources.every((source) => isWhole(source) && !needsFiltering(table, source))
  );
}

/**
 * The rows of a partition behind one of them, in the direction of the clustering order (1) or against it: first those
 * that differ from it in the last clustering column alone, at last those that differ in the first.
 */
export function restOfPartition(
  { clustering }: Table,
  source: RowSource,
  row: readonly unknown[],
  direction: 1 | -1,
): readonly RowSource[] {
  const rest: RowSource[] = [];
  for (let depth = clustering.length - 1; depth >= 0; depth -= 1) {
    const ranges = new Map(source.ranges);
    let isAny = true;
    for (const [at, { column, direction: own }] of clustering.slice(0, depth + 1).entries()) {
      const value = row[at];
      const range = at < depth ? onlyValue(value) : rangeBehind(value, own === direction ? 1 : -1);
      const wanted = source.ranges.get(column);
      const both = wanted === undefined ? range : intersection(column.type, wanted, range);
      ranges.set(column, both);
      isAny &&= !isEmpty(both);
    }
    if (isAny) rest.push({ ...source, ranges });
  }
  return rest;
}

/** Whether the source leaves rows of the table, or of the partition, out by their values. */
export function hasFilter({ ranges, terms = [], lookup = [] }: RowSource): boolean {
  return ranges.size > 0 || terms.length > 0 || lookup.length > 0;
}
