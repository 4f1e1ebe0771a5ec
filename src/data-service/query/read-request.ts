// The common parts of find and findOne: their clauses, the sort and limit of rows, the warnings.

import type { JsonObject, JsonValue } from '../../foundation/json/json-value.js';
import { type ApiError, apiError, errorOf } from '../errors/api-error.js';
import type { Column, Table } from '../schema/table.js';
import { parseFilter } from './parse-filter.js';
import { parseProjection } from './projection.js';
import type { ReadPage, ReadPlan, ReadResult, RowSearch, RowValues } from './read.js';
import { readWarnings, searchWarnings } from './read-warnings.js';
import type { Position, RowOrder } from './row-order.js';
import { maxReplyLength } from './row-text.js';
import { chooseSortPath, compareForSort, parseSort, type Sort } from './sort.js';
import { maxSearchedRows, similarityColumn, type TextSearch } from './vector-search.js';
import { parseVectorSort, searchByText } from './vector-sort.js';
import { parseWordSort } from './word-sort.js';

/** The maximum number of rows that are sorted in memory. */
export const maxSortedRows = 10_000;
/** The maximum size of these rows in bytes: all of them are in memory at the same time. */
const maxSortedBytes = 64 * 1024 * 1024;
/** A page ends after the row with which its rows, either stored or as text, exceed this size. */
const maxPageBytes = 4 * 1024 * 1024;

/** The clauses of a read as they were sent. */
export interface ReadClauses {
  readonly filter: JsonObject | undefined;
  readonly projection: JsonValue | undefined;
  readonly sort: JsonObject | undefined;
  readonly skip?: number | undefined;
  readonly limit?: number | undefined;
  readonly includeSimilarity?: boolean;
}

/** The clauses resolved for a table. */
export interface ReadRequest {
  readonly table: Table;
  readonly filter: ReadPlan['filter'];
  /** The columns of the projection. */
  readonly columns: readonly Column[];
  /** The columns in the reply: those of the projection, and the similarity if it was requested. */
  readonly shown: readonly Column[];
  /** The order in which the engine reads; null for any order. */
  readonly order: RowOrder | null;
  /** Set if the rows are sorted after they are read. */
  readonly sort: Sort | null;
  /** Set if rows are searched: by a vector, by a text that is still to be embedded, or by words. */
  readonly search: RowSearch | TextSearch | null;
  readonly warnings: readonly ApiError[];
}

/**
 * Parses the clauses: filter, then projection, then sort.
 * @throws ApiError for the first problem, or ApiErrors for the problems of a search's options
 */
export function parseReadRequest(clauses: ReadClauses, table: Table): ReadRequest {
  const filter = parseFilter(clauses.filter, table);
  const { columns, leftOut } = parseProjection(clauses.projection, table);
  const search = parseVectorSort(clauses.sort, table);
  if (search !== undefined) {
    refuseWindow(clauses);
    const shown = clauses.includeSimilarity === true ? [...columns, similarityColumn] : columns;
    const warnings = [...searchWarnings(filter, table), ...leftOutWarnings(leftOut)];
    return { table, filter, columns, shown, order: null, sort: null, search, warnings };
  }
  const wordSearch = parseWordSort(clauses.sort, table, clauses.skip);
  if (wordSearch !== undefined) {
    const warnings = [...readWarnings(filter, table), ...leftOutWarnings(leftOut)];
    return { table, filter, columns, shown: columns, order: null, sort: null, search: wordSearch, warnings };
  }
  const path = chooseSortPath(parseSort(clauses.sort, table), filter, table, clauses.skip);
  const ofFilter = readWarnings(filter, table);
  const warnings = leftOut.length === 0 ? ofFilter : [...ofFilter, ...leftOutWarnings(leftOut)];
  const shown = columns;
  if (path.kind === 'engine')
    return { table, filter, columns, shown, order: path.order, sort: null, search: null, warnings };
  const all = [...warnings, path.warning];
  return { table, filter, columns, shown, order: null, sort: path.sort, search: null, warnings: all };
}

