// find and findOne on a collection (wire: find, findOne of documents).
import { JsonNumber, type JsonValue } from '../../../foundation/json/json-value.js';
import { apiError } from '../../errors/api-error.js';
import { invalidFieldValue } from '../../errors/request-problems.js';
import {
  type PagedQuery,
  type PageState,
  pageStateField,
  readPageState,
  refusedPageState,
} from '../../query/page-state.js';
import { pageRows } from '../../query/read.js';
import { OutdatedPosition } from '../../query/row-order.js';
import { maxSearchedRows } from '../../query/vector-search.js';
import { usualWordRows } from '../../query/word-search.js';
import { collectionCommand } from '../command.js';
import {
  findOneOptions,
  findOptions,
  givenPageState,
  nextPage,
  nextPageState,
  type PagedRead,
} from '../find-options.js';
import { anything, object } from '../shape.js';
import {
  type DocumentRead,
  type DocumentWindow,
  documentsText,
  parseDocumentRead,
  readDocumentRows,
  readWithVector,
  sortVectorStatus,
  textsOfRead,
} from './document-read.js';
import { filterClause } from './shapes.js';

interface FindPlan extends PagedRead {
  readonly read: DocumentRead;
  readonly window: DocumentWindow;
  readonly pageState: string;
  readonly includeSimilarity: boolean;
  readonly includeSortVector: boolean;
}

/** find on a collection. */
export const findDocuments = collectionCommand({
  name: 'find',
  help: 'Reads the documents that match, 50 in a page. A sort by paths has one page of at most 50 documents, out of at most 10,000 that match; a sort by `$vector`, `$vectorize` or `$lexical` has one page of at most 1,000.',
  kind: 'read',
  shape: object({
    filter: filterClause,
    projection: anything('an object of paths and 1 or 0'),
    sort: anything('an object of paths and 1 or -1, or of `$vector`, `$vectorize` or `$lexical`'),
    options: findOptions,
  }),
  plan: (command, { collection, pageStateKey }): FindPlan => {
    const { filter, projection, sort, options: given } = command;
    const { limit, skip, includeSimilarity, includeSortVector } = given;
    const pageState = givenPageState(given);
    const read = parseDocumentRead({ filter, projection, sort }, collection);
    const query: PagedQuery = { table: collection, filter, order: null };
    refuseOptions(read, sort, { limit, skip, pageState });
    const state = pageState === '' ? undefined : readPageState(pageStateKey, query, pageState);
    const remaining = state === undefined ? (limit ?? null) : state.remaining;
    const window = { ...windowOf(read, limit, skip, remaining, state), command };
    const shown = includeSimilarity && (read.order.kind === 'vector' || read.order.kind === 'vectorize');
    return {
      read,
      window,
      query,
      pageState,
      remaining,
      includeSimilarity: shown,
      includeSortVector,
      pageStateKey,
    };
  },
  textsToEmbed: ({ read }) => textsOfRead(read),
  withEmbeddings: (plan, [vector]) => ({ ...plan, read: readWithVector(plan.read, vector) }),
  execute: async ({ read, window, pageState }, engine) => {
    try {
      return await readDocumentRows(read, window, engine);
    } catch (error) {
      if (error instanceof OutdatedPosition) throw refusedPageState(pageState);
      throw error;
    }
  },
  respond: (found, plan) => {
    const { read, includeSimilarity, includeSortVector } = plan;
    const documents = documentsText(found, read, includeSimilarity);
    return {
      data: `{"documents":[${documents}],"nextPageState":${JSON.stringify(nextPageState(plan, found.rows.length, found.next))}}`,
      status: sortVectorStatus(read, includeSortVector),
    };
  },
});

/** findOne on a collection. */
export const findOneDocument = collectionCommand({
  name: 'findOne',
  help: 'Reads the first document that matches, in the order of the sort.',
  kind: 'read',
  shape: object({
    filter: filterClause,
    projection: anything('an object of paths and 1 or 0'),
    sort: anything('as for find'),
    options: findOneOptions,
  }),
  plan: (command, { collection }) => {
    const { filter, projection, sort, options: given } = command;
    const read = parseDocumentRead({ filter, projection, sort }, collection);
    return { read, command, ...given };
  },
  textsToEmbed: ({ read }) => textsOfRead(read),
  withEmbeddings: (plan, [vector]) => ({ ...plan, read: readWithVector(plan.read, vector) }),
  execute: ({ read, command }, engine) => readDocumentRows(read, { limit: 1, command }, engine),
  respond: (found, { read, includeSimilarity, includeSortVector }) => {
    const document = documentsText(found, read, includeSimilarity && read.order.kind === 'vector');
    return {
      data: `{"document":${document === '' ? 'null' : document}}`,
      status: sortVectorStatus(read, includeSortVector),
    };
  },
});

interface GivenWindow {
  readonly limit: number | undefined;
  readonly skip: number | undefined;
  readonly pageState: string;
}

/** @throws ApiError for options that the sort does not allow */
function refuseOptions(
  { order }: DocumentRead,
  sort: JsonValue | undefined,
  { limit, skip, pageState }: GivenWindow,
): void {
  const isSearch = order.kind === 'vector' || order.kind === 'vectorize';
  if (skip !== undefined && (sort ?? null) === null)
    throw invalidFieldValue('command.options.skip', new JsonNumber(String(skip)), 'it needs a sort');
  if (skip !== undefined && (isSearch || order.kind === 'lexical'))
    throw invalidFieldValue(
      'command.options.skip',
      new JsonNumber(String(skip)),
      'a search returns its first documents',
    );
  // With `$vectorize` and `$lexical` the public API returns fewer.
  if (order.kind === 'vector' && (limit ?? 0) > maxSearchedRows)
    throw invalidFieldValue(
      'command.options.limit',
      new JsonNumber(String(limit)),
      `a vector search returns at most ${maxSearchedRows}`,
    );
  if (pageState !== '' && order.kind !== 'none')
    throw apiError('sort', 'SORT_CLAUSE_INVALID', {
      problem: `with a sort there is one page, and no ${pageStateField}`,
    });
}

function windowOf(
  { order }: DocumentRead,
  limit: number | undefined,
  skip: number | undefined,
  remaining: number | null,
  state: PageState | undefined,
): Omit<DocumentWindow, 'command'> {
  switch (order.kind) {
    case 'vector':
    case 'vectorize':
      return { limit: Math.min(limit ?? maxSearchedRows, maxSearchedRows) };
    case 'lexical':
      return { limit: Math.min(limit ?? usualWordRows, maxSearchedRows) };
    case 'paths':
      return { limit: Math.min(limit ?? pageRows, pageRows), skip: skip ?? 0 };
    case 'none':
      return nextPage(remaining, state?.position ?? null);
  }
}
