// Talks to the operations port of a real server, and makes things happen in its data service.
import assert from 'node:assert/strict';
import type { Event } from '../../src/ops-service/events/event.js';
import type { RunningServer } from './start-server.js';

const headers = { 'content-type': 'application/json' };

/** Sends to the operations port; the status must be 200 or 201. */
export async function ops(
  server: RunningServer,
  path: string,
  body?: unknown,
  method = body === undefined ? 'GET' : 'POST',
): Promise<unknown> {
  const init = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) };
  const reply = await fetch(`${server.opsUrl}${path}`, init);
  const text = await reply.text();
  assert.ok(reply.ok, `${method} ${path}: ${reply.status} ${text}`);
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

/** All events of `local`, oldest first. */
export async function events(server: RunningServer): Promise<readonly Event[]> {
  return (await ops(server, '/local/events?count=10000&reverse=0&timestamp=0')) as Event[];
}

/** Adds a webhook; gives its id. */
export async function addWebhook(server: RunningServer, url: string, more: object = {}): Promise<string> {
  return String(await ops(server, '/local/notification-channels', { type: 'webhook', url, ...more }));
}
