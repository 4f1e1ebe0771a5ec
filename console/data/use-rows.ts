// The rows of a reading command, page after page.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type JsonObject, memberAt, writeJson } from '../json/exact-json.js';
import type { RequestFailure } from '../net/send-request.js';
import { signInCount } from '../net/session.js';
import { toFailure } from '../net/use-loaded.js';
import { type Command, documentsOf, type Remark, sendCommand } from './command.js';

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
  readonly next: string | undefined;
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

/** Loads the first page of a command, and more as they are wanted. `commandAt` makes the command of a page. */
export function useRows(key: string | undefined, commandAt: (pageState?: string) => Command | string): Rows {
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
        const page = await loadPage(commandAt, goesFirst ? nothing : current.current, own.signal);
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
    loadMore: (all = false) => {
      if (!isLoading && current.current.next !== undefined && current.current.rows.length < mostRows)
        void load(false, all);
    },
    reload: useCallback(() => setRound((count) => count + 1), []),
  };
}

async function loadPage(
  commandAt: (pageState?: string) => Command | string,
  before: Pages,
  signal: AbortSignal,
): Promise<Omit<Pages, 'key'>> {
  const command = commandAt(before.next);
  if (typeof command === 'string') throw new Error(command);
  const reply = await sendCommand(command, signal);
  const known = new Set(before.warnings.map((warning) => writeJson({ ...warning })));
  const state = memberAt(reply.data, 'nextPageState');
  return {
    rows: [...before.rows, ...documentsOf(reply)],
    warnings: [
      ...before.warnings,
      ...reply.warnings.filter((warning) => !known.has(writeJson({ ...warning }))),
    ],
    next: typeof state === 'string' ? state : undefined,
    tookMs: reply.tookMs,
    failure: undefined,
    isLoaded: true,
  };
}
