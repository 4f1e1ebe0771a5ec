// Asks the operations port of a real server, and waits for what it shows.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningServer } from './start-server.js';

/** An alert of `GET /{cluster_id}/alerts`. */
export interface ShownAlert {
  readonly id: string;
  readonly alert_rule_id: string;
  readonly state: string;
  readonly current_value: number;
  readonly first_fired: number;
}

/** An event of `GET /{cluster_id}/events`. */
export interface ShownEvent {
  readonly action: number;
  readonly message: string;
  readonly time: string;
}

/** What takes longer than this has failed. */
const patienceMs = 90_000;

/** The reply's JSON. Fails for another status than the wanted one. */
export async function askOps(
  { opsUrl }: Pick<RunningServer, 'opsUrl'>,
  path: string,
  {
    method,
    body,
    status,
  }: { readonly method?: string; readonly body?: unknown; readonly status?: number } = {},
): Promise<unknown> {
  const response = await fetch(`${opsUrl}${path}`, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  const text = await response.text();
  const wanted = status ?? (method === undefined && body !== undefined ? 201 : 200);
  assert.equal(response.status, wanted, `${path}: ${text}`);
  return JSON.parse(text);
}

/** Makes a rule on `local`; the result is its id. */
export async function createRule(server: RunningServer, rule: object): Promise<string> {
  return String(await askOps(server, '/local/alert-rules', { body: rule }));
}

/** The alerts of `local` that are firing. */
export async function firingAlerts(server: RunningServer): Promise<readonly ShownAlert[]> {
  return (await askOps(server, '/local/alerts')) as ShownAlert[]; // the wire says so
}

/** The events of `local` with these codes, oldest first. */
export async function eventsOf(
  server: RunningServer,
  ...actions: readonly number[]
): Promise<readonly ShownEvent[]> {
  const events = (await askOps(server, '/local/events?count=10000')) as ShownEvent[]; // the wire says so
  return events.filter(({ action }) => actions.includes(action)).reverse();
}

/** Asks until the answer is there. Fails with the last thing seen when it does not come. */
export async function waitFor<Found>(
  what: string,
  look: () => Promise<Found | undefined | false>,
): Promise<Found> {
  for (const deadline = Date.now() + patienceMs; Date.now() < deadline; await sleep(100)) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
  }
  throw new Error(`${what} did not come`);
}
