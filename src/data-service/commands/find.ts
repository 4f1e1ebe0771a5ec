// find (wire: find; differences: page state).

import { JsonNumber, type JsonText } from '../../foundation/json/json-value.js';
import { ApiError, apiError, errorOf } from '../errors/api-error.js';
import { invalidFieldValue } from '../errors/request-problems.js';
import { type PagedQuery, pageStateField, readPageState, refusedPageState } from '../query/page-state.js';
import { finishRead, pageRows, type ReadPage, type ReadResult, type RowSearch } from '../query/read.js';
import {
  maxSortedRows,
  parseReadRequest,
  planRead,
  type ReadRequest,
  searchOf,
  searchPage,
  sortRows,
  withQuery,
} from '../query/read-request.js';
import { OutdatedPosition } from '../query/row-order.js';
import type { Sort } from '../query/sort.js';
import { maxSearchedRows } from '../query/vector-search.js';
import { maxWordRows, usualWordRows } from '../query/word-search.js';
import { describeColumns } from '../schema/describe-columns.js';
import { tableCommand } from './command.js';
import { queryTexts } from './embed-texts.js';
import { findOptions, givenPageState, nextPage, nextPageState, type PagedRead } from './find-options.js';
import { type Reply, rowsText } from './reply.js';
import { withSortVector } from './search-reply.js';
import { anything, filterExample, object, optionalClause, sortExample } from './shape.js';

interface FindPlan extends PagedRead {
  readonly request: ReadRequest;
  readonly page: ReadPage;
  readonly skip: number;
  readonly includeSortVector: boolean;
  /** The page state as it came; empty for the first page. */
  readonly pageState: string;
  /** See `ReadPlan`. */
  readonly command: object;
}

export const find = tableCommand({
  name: 'find',
  help: 'Reads rows, 50 in a page, in the order of the primary key or of the sort. A sort in memory has one page; use `skip` to get the next rows. A sort by a vector returns the nearest rows in one page: up to `limit`, by default and at most 1000. `includeSimilarity` adds `$similarity`: (1 + cosine) / 2, (1 + product) / 2 or 1 / (1 + squared distance). `includeSortVector` adds the vector in `status.sortVector`.',
  kind: 'read',
  shape: object({
    filter: optionalClause(filterExample),
    projection: anything('an object of columns and 1 or 0'),
    sort: optionalClause(sortExample),
    options: findOptions,
  }),
  plan: (command, { table, pageStateKey }): FindPlan => {
    const { filter, projection, sort, options: given } = command;
    const { limit, skip, includeSimilarity, includeSortVector } = given;
    const problems: ApiError[] = [];
    // An empty sort sorts as little as none.
    if (skip !== undefined && (sort === undefined || sort.size === 0)) {
      const problem = '"skip" needs a "sort"';
      problems.push(invalidFieldValue('command.options.skip', new JsonNumber(String(skip)), problem));
    }
    const pageState = givenPageState(given);
    if (problems.length > 0 && pageState === '') throw errorOf(problems);
    const request = parseReadRequest({ filter, projection, sort, skip, limit, includeSimilarity }, table);
    const query: PagedQuery = { table, filter, order: request.order };
    const isSearch = request.search !== null;
    const state =
      pageState === ''
        ? undefined
        : collected(problems, () => readPageStateOf(request, { pageStateKey, query, pageState }));
    if (problems.length > 0) throw errorOf(problems);
    const remaining = isSearch ? null : state === undefined ? (limit ?? null) : state.remaining;
    return {
      request,
      page: isSearch ? pageOfSearch(request, limit) : nextPage(remaining, state?.position ?? null),
      query,
      skip: isSearch ? 0 : (skip ?? 0),
      remaining,
      includeSortVector,
      pageStateKey,
      pageState,
      command,
    };
  },
  textsToEmbed: ({ request }) => queryTexts(request),
  withEmbeddings: (plan, [vector]) => ({ ...plan, request: withQuery(plan.request, vector) }),
  execute: ({ request, page, pageState, command }, engine) => {
    const read = planRead(request, page, command);
    const found = engine.readRows(read).then((outcome) => finishRead(read, outcome));
    // Only a page state has a position.
    if (pageState === '') return found;
    return found.catch((error) => {
      throw error instanceof OutdatedPosition ? refusedPageState(pageState) : error;
    });
  },
  respond: (result, plan) => {
    const { sort } = plan.request;
    const search = searchOf(plan.request);
    if (search !== null) return respondFound(result, plan, search);
    return sort === null ? respondWithPage(result, plan) : respondSorted(result, plan, sort);
  },
});

/** What `read` gives; undefined where it fails, with the problem among the others. */
function collected<Value>(problems: ApiError[], read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    problems.push(error);
    return undefined;
  }
}

/** @throws ApiError for a page state of another query, or of a read that has one page */
function readPageStateOf(
  request: ReadRequest,
  { pageStateKey, query, pageState }: Pick<FindPlan, 'pageStateKey' | 'query' | 'pageState'>,
) {
  const { search, sort } = request;
  if (search !== null && search.kind !== 'words')
    throw invalidFieldValue(pageStateField, pageState, 'a vector search has one page');
  if (search !== null || sort !== null)
    throw apiError('sort', 'UNSUPPORTED_PAGINATION_WITH_IN_MEMORY_SORTING', {});
  return readPageState(pageStateKey, query, pageState);
}

function pageOfSearch({ search }: ReadRequest, limit: number | undefined): ReadPage {
  if (search?.kind !== 'words') return searchPage(limit ?? maxSearchedRows);
  return searchPage(Math.min(limit ?? usualWordRows, maxWordRows));
}

function respondWithPage(result: ReadResult, plan: FindPlan): Reply {
  const { rows, written, next } = result;
  const state = nextPageState(plan, written?.count ?? rows.length, next);
  return documentsReply(rowsText(result, plan.request.shown), state, plan.request);
}

function respondSorted(result: ReadResult, { request, skip, remaining }: FindPlan, sort: Sort): Reply {
  const { warnings } = request;
  if (result.next !== null) {
    return {
      errors: [apiError('sort', 'OVERLOADED_SORT_ROW_LIMIT', { limit: maxSortedRows, isSearch: false })],
      warnings,
    };
  }
  const rows = sortRows(result, request, sort, {
    skip,
    limit: Math.min(pageRows, remaining ?? pageRows),
  });
  const reply = documentsReply(rowsText({ ...result, rows }, request.shown), null, request);
  return { ...reply, status: [...(reply.status ?? []), ['sortedRowCount', String(result.rows.length)]] };
}

function respondFound(
  result: ReadResult,
  { request, includeSortVector }: FindPlan,
  search: RowSearch,
): Reply {
  if (result.isCut) {
    const errors = [
      apiError('sort', 'OVERLOADED_SORT_ROW_LIMIT', { limit: maxSearchedRows, isSearch: true }),
    ];
    return { errors, warnings: request.warnings };
  }
  const reply = documentsReply(rowsText(result, request.shown), null, request);
  return includeSortVector && search.kind === 'vector' ? withSortVector(reply, search) : reply;
}

function documentsReply(
  documents: JsonText,
  state: string | null,
  { columns, warnings }: ReadRequest,
): Reply {
  return {
    data: `{"documents":[${documents}],"nextPageState":${JSON.stringify(state)}}`,
    status: [['projectionSchema', describeColumns(columns)]],
    warnings,
  };
}