/** A search returns its first rows, at most a thousand. */
function refuseWindow({ skip, limit = 0 }: ReadClauses): void {
  const problems: ApiError[] = [];
  if (limit > maxSearchedRows) {
    const limits = { limit, maxLimit: maxSearchedRows };
    problems.push(apiError('sort', 'CANNOT_VECTOR_SORT_WITH_LIMIT_EXCEEDS_MAX', limits));
  }
  if (skip !== undefined) problems.push(apiError('sort', 'CANNOT_VECTOR_SORT_WITH_SKIP_OPTION', {}));
  if (problems.length > 0) throw errorOf(problems);
}

function leftOutWarnings(columns: readonly Column[]): readonly ApiError[] {
  return columns.length === 0 ? [] : [apiError('warning', 'UNSUPPORTED_COLUMN_TYPES', { columns })];
}

/** The text of a request that must be embedded; undefined if there is none. */
export function textOf({ search }: ReadRequest): TextSearch | undefined {
  return search?.kind === 'text' ? search : undefined;
}

/** The request with the vector of its text, if it has one. @throws ApiError scope SORT */
export function withQuery(request: ReadRequest, query: Float32Array | undefined): ReadRequest {
  const text = textOf(request);
  return text === undefined || query === undefined
    ? request
    : { ...request, search: searchByText(text, query) };
}

/** The search of a request whose text, if any, has been embedded; null for a request without a search. */
export function searchOf({ search }: ReadRequest): RowSearch | null {
  if (search?.kind === 'text') throw new TypeError('the text of a search has no vector yet');
  return search;
}

/** A page of rows, of the kinds that `ReadPage` has. */
export function rowsPage(after: Position | null, limit: number, kind: ReadPage['kind']): ReadPage {
  return { after, limit, kind, maxBytes: maxPageBytes };
}

/** The only page of a search. */
export function searchPage(limit: number): ReadPage {
  return { after: null, limit, kind: 'single', maxBytes: maxReplyLength };
}

/**
 * The plan for the engine. `page` is a `searchPage` if the request has a search, and not used if rows are sorted in
 * memory. `command`: see `ReadPlan`; a plan without one is the only one of its command.
 */
export function planRead(request: ReadRequest, page: ReadPage, command: object = {}): ReadPlan {
  const { table, filter, shown, order, sort } = request;
  if (sort !== null) return planSorted(request, sort, command);
  const search = searchOf(request);
  return {
    table,
    filter,
    columns: shown,
    order,
    page,
    form: search === null ? 'text' : 'shown',
    search,
    command,
  };
}

/** Rows to sort in memory are all read, up to one row more than may be sorted. */
function planSorted({ table, filter, columns, order }: ReadRequest, sort: Sort, command: object): ReadPlan {
  return {
    table,
    filter,
    columns: sortedColumns(columns, sort),
    order,
    page: sortedPage,
    form: 'shown',
    search: null,
    command,
  };
}

/** The only page of rows that are sorted in memory. */
export const sortedPage: ReadPage = {
  after: null,
  limit: maxSortedRows,
  kind: 'complete',
  maxBytes: maxSortedBytes,
};

/** The columns of the rows that are sorted: those of the projection, then those of the sort. */
function sortedColumns(columns: readonly Column[], sort: Sort): readonly Column[] {
  const sorted = sort.map(({ column }) => column).filter((column) => !columns.includes(column));
  return sorted.length === 0 ? columns : [...columns, ...sorted];
}

/** The rows of a window, sorted; equal rows keep the order in which they were read. */
export function sortRows(
  { rows }: ReadResult,
  { columns }: ReadRequest,
  sort: Sort,
  window: { readonly skip: number; readonly limit: number },
): readonly RowValues[] {
  const wanted = sortedColumns(columns, sort);
  const places = sort.map(({ column }) => wanted.indexOf(column));
  const sorted = rows.toSorted((left, right) => {
    for (const [at, { column, direction }] of sort.entries()) {
      const place = places[at] ?? 0;
      const difference = compareForSort(column, left[place], right[place]) * direction;
      if (difference !== 0) return difference;
    }
    return 0;
  });
  return sorted.slice(window.skip, window.skip + window.limit);
}
