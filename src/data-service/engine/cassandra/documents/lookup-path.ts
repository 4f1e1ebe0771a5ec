// How a read finds documents by their terms.
import type { DocumentFilter } from '../../../documents/document-filter.js';
import { requiredDocumentsOf } from '../../../query/filter.js';
import type { ReadPlan } from '../../../query/read.js';
import { maxSearchedRows, type VectorSearch } from '../../../query/vector-search.js';
import { hasTerms } from '../schema/engine-state.js';
import { directed, type ReadPath } from '../statements/path-of-rows.js';
import { canSearch, mostSearches, type RowSource } from '../statements/row-source.js';
import { type Lookup, lookupsOf } from './filter-lookups.js';

/** The path of a read by a filter on documents; undefined where all documents are read, and for other reads. */
export function pathOfDocuments(plan: ReadPlan): ReadPath | undefined {
  const { table, search, order } = plan;
  const filters = requiredDocumentsOf(plan.filter).map((comparison) => comparison.filter);
  if (filters.length === 0) return undefined;
  const filter: DocumentFilter = { kind: 'and', filters };
  const lookups = hasTerms(table) ? lookupsOf(filter) : undefined;
  const searched = search?.kind === 'vector' ? searchedSources(plan, search, filter) : undefined;
  if (lookups === undefined && searched === undefined) return undefined;
  return {
    sources: (lookups ?? anyDocument).map(sourceOf),
    direction: 1,
    positions: order === null && search === null ? directed(table, 1) : null,
    isFiltered: false,
    isLookup: false,
    isSearched: searched !== undefined,
    searched,
    isMerged: lookups !== undefined && lookups.length > 1,
  };
}

/** The look-up without terms. */
const anyDocument: readonly Lookup[] = [[]];

function sourceOf(lookup: Lookup): RowSource {
  return { ranges: new Map(), lookup };
}

/**
 * Where the nearest documents are searched: by as many look-ups as a search may have; otherwise among all documents, of
 * which those that are found are compared with the filter. Undefined where no index finds the nearest ones.
 */
function searchedSources(
  { table, page }: ReadPlan,
  search: VectorSearch,
  filter: DocumentFilter,
): readonly RowSource[] | undefined {
  if (page.limit > maxSearchedRows) return undefined;
  const few = hasTerms(table) ? lookupsOf(filter, mostSearches) : undefined;
  const lookups = few === undefined || few.length > mostSearches ? anyDocument : few;
  const sources = lookups.map(sourceOf);
  return canSearch(table, search, sources) ? sources : undefined;
}
