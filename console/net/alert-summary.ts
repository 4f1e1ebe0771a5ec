// How many alerts fire in each cluster: loaded once for all screens, and again after each change.
import { effect, signal } from '@preact/signals';
import type { AlertSummary } from '../../src/descriptions/operations-replies.js';
import { read } from './ops-api.js';
import { needsSignIn, signInCount } from './session.js';
import { whenDue } from './when-due.js';

/** One for each cluster; undefined until they are loaded. The last ones stay when loading fails. */
export const alertSummaries = signal<readonly AlertSummary[] | undefined>(undefined);

const everyMs = 5000;
const changeCount = signal(0);

/** Loads the numbers again: an alert, a silence or a channel was changed here. */
export function noteAlertChange(): void {
  changeCount.value += 1;
}

/**
 * Loads the numbers now, after a sign-in, after a change, and some seconds after each reply while the tab is shown. One
 * request is under way at a time. The page calls this function once.
 */
export function followAlerts(): void {
  effect(() => {
    void signInCount.value;
    void changeCount.value;
    void load();
  });
}

let isLoading = false;
/** Whether something changed while a request was under way: its reply may be older than the change. */
let isOutdated = false;
let cancelNext = () => {};

async function load(): Promise<void> {
  isOutdated = isLoading;
  if (isLoading) return;
  isLoading = true;
  cancelNext();
  try {
    alertSummaries.value = await read<readonly AlertSummary[]>('console/alerts');
  } catch {
    // The screens show why the server does not answer.
  } finally {
    isLoading = false;
  }
  if (isOutdated) void load();
  else loadLater();
}

/** Loads the numbers after some time. As long as a sign-in is needed, it waits again. */
function loadLater(): void {
  cancelNext = whenDue(everyMs, () => {
    if (needsSignIn.peek() === undefined) void load();
    else loadLater();
  });
}
