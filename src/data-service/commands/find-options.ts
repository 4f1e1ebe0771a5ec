// What find has in common on tables and on collections: options, page states, the pages of reads.
import { type PagedQuery, type PageStateKey, writePageState } from '../query/page-state.js';
import { pageRows, type ReadPage } from '../query/read.js';
import { rowsPage } from '../query/read-request.js';
import type { Position } from '../query/row-order.js';
import { flag, optionalInteger, optionalSkip, optionalText, options } from './shape.js';

/** The options of findOne. */
export const findOneOptions = options({ includeSimilarity: flag, includeSortVector: flag });

/** The fields of a page state, which has two names. */
export const pageStateFields = { pageState: optionalText, pagingState: optionalText };

export const findOptions = options({
  limit: optionalInteger(1),
  skip: optionalSkip,
  ...pageStateFields,
  includeSimilarity: flag,
  includeSortVector: flag,
});

/** The page state of a command; empty for the first page. */
export function givenPageState({
  pageState,
  pagingState,
}: Readonly<Record<keyof typeof pageStateFields, string | undefined>>): string {
  return pageState ?? pagingState ?? '';
}

export interface PagedRead {
  readonly query: PagedQuery;
  /** The number of rows that this and the following pages may still return; null without a limit. */
  readonly remaining: number | null;
  readonly pageStateKey: PageStateKey;
}

/** The page of a read by pages. The last one may end early because of its size, so its position can be needed. */
export function nextPage(remaining: number | null, after: Position | null): ReadPage {
  return remaining === null || remaining > pageRows
    ? rowsPage(after, pageRows, 'paged')
    : rowsPage(after, remaining, 'last');
}

/** The page state behind a page of `count` rows; null if no page follows. */
export function nextPageState(
  { query, remaining, pageStateKey }: PagedRead,
  count: number,
  next: Position | null,
): string | null {
  const left = remaining === null ? null : remaining - count;
  if (next === null || left === 0) return null;
  return writePageState(pageStateKey, query, { position: next, remaining: left });
}
