// What is decided of a read: where its rows are, and what nodes do of its filter, order and search.
import type { MemberComparison } from '../../../query/filter.js';
import type { RowOrder } from '../../../query/row-order.js';
import type { Table } from '../../../schema/table.js';
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
