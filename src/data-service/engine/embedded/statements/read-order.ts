// The order of reads that may come in any: that of the key, or of an index (differences: unsorted reads).

import { isExact } from '../../../column-types/text-fold.js';
import { type Comparison, type Filter, requiredOf } from '../../../query/filter.js';
import { fixesPartition } from '../../../query/fixes-partition.js';
import type { RowOrder } from '../../../query/row-order.js';
import { indexOrder, regularIndexOn, type Table } from '../../../schema/table.js';
import { isSeekable } from './index-ranges.js';

/** By key inside a partition and where no index helps; otherwise by the column of the index that narrows most. */
export function chooseReadOrder(filter: Filter, table: Table): RowOrder {
  if (table.indexes.length === 0 || fixesPartition(filter, table)) return table.keyOrder;
  const served = requiredOf(filter).filter((comparison) => isServed(comparison, table));
  const [best] = served.toSorted((left, right) => rank(left) - rank(right));
  const index = best && regularIndexOn(table, best.column);
  // A folded index holds rows by folded text, which no position can name: it serves one text, whose rows are by key.
  if (best === undefined || index === undefined || best.fold !== undefined) return table.keyOrder;
  return indexOrder(index, table);
}

/** Whether the index of the column finds the rows, or a stretch of them. */
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
