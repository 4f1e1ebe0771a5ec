// The rows of a reading command, page after page.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type JsonObject, memberAt, writeJson } from '../json/exact-json.js';
import type { RequestFailure } from '../net/send-request.js';
import { signInCount } from '../net/session.js';
import { toFailure } from '../net/use-loaded.js';
import { type Command, documentsOf, type Remark, sendCommand } from './command.js';
import { nextPage, type PageStart, type RowsQuery } from './find-command.js';
import { type Scores, scoresOf } from './search-scores.js';

/** The most rows that are kept; narrower filters reach the others. */
export const mostRows = 10_000;

/** What is loaded so far. Rows stay until those of another query have come, also when that one is refused. */
export interface Rows {
  readonly rows: readonly JsonObject[];
  /** How well each row fits a search. */
  readonly scores: Scores;
  /** What they were loaded for; undefined before the first page. */
  readonly key: string | undefined;
  readonly query: RowsQuery | undefined;
  /** Whether they are those of the query of now. */
  readonly isCurrent: boolean;
  readonly warnings: readonly Remark[];
  readonly failure: RequestFailure | undefined;
  readonly isLoading: boolean;
  readonly hasMore: boolean;
  /** The service has more rows, but the screen keeps no more. */
  readonly isFull: boolean;
  /** A sort in memory: it has no page state, so the server sorts all rows again for each page. */
  readonly isSortedAgain: boolean;
  readonly tookMs: number;
  /** Loads the next page, or all pages up to `mostRows`. */
  readonly loadMore: (all?: boolean) => void;
  readonly reload: () => void;
}

interface Pages {
  readonly key: string | undefined;
  readonly query: RowsQuery | undefined;
  readonly rows: readonly JsonObject[];
  readonly scores: Scores;
  readonly warnings: readonly Remark[];
  readonly next: PageStart | undefined;
  readonly tookMs: number;
}

const nothing: Pages = {
  key: undefined,
  query: undefined,
  rows: [],
  scores: new Map(),
  warnings: [],
  next: undefined,
  tookMs: 0,
};

/** What reads rows: for each `key` from the beginning; `commandAt` makes the command of a page. */
export interface RowsSource {
  /** Undefined where there is nothing to send. */
  readonly key: string | undefined;
  readonly query: RowsQuery;
  readonly commandAt: (start?: PageStart) => Command | string;
}

/** Why the rows of a key could not be loaded. */
interface Failed {
  readonly key: string;
  readonly failure: RequestFailure;
}

/** Loads the first page of a command, and more as they are wanted. */
export function useRows(source: RowsSource): Rows {
  const { key } = source;
  const [pages, setPages] = useState<Pages>(nothing);
  const [failed, setFailed] = useState<Failed>();
  const [isLoading, setLoading] = useState(false);
  const [round, setRound] = useState(0);
  const current = useRef(nothing);
  const abort = useRef<AbortController | undefined>(undefined);
  const load = async (ofKey: string, isFirst: boolean, all: boolean) => {
    abort.current?.abort();
    const own = new AbortController();
    abort.current = own;
    setLoading(true);
    try {
      let goesFirst = isFirst;
      do {
        const page = await loadPage(source, goesFirst ? nothing : current.current, own.signal);
        goesFirst = false;
        current.current = { key: ofKey, query: source.query, ...page };
        setPages(current.current);
        setFailed(undefined);
      } while (all && current.current.next !== undefined && current.current.rows.length < mostRows);
    } catch (error) {
      if (own.signal.aborted) return;
      setFailed({ key: ofKey, failure: toFailure(error) });
    }
    setLoading(false);
  };
  const signIns = signInCount.value;
  useEffect(() => {
    if (key === undefined) {
      setLoading(false);
      return undefined;
    }
    void load(key, true, false);
    return () => abort.current?.abort();
  }, [key, round, signIns]);
  const { rows, scores, query, warnings, next, tookMs } = pages;
  const isCurrent = key !== undefined && pages.key === key;
  return {
    ...{ rows, scores, query, warnings, isLoading, isCurrent, tookMs, key: pages.key },
    failure: failed !== undefined && failed.key === key ? failed.failure : undefined,
    hasMore: isCurrent && next !== undefined && rows.length < mostRows,
    isSortedAgain: next !== undefined && 'skip' in next,
    isFull: next !== undefined && rows.length >= mostRows,
    loadMore: (all = false) => {
      const { key: loadedKey, next: following, rows: loaded } = current.current;
      const isNext = loadedKey === key && following !== undefined && loaded.length < mostRows;
      if (!isLoading && key !== undefined && isNext) void load(key, false, all);
    },
    reload: useCallback(() => setRound((count) => count + 1), []),
  };
}

async function loadPage(
  { query, commandAt }: RowsSource,
  before: Pages,
  signal: AbortSignal,
): Promise<Omit<Pages, 'key' | 'query'>> {
  const command = commandAt(before.next);
  if (typeof command === 'string') throw new Error(command);
  const reply = await sendCommand(command, signal);
  const known = new Set(before.warnings.map((warning) => writeJson({ ...warning })));
  const found = documentsOf(reply);
  const rows = [...before.rows, ...found];
  const state = memberAt(reply.data, 'nextPageState');
  return {
    rows,
    scores: new Map([...before.scores, ...scoresOf(command, reply, before.rows.length)]),
    warnings: [
      ...before.warnings,
      ...reply.warnings.filter((warning) => !known.has(writeJson({ ...warning }))),
    ],
    next: nextPage(query, { state, rows: found.length, shown: rows.length }),
    tookMs: reply.tookMs,
  };
}
