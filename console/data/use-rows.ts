// The rows of a reading command, page after page.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type JsonObject, memberAt, writeJson } from '../json/exact-json.js';
import type { RequestFailure } from '../net/send-request.js';
import { signInCount } from '../net/session.js';
import { toFailure } from '../net/use-loaded.js';
import { type Command, documentsOf, type Remark, sendCommand } from './command.js';
import { nextPage, type PageStart, type RowsQuery } from './find-command.js';

/** The most rows that are kept; narrower filters reach the others. */
export const mostRows = 10_000;

/** What is loaded so far. */
export interface Rows {
  readonly rows: readonly JsonObject[];
  readonly warnings: readonly Remark[];
  readonly failure: RequestFailure | undefined;
  readonly isLoading: boolean;
  /** The first page is there. */
  readonly isLoaded: boolean;
  readonly hasMore: boolean;
  /** There are more, but no more are kept. */
  readonly isFull: boolean;
  /** A sort in memory: it has no page state, so the server sorts all rows again for each page. */
  readonly isSortedAgain: boolean;
  readonly tookMs: number;
  /** Loads the next page, or all pages up to `mostRows`. */
  readonly loadMore: (all?: boolean) => void;
  readonly reload: () => void;
}

interface Pages {
  /** What they were loaded for. */
  readonly key: string | undefined;
  readonly rows: readonly JsonObject[];
  readonly warnings: readonly Remark[];
  readonly next: PageStart | undefined;
  readonly tookMs: number;
  readonly failure: RequestFailure | undefined;
  readonly isLoaded: boolean;
}

const nothing: Pages = {
  key: undefined,
  rows: [],
  warnings: [],
  next: undefined,
  tookMs: 0,
  failure: undefined,
  isLoaded: false,
};

/** What reads rows: for each `key` from the beginning; `commandAt` makes the command of a page. */
export interface RowsSource {
  /** Undefined where there is nothing to send. */
  readonly key: string | undefined;
  readonly query: RowsQuery;
  readonly commandAt: (start?: PageStart) => Command | string;
}

/** Loads the first page of a command, and more as they are wanted. */
export function useRows(source: RowsSource): Rows {
  const { key } = source;
  const [pages, setPages] = useState<Pages>(nothing);
  const [isLoading, setLoading] = useState(false);
  const [round, setRound] = useState(0);
  const current = useRef(nothing);
  const abort = useRef<AbortController | undefined>(undefined);
  const keep = (next: Pages) => {
    current.current = next;
    setPages(next);
  };
  const load = async (isFirst: boolean, all: boolean) => {
    abort.current?.abort();
    const own = new AbortController();
    abort.current = own;
    setLoading(true);
    try {
      let goesFirst = isFirst;
      do {
        const page = await loadPage(source, goesFirst ? nothing : current.current, own.signal);
        goesFirst = false;
        keep({ key, ...page });
      } while (all && current.current.next !== undefined && current.current.rows.length < mostRows);
    } catch (error) {
      if (own.signal.aborted) return;
      // Rows of the same command stay when loading them again fails.
      const kept = current.current.key === key ? current.current : nothing;
      keep({ ...kept, failure: toFailure(error), isLoaded: true });
    }
    setLoading(false);
  };
  const signIns = signInCount.value;
  useEffect(() => {
    if (key === undefined) {
      keep(nothing);
      return undefined;
    }
    void load(true, false);
    return () => abort.current?.abort();
  }, [key, round, signIns]);
  const { rows, warnings, failure, next, tookMs, isLoaded } = pages;
  return {
    ...{ rows, warnings, failure, isLoading, tookMs, isLoaded },
    hasMore: next !== undefined && rows.length < mostRows,
    isSortedAgain: next !== undefined && 'skip' in next,
    isFull: next !== undefined && rows.length >= mostRows,
    loadMore: (all = false) => {
      if (!isLoading && current.current.next !== undefined && current.current.rows.length < mostRows)
        void load(false, all);
    },
    reload: useCallback(() => setRound((count) => count + 1), []),
  };
}

async function loadPage(
  { query, commandAt }: RowsSource,
  before: Pages,
  signal: AbortSignal,
): Promise<Omit<Pages, 'key'>> {
  const command = commandAt(before.next);
  if (typeof command === 'string') throw new Error(command);
  const reply = await sendCommand(command, signal);
  const known = new Set(before.warnings.map((warning) => writeJson({ ...warning })));
  const found = documentsOf(reply);
  const rows = [...before.rows, ...found];
  const state = memberAt(reply.data, 'nextPageState');
  return {
    rows,
    warnings: [
      ...before.warnings,
      ...reply.warnings.filter((warning) => !known.has(writeJson({ ...warning }))),
    ],
    next: nextPage(query, { state, rows: found.length, shown: rows.length }),
    tookMs: reply.tookMs,
    failure: undefined,
    isLoaded: true,
  };
}
