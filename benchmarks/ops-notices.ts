// How long it takes until a webhook is notified of many alerts that fire at the same time.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startServer } from './child-process.js';
import { type OpsMeasurement, serverEntry } from './ops-measurement.js';

/** One for each of the rules that a cluster may have. */
const alertCount = 1000;
const headers = { 'content-type': 'application/json' };

/** The alerts fire while notifications are off; the time runs from switching on to the last notice. */
export const measureNotices: OpsMeasurement = async ({ directory, scale }) => {
  const count = Math.max(1, Math.round(alertCount * Math.min(1, scale)));
  const received = new Set<string>();
  const receiver = await startReceiver(received);
  const args = ['serve', '--port=0', '--ops-port=0', '--log-level=warn', '--metrics-interval-seconds=1'];
  const server = await startServer(serverEntry, [...args, `--data-dir=${directory}`]);
  const send = async (path: string, body?: unknown, method = body === undefined ? 'GET' : 'POST') => {
    const init = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) };
    const reply = await fetch(`http://127.0.0.1:${server.opsPort()}${path}`, init);
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
    return reply.json();
  };
  try {
    // It listens on a port, not on a pipe.
    const { port } = receiver.address() as AddressInfo;
    await send('/local/notification-channels', { type: 'webhook', url: `http://127.0.0.1:${port}/` });
    await send('/local/events/notifications-enabled', false, 'PUT');
    const rule = { type: 'rolling-avg', metric: 'os-memory-used', threshold: 0, duration: 0 };
    for (let made = 0; made < count; made += 1) await send('/local/alert-rules', rule);
    const fired = async () => ((await send('/local/alerts')) as readonly unknown[]).length;
    while ((await fired()) < count) await new Promise((resolve) => setTimeout(resolve, 200));
    const startMs = performance.now();
    await send('/local/events/notifications-enabled', true, 'PUT');
    while (received.size < count) await new Promise((resolve) => setTimeout(resolve, 5));
    const seconds = (performance.now() - startMs) / 1000;
    return [
      {
        name: `${count} alerts at once reach a webhook`,
        value: seconds,
        unit: 's',
        target: { kind: 'atMost', limit: 5 },
      },
    ];
  } finally {
    await server.stop();
    receiver.closeAllConnections();
    receiver.close();
  }
};

async function startReceiver(received: Set<string>): Promise<Server> {
  const receiver = createServer((incoming, response) => {
    received.add(String(incoming.headers['idempotency-key']));
    incoming.resume().on('end', () => response.end());
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  return receiver;
}
