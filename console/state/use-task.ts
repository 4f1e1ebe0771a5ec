// Changes that a form or a screen makes: whether one is under way, and why it failed.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { showFailure, showToast } from './toasts.js';

/**
 * Runs one task at a time; a failure stays until the next one. A task may return what closes the form, which is then
 * called, and stays under way: nothing is sent twice. A failure after the form was closed is a short message.
 * `isShown` is false once the form was closed. `stop` aborts the signal of the task; what the task throws because of
 * that is not a failure. `forget` removes the failure. Closing the form alone does not stop the task.
 */
export function useTask<Kind extends string = 'save'>() {
  const [running, setRunning] = useState<Kind>();
  const [failure, setFailure] = useState<unknown>();
  const isShown = useRef(true);
  const isRunning = useRef(false);
  const abort = useRef<AbortController | undefined>(undefined);
  useEffect(
    () => () => {
      isShown.current = false;
    },
    [],
  );
  const end = () => {
    isRunning.current = false;
    setRunning(undefined);
  };
  const run = async (kind: Kind, task: (signal: AbortSignal) => Promise<(() => void) | undefined>) => {
    if (isRunning.current) return;
    const own = new AbortController();
    abort.current = own;
    isRunning.current = true;
    setRunning(kind);
    setFailure(undefined);
    try {
      const close = await task(own.signal);
      if (close === undefined) end();
      else close();
    } catch (error) {
      end();
      if (own.signal.aborted && error === own.signal.reason) return;
      if (!isShown.current) showFailure(error, 'Failed in the background: ');
      setFailure(error);
    }
  };
  const stop = useCallback(() => abort.current?.abort(), []);
  const forget = () => setFailure(undefined);
  return { running, failure, run, stop, forget, isShown: () => isShown.current };
}

/** Does something, and shows a short message about its end. */
export async function doAndReport(
  done: string,
  task: () => Promise<unknown>,
  then: () => void,
): Promise<void> {
  try {
    await task();
    showToast(done);
    then();
  } catch (error) {
    showFailure(error);
  }
}
