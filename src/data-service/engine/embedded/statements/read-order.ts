// Chooses the order of reads that accept any: the order of the key, or of an index (differences: unsorted reads).

import { isExact } from '../../../column-types/text-fold.js';
import { type Comparison, type Filter, fixesPartition, requiredOf } from '../../../query/filter.js';
import type { RowOrder } from '../../../query/row-order.js';
import { indexOrder, regularIndexOn, type Table } from '../../../schema/table.js';
import { isSeekable } from './index-ranges.js';
import { isServedByMembers } from './member-ranges.js';

/** The order of the key inside a partition and if no index helps; otherwise the order of the most selective index. */
export function chooseReadOrder(filter: Filter, table: Table): RowOrder {
  if (table.indexes.length === 0 || fixesPartition(filter, table)) return table.keyOrder;
  const served = requiredOf(filter).filter((comparison) => isServed(comparison, table));
  const [best] = served.toSorted((left, right) => rank(left) - rank(right));
  if (best !== undefined && rank(best) > 0 && isServedByMembers(filter, table)) return table.keyOrder;
  const index = best && regularIndexOn(table, best.column);
  // A folded index is ordered by folded text, which positions cannot contain. It can be used for one text, whose rows
  // are in the order of the key.
  if (best === undefined || index === undefined || best.fold !== undefined) return table.keyOrder;
  return indexOrder(index, table);
}

/** Whether the index of the column can find the rows, as values or as a range. */
function isServed(comparison: Comparison, table: Table): boolean {
  const { column, operator, fold } = comparison;
  const index = regularIndexOn(table, column);
  if (index === undefined || !isSeekable(comparison)) return false;
  const foldsAlike = fold !== undefined || index.fold === null || isExact(index.fold);
  return foldsAlike && (fold === undefined || operator.name === '$eq');
}

function rank({ operator }: Comparison): number {
  if (operator.name === '$eq') return 0;
  return operator.name === '$in' ? 1 : 2;
}
