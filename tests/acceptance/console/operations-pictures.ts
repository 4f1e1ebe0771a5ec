// The pictures of the operations screens, and what the server does before they are taken.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { addWebhook, askOps, createRule } from '../ops-client.js';
import type { RunningServer } from '../start-server.js';
import { sendCommand } from './open-console.js';

/** A picture: where it is taken, and what is done before. */
export interface Picture {
  readonly name: string;
  readonly path: string;
  readonly prepare?: (page: Page) => Promise<unknown>;
}

/** Long enough for charts that are more than a point. */
const loadMs = 4 * 60_000;

async function preview(page: Page): Promise<void> {
  await page.getByLabel('Threshold').fill('3');
  await page.getByLabel('For minutes').fill('1');
  await page.getByRole('button', { name: 'Preview the last day' }).click();
  await page.getByText(/would (not )?have fired/).waitFor();
}

/** The pictures, in the order of the screens. */
export const operationsPictures: readonly Picture[] = [
  { name: 'overview', path: '/#/overview' },
  { name: 'metrics', path: '/#/metrics?metric=write-ops' },
  { name: 'events', path: '/#/events' },
  { name: 'alerts', path: '/#/alerts' },
  {
    name: 'alert-notices',
    path: '/#/alerts',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Why was I not notified?' }).first().click();
      await page.getByRole('dialog').getByRole('table').waitFor();
    },
  },
  { name: 'alert-history', path: '/#/alerts?tab=history' },
  { name: 'rules', path: '/#/alerts?tab=rules' },
  { name: 'rule-preview', path: '/#/alerts?tab=rules&open=new-rule:write-ops', prepare: preview },
  { name: 'notifications', path: '/#/notifications' },
  { name: 'delivery-log', path: '/#/notifications?tab=log' },
  { name: 'actions', path: '/#/actions' },
  { name: 'archive', path: '/#/archive' },
  { name: 'keys', path: '/#/keys' },
  { name: 'clusters', path: '/#/clusters' },
];

/**
 * Makes rules, channels and keys, runs actions, and writes and reads. Resolves after some minutes; the load continues
 * until `stop` is called, so that what fires is still firing in the pictures.
 */
export async function fillOperations(server: RunningServer): Promise<{ stop(): Promise<void> }> {
  await createRule(server, {
    type: 'rolling-avg',
    metric: 'write-ops',
    threshold: 2,
    duration: 1,
    level: 'ERROR',
  });
  await createRule(server, { type: 'percentile', metric: 'read-histogram', threshold: 500, duration: 5 });
  await addWebhook(server, 'http://127.0.0.1:9/hook', { name: 'on call', levels: ['ERROR', 'CRITICAL'] });
  await addWebhook(server, 'http://127.0.0.1:9/other', { name: 'database team', levels: ['CRITICAL'] });
  for (const name of ['mistral', 'openai'])
    await askOps(server, `/local/embedding-keys/${name}`, { method: 'PUT', body: { providerKey: 'secret' } });
  for (const action of ['flush', 'repair'])
    await askOps(server, '/local/ops', { body: { action, sleep: 0 } });
  const definition = { columns: { id: 'int', total: 'decimal' }, primaryKey: 'id' };
  await sendCommand(server.url, '/default_keyspace', { createTable: { name: 'orders', definition } });
  const end = new AbortController();
  const load = keepWriting(server, end.signal);
  await Promise.race([sleep(loadMs), load]);
  return {
    stop: () => {
      end.abort();
      return load;
    },
  };
}

async function keepWriting(server: RunningServer, end: AbortSignal): Promise<void> {
  for (let id = 1; !end.aborted; id += 1) {
    await sendCommand(server.url, '/default_keyspace/orders', { insertOne: { document: { id, total: id } } });
    if (id % 2 === 0)
      await sendCommand(server.url, '/default_keyspace/orders', { findOne: { filter: { id } } });
    await sleep(110 + 90 * Math.sin(Date.now() / 40_000));
  }
}
