// How a read finds documents by their terms.
import type { DocumentFilter } from '../../../documents/document-filter.js';
import { requiredDocumentsOf, requiredOf } from '../../../query/filter.js';
import { matchOperator } from '../../../query/filter-operators.js';
import type { ReadPlan } from '../../../query/read.js';
import { maxSearchedRows, type VectorSearch } from '../../../query/vector-search.js';
import { type Collection, isCollection } from '../../../schema/collection.js';
import { documentRules } from '../../../schema/document-rules.js';
import type { Table } from '../../../schema/table.js';
import type { Analyzer } from '../../../text-analysis/analyzer.js';
import { hasTerms, hasTokenTerms } from '../schema/engine-state.js';
import { directed, type ReadPath } from '../statements/path-of-rows.js';
import { canSearch, mostSearches, type RowSource } from '../statements/row-source.js';
import { anyToken, type Term, tokenTerm } from './entry-terms.js';
import { type Lookup, lookupsOf, mostOfRange } from './filter-lookups.js';

/** What terms can find of the conditions of a read. */
interface TermConditions {
  readonly filter: DocumentFilter;
  /** The terms of tokens that the documents must have. */
  readonly terms: readonly Term[];
  /** The analyzer of a `$match` in the filter; undefined where tokens find nothing. */
  readonly analyzer: Analyzer | undefined;
}

/** The path of a read by documents or by words; undefined where all documents are read, and for other reads. */
export function pathOfDocuments(plan: ReadPlan): ReadPath | undefined {
  const { table, search, order } = plan;
  const conditions = conditionsOf(plan);
  if (conditions === undefined) return undefined;
  const lookups = lookupsIn(table, conditions, mostOfRange);
  const searched = search?.kind === 'vector' ? searchedSources(plan, search, conditions) : undefined;
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

/** The look-ups that a read by a filter takes: none where all documents are read. */
export function lookupCount(collection: Collection, filter: DocumentFilter): number {
  const conditions = { filter, terms: [], analyzer: tokenAnalyzer(collection) };
  return lookupsIn(collection, conditions, mostOfRange)?.length ?? 0;
}

/** Undefined where every document can match, and for tables. */
function conditionsOf(plan: ReadPlan): TermConditions | undefined {
  const { table } = plan;
  if (!isCollection(table)) return undefined;
  const filters = requiredDocumentsOf(plan.filter).map((comparison) => comparison.filter);
  const analyzer = tokenAnalyzer(table);
  const terms = analyzer === undefined ? [] : requiredTokens(plan).map(tokenTerm);
  if (filters.length === 0 && terms.length === 0) return undefined;
  return { filter: { kind: 'and', filters }, terms, analyzer };
}

/** The analyzer of the tokens by which documents are found. */
function tokenAnalyzer(collection: Collection): Analyzer | undefined {
  return hasTokenTerms(collection) ? documentRules(collection).analyzer : undefined;
}

/** The tokens of a search, and of every `$match` that must be true. */
function requiredTokens({ filter, search }: ReadPlan): readonly string[] {
  const matches = requiredOf(filter).filter(({ operator }) => operator === matchOperator);
  const tokens = matches.flatMap(({ operands }) => operands as readonly string[]); // those of a `$match`
  if (search?.kind !== 'words') return tokens;
  return [...(search.tokens.length === 0 ? [anyToken] : search.tokens), ...tokens];
}

function lookupsIn(
  table: Table,
  { filter, terms, analyzer }: TermConditions,
  most: number,
): readonly Lookup[] | undefined {
  return hasTerms(table) ? lookupsOf(filter, { most, analyzer }, terms) : undefined;
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
  conditions: TermConditions,
): readonly RowSource[] | undefined {
  if (page.limit > maxSearchedRows) return undefined;
  const few = lookupsIn(table, conditions, mostSearches);
  const lookups = few === undefined || few.length > mostSearches ? anyDocument : few;
  const sources = lookups.map(sourceOf);
  return canSearch(table, search, sources) ? sources : undefined;
}
