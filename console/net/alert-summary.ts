// How many alerts fire in each cluster: loaded once for all screens, and again after each change.
import { effect, signal } from '@preact/signals';
import { isList, type Json, memberAt, plainText } from '../json/exact-json.js';
import { sendRequest } from './send-request.js';
import { needsSignIn, signInCount } from './session.js';
import { whenDue } from './when-due.js';

/** The alerts of a cluster in numbers. */
export interface AlertSummary {
  readonly cluster: string;
  readonly firing: number;
  /** How many of the firing ones are neither acknowledged nor silenced. */
  readonly open: number;
  /** The highest level of the open ones; empty if there are none. */
  readonly level: string;
  readonly channels: number;
  readonly isNotifying: boolean;
}

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
    const reply = await sendRequest('console/alerts');
    if (isList(reply)) alertSummaries.value = reply.map(summaryOf);
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

function summaryOf(one: Json): AlertSummary {
  const text = (name: string) => plainText(memberAt(one, name));
  const count = (name: string) => Number(text(name));
  return {
    cluster: text('cluster'),
    firing: count('firing'),
    open: count('open'),
    level: memberAt(one, 'level') === null ? '' : text('level'),
    channels: count('channels'),
    isNotifying: memberAt(one, 'notifications_enabled') === true,
  };
}
