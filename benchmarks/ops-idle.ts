// What a server costs when nothing is asked of it: memory and processor time.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startServer } from './child-process.js';
import type { Figure } from './figures.js';
import { type OpsMeasurement, serverEntry } from './ops-measurement.js';

/** What the start left behind is cleared away after this. */
const settleSeconds = 30;
const watchedSeconds = 60;

/** The server built from single modules, as the one without operations is: only so their memory can be compared. */
const wholeEntry = fileURLToPath(new URL('../src/bin/colonnade.js', import.meta.url));
const withoutOpsEntry = fileURLToPath(new URL('serve-without-ops.js', import.meta.url));

interface IdleServer {
  readonly residentMb: number;
  /** Processor time, percent of one core. */
  readonly cpuPercent: number;
  readonly startToReadyMs: number;
}

/** Servers with default options and one node, a minute each, and what the operations service adds. */
export const measureIdle: OpsMeasurement = async ({ directory, scale }) => {
  const server = await watchIdle(serverEntry, join(directory, 'server'), scale);
  const whole = await watchIdle(wholeEntry, join(directory, 'whole'), scale);
  const without = await watchIdle(withoutOpsEntry, join(directory, 'without'), scale);
  const atMost = (name: string, value: number, unit: string, limit: number): Figure => {
    return { name, value, unit, target: { kind: 'atMost', limit } };
  };
  return [
    atMost('memory of the whole server when idle', server.residentMb, 'MB', 100),
    atMost('processor time of the whole server when idle, of one core', server.cpuPercent, '%', 1),
    atMost('start to ready', server.startToReadyMs, 'ms', 500),
    atMost('memory that the operations service adds', whole.residentMb - without.residentMb, 'MB', 30),
    atMost('processor time that it adds, of one core', whole.cpuPercent - without.cpuPercent, '%', 1),
  ];
};

async function watchIdle(entry: string, dataDir: string, scale: number): Promise<IdleServer> {
  const args = ['serve', '--port=0', '--ops-port=0', '--log-level=warn', `--data-dir=${dataDir}`];
  const server = await startServer(entry, args);
  try {
    await sleep(settleSeconds * Math.min(1, scale));
    const before = server.cpuSeconds();
    const seconds = watchedSeconds * Math.min(1, scale);
    await sleep(seconds);
    return {
      residentMb: server.residentMb(),
      cpuPercent: ((server.cpuSeconds() - before) / seconds) * 100,
      startToReadyMs: server.startToReadyMs,
    };
  } finally {
    await server.stop();
  }
}

function sleep(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}
