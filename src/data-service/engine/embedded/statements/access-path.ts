// The ways to read rows, and the choice for a plan. The choice is pure; `row-reads.ts` runs it.
import { conjunctionOf } from '../../../query/filter.js';
import { type PrimaryKey, wholeKeyOf } from '../../../query/key-filter.js';
import { mergeLists } from '../../../query/merge-lists.js';
import type { ReadPlan, RowSearch } from '../../../query/read.js';
import type { RowOrder } from '../../../query/row-order.js';
import type { VectorSearch } from '../../../query/vector-search.js';
import type { WordSearch } from '../../../query/word-search.js';
import { type VectorIndex, vectorIndexOn } from '../../../schema/table.js';
import { type DocumentSearch, documentSearch } from './document-search.js';
import { areWholeRanges, filterSeeks, indexRanges, type Seeks, seeksOf } from './index-ranges.js';
import { type MemberSeek, memberSeek, rangesOf } from './member-ranges.js';
import { mergeStatement } from './merge-statement.js';
import { type OrderedPlan, orderedPlan } from './ordered-plan.js';
import { chooseReadOrder } from './read-order.js';
import type { IndexRange, SelectStatement } from './select-text.js';
import { matchOfFilter, type WordMatch } from './text-search-statements.js';

/** A way to read the rows of a plan, with the chosen order. All except the searches return rows in that order. */
export type AccessPath =
  /** Nothing is read: the plan asks for rows after the only one that its filter selects. */
  | { readonly kind: 'nothing' }
  /** A key lookup reads the one row whose whole primary key is in the filter. */
  | { readonly kind: 'keyLookup'; readonly key: PrimaryKey }
  /** Index ranges contain exactly the rows of the result, so the limit bounds what is read. */
  | {
      readonly kind: 'indexRanges';
      readonly plan: OrderedPlan;
      readonly ranges: readonly IndexRange[];
    }
  /** A merge takes the first rows of several index ranges, each of which contains one part of the filter. */
  | { readonly kind: 'merge'; readonly plan: OrderedPlan; readonly statement: SelectStatement }
  /** A scan reads rows that the filter may refuse, any number of them, in slices on a scan thread. */
  | { readonly kind: 'scan'; readonly plan: OrderedPlan; readonly seeks: Seeks }
  /** Documents are found by their index entries, or compared one after another. */
  | { readonly kind: 'documents'; readonly search: DocumentSearch }
  /** A text index returns the rows with all words of a `$match`, in the order of row numbers. */
  | { readonly kind: 'words'; readonly plan: OrderedPlan; readonly match: WordMatch }
  /** A text search scores the rows with all its words, with a text index. */
  | { readonly kind: 'wordSearch'; readonly plan: OrderedPlan; readonly search: WordSearch }
  /** A vector index returns the rows nearest to a vector without reading the others. */
  | {
      readonly kind: 'vectorIndex';
      readonly plan: OrderedPlan;
      readonly search: VectorSearch;
      readonly index: VectorIndex;
    }
  /** A vector scan computes the score of every row that matches the filter, if no vector index is ready. */
  | { readonly kind: 'vectorScan'; readonly plan: OrderedPlan; readonly search: VectorSearch };

/**
 * Chooses the way to read a plan, and the order if the plan accepts any.
 * @throws OutdatedPosition for a position in another order
 */
export function accessPath(given: ReadPlan): AccessPath {
  const filter = mergeLists(given.filter);
  const plan = filter === given.filter ? given : { ...given, filter };
  const { table, search, page } = plan;
  if (search !== null) return searchPath(orderedPlan(plan, plan.order ?? table.keyOrder), search);
  const comparisons = conjunctionOf(filter);
  const key = comparisons && wholeKeyOf(comparisons, table);
  // A position is that of a row already returned, here the only one.
  if (key !== undefined) return page.after === null ? { kind: 'keyLookup', key } : { kind: 'nothing' };
  const readOrder = plan.order ?? chooseReadOrder(filter, table);
  const match = plan.order === null ? matchWithoutSeeks(plan, readOrder) : undefined;
  // The position of the plan is read where it is used.
  if (match !== undefined)
    return match.tokens.length === 0
      ? { kind: 'nothing' }
      : { kind: 'words', plan: { ...plan, order: readOrder }, match };
  const documents = documentSearch(plan);
  if (documents !== undefined) return { kind: 'documents', search: documents };
  const ordered = orderedPlan(plan, readOrder);
  const { order } = ordered;
  const found = memberSeek(ordered);
  if (found !== undefined) return memberPath({ ...ordered, members: found.entries }, found);
  if (comparisons === undefined) return mergeOrScan(ordered, filterSeeks(ordered));
  const seeks = seeksOf(comparisons, order, table);
  if (comparisons.length === seeks.length && areWholeRanges(seeks, order))
    return { kind: 'indexRanges', plan: ordered, ranges: indexRanges(ordered, seeks, ordered.after ?? null) };
  return mergeOrScan(ordered, seeks);
}

function memberPath(plan: OrderedPlan, { seeks, isWhole }: MemberSeek): AccessPath {
  return isWhole && areWholeRanges(seeks, plan.order)
    ? { kind: 'indexRanges', plan, ranges: rangesOf(plan, seeks, plan.after ?? null) }
    : { kind: 'scan', plan, seeks };
}

/** The match of a filter for which no other index finds the rows. */
function matchWithoutSeeks({ filter, table }: ReadPlan, order: RowOrder): WordMatch | undefined {
  const match = matchOfFilter({ filter, table });
  return match !== undefined && filterSeeks({ filter, order, table }).length === 0 ? match : undefined;
}

function searchPath(plan: OrderedPlan, search: RowSearch): AccessPath {
  if (search.kind === 'words') return { kind: 'wordSearch', plan, search };
  const index = vectorIndexOn(plan.table, search.column);
  return index === undefined
    ? { kind: 'vectorScan', plan, search }
    : { kind: 'vectorIndex', plan, search, index };
}

function mergeOrScan(plan: OrderedPlan, seeks: Seeks): AccessPath {
  const statement = mergeStatement(plan);
  return statement === undefined ? { kind: 'scan', plan, seeks } : { kind: 'merge', plan, statement };
}
