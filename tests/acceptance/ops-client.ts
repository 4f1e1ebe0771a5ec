// Talks to the operations port of a real server, makes things happen in its data service, and waits for what shows.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Alert, Event } from '../../src/ops-service/events/event.js';
import type { RunningServer } from './start-server.js';

const headers = { 'content-type': 'application/json' };
/** What takes longer than this has failed. */
const patienceMs = 90_000;

/** A request; POST where there is a body, else GET. */
export interface Asking {
  readonly method?: string;
  readonly body?: unknown;
  /** The status that the reply must have; by default that of success. */
  readonly status?: number;
}

/** The reply's JSON. Fails for another status than the wanted one. */
export async function askOps(
  { opsUrl }: Pick<RunningServer, 'opsUrl'>,
  path: string,
  { body, method = body === undefined ? 'GET' : 'POST', status }: Asking = {},
): Promise<unknown> {
  const init = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) };
  const reply = await fetch(`${opsUrl}${path}`, init);
  const text = await reply.text();
  const isWanted = status === undefined ? reply.ok : reply.status === status;
  assert.ok(isWanted, `${method} ${path}: ${reply.status} ${text}`);
  return JSON.parse(text);
}

/** Carries out a command on a keyspace (`default_keyspace`) or table (`default_keyspace/t`), without errors. */
export async function command(server: RunningServer, path: string, body: object): Promise<void> {
  const reply = await fetch(`${server.url}/v1/${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  const { errors } = (await reply.json()) as { errors?: unknown };
  assert.equal(errors, undefined);
}

/** Makes a table, which is an event. */
export function createTable(server: RunningServer, name: string): Promise<void> {
  const definition = { columns: { id: 'int' }, primaryKey: 'id' };
  return command(server, 'default_keyspace', { createTable: { name, definition } });
}

/** Makes a rule on `local`; the result is its id. */
export async function createRule(server: RunningServer, rule: object): Promise<string> {
  return String(await askOps(server, '/local/alert-rules', { body: rule }));
}

/** Adds a webhook; gives its id. */
export async function addWebhook(server: RunningServer, url: string, more: object = {}): Promise<string> {
  const body = { type: 'webhook', url, ...more };
  return String(await askOps(server, '/local/notification-channels', { body }));
}

/** The alerts of `local` that are firing. */
export async function firingAlerts(server: RunningServer): Promise<readonly Alert[]> {
  return (await askOps(server, '/local/alerts')) as Alert[]; // the wire says so
}

/** The events of `local`, oldest first; with codes only those. */
export async function eventsOf(
  server: RunningServer,
  ...actions: readonly number[]
): Promise<readonly Event[]> {
  const events = (await askOps(server, '/local/events?count=10000&reverse=0&timestamp=0')) as Event[]; // likewise
  return actions.length === 0 ? events : events.filter(({ action }) => actions.includes(action));
}

/** Asks until the answer is there. Fails with the last thing seen when it does not come. */
export async function waitFor<Found>(
  what: string,
  look: () => Promise<Found | undefined | false>,
  forMs = patienceMs,
): Promise<Found> {
  for (const deadline = Date.now() + forMs; Date.now() < deadline; await sleep(100)) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
  }
  throw new Error(`${what} did not come`);
}
