// The ways to read rows, and which of them a plan takes. The choice is pure; `reads.ts` carries it out.
import { conjunctionOf } from '../../../query/filter.js';
import { type PrimaryKey, wholeKeyOf } from '../../../query/key-filter.js';
import type { ReadPlan } from '../../../query/read.js';
import type { VectorSearch } from '../../../query/vector-search.js';
import { type VectorIndex, vectorIndexOn } from '../../../schema/table.js';
import type { SqlFragment } from '../file/sql-fragment.js';
import { areWholeRanges, filterSeeks, indexRanges, type Seeks, seeksOf } from './index-ranges.js';
import { mergeStatement } from './merge-statement.js';
import { type OrderedPlan, orderedPlan } from './ordered-plan.js';
import { chooseReadOrder } from './read-order.js';
import type { SelectStatement } from './select-text.js';

/** A way to read the rows of a plan, which then has an order. All but the searches give the rows in that order. */
export type AccessPath =
  /** Nothing is read: the plan wants the rows behind the only one that its filter names. */
  | { readonly kind: 'nothing' }
  /** A key lookup finds the one row that the filter names by its whole primary key. */
  | { readonly kind: 'keyLookup'; readonly key: PrimaryKey }
  /** Index ranges hold the rows of the result and no others, so that the limit bounds what is read. */
  | {
      readonly kind: 'indexRanges';
      readonly plan: OrderedPlan;
      readonly ranges: readonly SqlFragment[];
    }
  /** A merge takes the first rows of ranges of several indexes, where each range holds one part of the filter. */
  | { readonly kind: 'merge'; readonly plan: OrderedPlan; readonly statement: SelectStatement }
  /** A scan goes through rows that the filter may refuse, any number of them, in slices on a scan thread. */
  | { readonly kind: 'scan'; readonly plan: OrderedPlan; readonly seeks: Seeks }
  /** A vector index gives the rows nearest to a vector, without a look at the others. */
  | {
      readonly kind: 'vectorIndex';
      readonly plan: OrderedPlan;
      readonly search: VectorSearch;
      readonly index: VectorIndex;
    }
  /** A vector scan computes the score of every row that the filter matches, where no vector index is ready. */
  | { readonly kind: 'vectorScan'; readonly plan: OrderedPlan; readonly search: VectorSearch };

/**
 * Chooses the way to read a plan, and the order where the plan takes any.
 * @throws OutdatedPosition for a position in another order
 */
export function accessPath(plan: ReadPlan): AccessPath {
  const { filter, table, search, after } = plan;
  if (search !== undefined) return searchPath(orderedPlan(plan, plan.order ?? table.keyOrder), search);
  const comparisons = conjunctionOf(filter);
  const key = comparisons && wholeKeyOf(comparisons, table);
  // A position is that of a row that was given.
  if (key !== undefined) return after === null ? { kind: 'keyLookup', key } : { kind: 'nothing' };
  const ordered = orderedPlan(plan, plan.order ?? chooseReadOrder(filter, table));
  const { order } = ordered;
  if (comparisons === undefined) return mergeOrScan(ordered, filterSeeks(ordered));
  const seeks = seeksOf(comparisons, order, table);
  if (comparisons.length === seeks.length && areWholeRanges(seeks, order))
    return { kind: 'indexRanges', plan: ordered, ranges: indexRanges(ordered, seeks, ordered.after) };
  return mergeOrScan(ordered, seeks);
}

function searchPath(plan: OrderedPlan, search: VectorSearch): AccessPath {
  const index = vectorIndexOn(plan.table, search.column);
  return index === undefined
    ? { kind: 'vectorScan', plan, search }
    : { kind: 'vectorIndex', plan, search, index };
}

function mergeOrScan(plan: OrderedPlan, seeks: Seeks): AccessPath {
  const statement = mergeStatement(plan);
  return statement === undefined ? { kind: 'scan', plan, seeks } : { kind: 'merge', plan, statement };
}
