// Which comparisons of a filter an index seeks, so that a read goes through a part of the index only.
import { isExact } from '../../../column-types/text-fold.js';
import { type Comparison, requiredOf } from '../../../query/filter.js';
import { isRange } from '../../../query/key-filter.js';
import type { ReadPlan, RowOrder } from '../../../query/read.js';
import { type RegularIndex, regularIndexOn, type Table } from '../../../schema/table.js';

/** Comparisons that narrow the part of an index that is read. */
export type Seeks = readonly Comparison[];

/** Lists multiply: a read that seeks every combination must still be short. */
const mostCombinations = 1_000;

/** What an index in the plan's order seeks of all that the filter requires. */
export function filterSeeks({ filter, order, table }: Pick<ReadPlan, 'filter' | 'order' | 'table'>): Seeks {
  return seeksOf(requiredOf(filter), order, table);
}

/**
 * What an index in an order seeks of some comparisons: those of the columns of the order from the first on without a
 * gap, and before them a text in a folded index. Any other comparison would only let SQLite pass over rows, any number
 * of them within one slice, or make it sort.
 */
export function seeksOf(comparisons: readonly Comparison[], order: RowOrder, table: Table): Seeks {
  const folded = order === table.keyOrder ? comparisons.find((one) => isSeekInFolded(one, table)) : undefined;
  const seeks = folded === undefined ? [] : [folded];
  let combinations = 1;
  for (const { column } of order) {
    const own = comparisons.filter(
      (one) => one.column === column && one.fold === undefined && (one.operator.isRange || namesValues(one)),
    );
    const named = own.filter(namesValues).map(({ operands }) => operands.length);
    if (named.length > 0) combinations *= Math.min(...named);
    if (combinations > mostCombinations) break;
    seeks.push(...own);
    if (named.length === 0) break;
  }
  return seeks;
}

/** What a folded index finds for one text lies together, in the order of the key. */
function isSeekInFolded({ column, operator, fold }: Comparison, table: Table): boolean {
  return fold !== undefined && operator.name === '$eq' && regularIndexOn(table, column) !== undefined;
}

/** A range of an index that holds, in the order of the key, the rows of comparisons and no others. */
export interface KeyOrderedRange {
  readonly seeks: Seeks;
  /** Undefined for the index of the key. */
  readonly index: RegularIndex | undefined;
}

/** Undefined where no index has such a range for the comparisons. */
export function keyOrderedRange(
  comparisons: readonly Comparison[],
  table: Table,
): KeyOrderedRange | undefined {
  const seek = comparisons.find((one) => isSeekInFolded(one, table) || isSeekInExact(one, table));
  const others = comparisons.filter((one) => one !== seek);
  const seeks = seeksOf(others, table.keyOrder, table);
  const isWhole =
    others.every(({ fold }) => fold === undefined) &&
    seeks.length === others.length &&
    areWholeRanges(seeks, table.keyOrder);
  if (!isWhole || comparisons.length === 0) return undefined;
  if (seek === undefined) return { seeks, index: undefined };
  return { seeks: [seek, ...seeks], index: regularIndexOn(table, seek.column) };
}

function isSeekInExact({ column, operator, fold }: Comparison, table: Table): boolean {
  const index = regularIndexOn(table, column);
  if (index === undefined || fold !== undefined || operator.name !== '$eq') return false;
  return index.fold === null || isExact(index.fold);
}

function namesValues({ operator }: Comparison): boolean {
  return operator.name === '$eq' || operator.name === '$in';
}

/**
 * Whether seeks give whole ranges of an index, without rows in between that do not match: columns by `$eq` from the
 * first on (that one by `$in`, too), then at most one range.
 */
export function areWholeRanges(seeks: Seeks, order: RowOrder): boolean {
  // What a folded index finds for its text is a range, which the key narrows further.
  const unfolded = seeks.filter(({ fold }) => fold === undefined);
  let remaining = unfolded.length;
  for (const [at, { column }] of order.entries()) {
    if (remaining === 0) return true;
    const own = unfolded.filter((seek) => seek.column === column);
    remaining -= own.length;
    const [only] = own;
    const isValue = only?.operator.name === '$eq' || (at === 0 && only?.operator.name === '$in');
    if (own.length === 1 && isValue) continue;
    // Of two bounds on a side SQLite would seek the first, and pass over the rows up to the second.
    return remaining === 0 && isRange(own);
  }
  return true;
}
