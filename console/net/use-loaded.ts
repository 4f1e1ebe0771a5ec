// Loads what a component shows: again when its key changes, after a sign-in, and by itself at an interval.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { RequestFailure } from './send-request.js';
import { signInCount } from './session.js';
import { whenDue } from './when-due.js';

/** What is known of something that is loaded. */
export interface Loaded<T> {
  /** The last value; it stays while the same key is loaded again, also when that fails. */
  readonly value: T | undefined;
  readonly failure: RequestFailure | undefined;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/** When to load again. */
export interface LoadOptions {
  /** The time from a reply to the next request. Nothing is requested while the tab is hidden. */
  readonly everyMs?: number;
  /** A new number loads the same key again; the last value stays meanwhile. */
  readonly changes?: number;
}

/** Loads with `load` for each new `key`; an undefined key loads nothing. Replies for an older key are dropped. */
export function useLoaded<T>(
  key: string | undefined,
  load: (signal: AbortSignal) => Promise<T>,
  { everyMs, changes = 0 }: LoadOptions = {},
): Loaded<T> {
  const [state, setState] = useState<LoadState<T>>({ key: undefined, value: undefined, failure: undefined });
  const [round, setRound] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  const reload = useCallback(() => setRound((count) => count + 1), []);
  const signIns = signInCount.value;
  const [settled, setSettled] = useState('');
  const wanted = `${round}/${changes}/${signIns}/${key}`;
  useEffect(() => {
    if (key === undefined) return undefined;
    const abort = new AbortController();
    latest
      .current(abort.signal)
      .then(
        (value) => setIfCurrent(abort.signal, () => setState({ key, value, failure: undefined })),
        (error: unknown) =>
          setIfCurrent(abort.signal, () =>
            setState((before) => ({
              key,
              value: before.key === key ? before.value : undefined,
              failure: toFailure(error),
            })),
          ),
      )
      .finally(() => setIfCurrent(abort.signal, () => setSettled(wanted)));
    return () => abort.abort();
  }, [key, wanted]);
  const isLoading = key !== undefined && settled !== wanted;
  useEffect(() => {
    if (everyMs === undefined || key === undefined || isLoading) return undefined;
    return whenDue(everyMs, reload);
  }, [everyMs, wanted, isLoading, reload]);
  const isCurrent = state.key === key;
  return {
    value: isCurrent ? state.value : undefined,
    failure: isCurrent ? state.failure : undefined,
    isLoading,
    reload,
  };
}

interface LoadState<T> {
  readonly key: string | undefined;
  readonly value: T | undefined;
  readonly failure: RequestFailure | undefined;
}

/** Errors of the language: mistakes in the code of the console. The messages of other errors are for its user. */
const mistakes = [TypeError, RangeError, ReferenceError, SyntaxError];

/** Any error as a failure that can be shown. Its kind is empty for a problem that the console itself describes. */
export function toFailure(error: unknown): RequestFailure {
  if (error instanceof RequestFailure) return error;
  if (!(error instanceof Error)) return new RequestFailure(0, 'ConsoleFault', String(error));
  const isMistake = mistakes.some((kind) => error instanceof kind);
  return new RequestFailure(0, isMistake ? 'ConsoleFault' : '', error.message);
}

function setIfCurrent(signal: AbortSignal, set: () => void): void {
  if (!signal.aborted) set();
}
