// Changes that a screen makes: whether one is under way, and why it failed.
import { useState } from 'preact/hooks';
import { showToast } from '../state/toasts.js';

/** Runs one task at a time; a failure stays until the next one. */
export function useTask<Kind extends string = 'save'>() {
  const [running, setRunning] = useState<Kind>();
  const [failure, setFailure] = useState<unknown>();
  const run = async (kind: Kind, task: () => Promise<void>) => {
    setRunning(kind);
    setFailure(undefined);
    try {
      await task();
    } catch (error) {
      setFailure(error);
    }
    setRunning(undefined);
  };
  return { running, failure, run };
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
    showToast(error instanceof Error ? error.message : String(error), 'failed');
  }
}
