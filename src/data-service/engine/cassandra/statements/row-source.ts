// Where rows are read: one partition, or all of them in the order of their tokens, and what their columns must be.

import { isExact } from '../../../column-types/text-fold.js';
import type { MemberComparison } from '../../../query/filter.js';
import type { Column, Table } from '../../../schema/table.js';
import { indexesOn, regularIndexOn } from '../../../schema/table.js';
import { hasUnknownIndex, isShadowed } from '../schema/engine-state.js';
import { type ColumnRange, intersection, isEmpty, onlyValue, rangeBehind } from './column-range.js';
import { isTermServed, type MemberTerm } from './member-terms.js';
import type { ColumnRanges } from './pushed-filter.js';

/** The rows of one SELECT, which come in the order of the key in a partition, else in the order of tokens. */
export interface RowSource {
  /** The values of the partition columns; absent: all partitions. */
  readonly partition?: readonly unknown[];
  /** Only partitions behind that of these values. */
  readonly behind?: readonly unknown[];
  /** Ranges of other columns than those of `partition`. */
  readonly ranges: ColumnRanges;
  /** Members that the rows have. Absent: any. */
  readonly terms?: readonly MemberTerm[];
  /** Rows that are left out, because an earlier source has them. Absent: none. */
  readonly without?: MemberComparison;
}

/** Cassandra stores longer texts, but its indexes lack them: `sai_string_term_size_fail_threshold`, in bytes. */
const mostIndexedBytes = 8 * 1024;

/** Whether an index of the table finds the rows of a range. */
export function isServed(table: Table, column: Column, range: ColumnRange): boolean {
  if (regularIndexOn(table, column) === undefined) return false;
  return range.kind === 'values' ? range.values.length === 1 : column.type.traits.index === 'servesRanges';
}

/**
 * Whether a range can be asked of a column that is not in the prefix of the key: if the table has an index that
 * Cassandra would use for it, or for another column, the index must be built, and must compare as the type does.
 */
export function isAskable(table: Table, column: Column, range: ColumnRange): boolean {
  if (column.type.static !== undefined || hasUnknownIndex(column)) return false;
  if (range.kind === 'between' && column.type.cql.isIndexedInOtherOrder === true) return false;
  const indexes = indexesOn(table, column);
  if (indexes.length > 0 && hasUnindexedTexts(range)) return false;
  return indexes.every(
    (index) =>
      index.isBuilding !== true && index.kind === 'regular' && (index.fold === null || isExact(index.fold)),
  );
}

/**
 * The ranges of folded texts that indexes find, without those whose index is still being built, is shadowed, or may
 * lack the texts.
 */
export function comparedByIndex(
  table: Table,
  folded: ColumnRanges,
): readonly (readonly [Column, ColumnRange])[] {
  return [...folded].filter(([column, range]) => {
    const index = regularIndexOn(table, column);
    const isUsable = index === undefined || (index.isBuilding !== true && !isShadowed(index));
    return isUsable && !hasUnindexedTexts(range);
  });
}

/** Whether an index may lack a value of the range. */
function hasUnindexedTexts(range: ColumnRange): boolean {
  const isLong = (value: unknown) => typeof value === 'string' && Buffer.byteLength(value) > mostIndexedBytes;
  return range.kind === 'values' && range.values.some(isLong);
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
