// Code that is loaded when it is first needed. After a failure it is loaded again by itself.
import { useEffect, useState } from 'preact/hooks';
import { sendRequest } from '../net/send-request.js';
import { signInCount } from '../net/session.js';

/** A part of the console in a file of its own. */
export interface Part<Code> {
  readonly load: () => Promise<Code>;
  /** Undefined until it is loaded. */
  code: Code | undefined;
}

/** A part that is not loaded yet. */
export function partOf<Code>(load: () => Promise<Code>): Part<Code> {
  return { load, code: undefined };
}

const firstPauseMs = 1000;
const longestPauseMs = 30_000;

/** The code of a part once it is there, and whether loading it has failed so far. */
export function usePart<Code>(part: Part<Code>): {
  readonly code: Code | undefined;
  readonly hasFailed: boolean;
} {
  const [hasFailed, setFailed] = useState(false);
  const [, setLoaded] = useState(false);
  // It counts when the server is back, too: then nobody waits for the end of a pause.
  const signIns = signInCount.value;
  useEffect(() => {
    if (part.code !== undefined) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isGone = false;
    const load = (pauseMs: number) =>
      part.load().then(
        (code) => {
          part.code = code;
          setLoaded(true);
        },
        () => {
          if (isGone) return;
          setFailed(true);
          // Where there is no server, this says so above the screen, and asks until there is one.
          sendRequest('console/facts').catch(() => {});
          timer = setTimeout(() => void load(Math.min(longestPauseMs, pauseMs * 2)), pauseMs);
        },
      );
    void load(firstPauseMs);
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [signIns]);
  return { code: part.code, hasFailed };
}
