// How a read finds documents by their terms.
import { requiredDocumentsOf } from '../../../query/filter.js';
import type { ReadPlan } from '../../../query/read.js';
import { maxSearchedRows } from '../../../query/vector-search.js';
import { hasTerms } from '../schema/engine-state.js';
import { directed, type ReadPath } from '../statements/path-of-rows.js';
import { canSearch } from '../statements/row-source.js';
import { type Lookup, lookupsOf } from './filter-lookups.js';

/**
 * The look-ups of a filter on documents. Beside a search every filter has one: where terms do not help, the nearest
 * documents are compared with the filter.
 */
export function lookupsOfPlan({ table, filter, search }: ReadPlan): readonly Lookup[] | undefined {
  const filters = requiredDocumentsOf(filter).map((comparison) => comparison.filter);
  if (filters.length === 0) return undefined;
  const lookups = hasTerms(table) ? lookupsOf({ kind: 'and', filters }) : undefined;
  return lookups ?? (search === null ? undefined : [[]]);
}

/** The look-ups at the same time: a document can be found by several of them. */
export function pathOfLookups(plan: ReadPlan, lookups: readonly Lookup[]): ReadPath {
  const { table, order, search, page } = plan;
  const sources = lookups.map((lookup) => ({ ranges: new Map(), lookup }));
  const isPage = page.limit <= maxSearchedRows;
  const isSearched = search?.kind === 'vector' && isPage && canSearch(table, search, sources);
  return {
    sources,
    direction: 1,
    positions: order === null && search === null ? directed(table, 1) : null,
    isFiltered: false,
    isLookup: false,
    isSearched,
    isMerged: lookups.length > 1,
  };
}
