// What is decided of a read: where its rows are, and what nodes do of its filter, order and search.
import { getOrMake } from '../../../../foundation/get-or-make.js';
import { containerOf } from '../../../column-types/column-type.js';
import { keyBytesOf } from '../../../column-types/key-bytes.js';
import type { MemberComparison } from '../../../query/filter.js';
import type { RowOrder } from '../../../query/row-order.js';
import type { ClusteringColumn, Column, Table } from '../../../schema/table.js';
import type { RowSource } from './row-source.js';

/** How a read finds its rows. */
export interface ReadPath {
  /** Read one after another. */
  readonly sources: readonly RowSource[];
  /** The order of the rows in each partition: that of the table (1), or reversed (-1). */
  readonly direction: 1 | -1;
  /** Names the positions of rows; null where the order of the plan is left undone. */
  readonly positions: RowOrder | null;
  /** Whether only rows come that match the filter. */
  readonly isFiltered: boolean;
  /** Whether one row can come at most. */
  readonly isLookup: boolean;
  /** The comparison whose members are looked up, one by each source. Absent: none. */
  readonly lookedUp?: MemberComparison;
  /** Whether each source is searched by the vector index of the plan's search. */
  readonly isSearched: boolean;
  /** Where the nearest rows are searched. Absent: in the sources. */
  readonly searched?: readonly RowSource[] | undefined;
  /** Whether the sources are read as one list in the order of tokens, because they may have the same rows. */
  readonly isMerged: boolean;
}

/** The order of the key (1), or its reverse. */
export function directed({ keyOrder }: Table, factor: 1 | -1): RowOrder {
  if (factor === 1) return keyOrder;
  return keyOrder.map(({ column, direction }) => ({ column, direction: direction === 1 ? -1 : 1 }));
}

const ordersByTokens = new WeakMap<Table, RowOrder>();

/**
 * The order of positions in all partitions. A partition is found by its bytes: where equal values can have different
 * ones, as 1.0 and 1.00, positions have the bytes in place of the values.
 */
export function orderByTokens(table: Table): RowOrder {
  return getOrMake(ordersByTokens, table, makeOrderByTokens);
}

function makeOrderByTokens({ partitionKey, keyOrder }: Table): RowOrder {
  const hasBytes = ({ column }: ClusteringColumn) => partitionKey.includes(column) && hasSeveralForms(column);
  if (!keyOrder.some(hasBytes)) return keyOrder;
  return keyOrder.map((each) => (hasBytes(each) ? { ...each, column: bytesOf(each.column) } : each));
}

function hasSeveralForms({ type }: Column): boolean {
  if (type.cql.selectedAs === 'blob') return false; // the values are bytes already
  return [type, ...(containerOf(type)?.members ?? [])].some(({ cql }) => cql.hasSeveralForms === true);
}

function bytesOf(column: Column): Column {
  return { ...column, type: keyBytesOf(column.type) };
}
