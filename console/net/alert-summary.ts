// How many alerts fire in each cluster: loaded once for all screens, and again after each change.
import { effect, signal } from '@preact/signals';
import { isList, type Json, memberAt, plainText } from '../json/exact-json.js';
import { sendRequest } from './send-request.js';
import { needsSignIn, signInCount } from './session.js';

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

/** Loads the numbers now, at an interval while the tab is shown, after a sign-in and after a change. Called once. */
export function followAlerts(): void {
  effect(() => {
    void signInCount.value;
    void changeCount.value;
    void load();
  });
  setInterval(() => {
    if (!document.hidden && needsSignIn.peek() === undefined) void load();
  }, everyMs);
  addEventListener('visibilitychange', () => {
    if (!document.hidden) void load();
  });
}

let loading = 0;

async function load(): Promise<void> {
  const turn = ++loading;
  try {
    const reply = await sendRequest('console/alerts');
    // A later request may have a newer reply already.
    if (turn === loading && isList(reply)) alertSummaries.value = reply.map(summaryOf);
  } catch {
    // The screens show why the server does not answer.
  }
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
