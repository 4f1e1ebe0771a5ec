// What a server costs when nothing is asked of it: memory and processor time.
import { startServer } from './child-process.js';
import type { Figure } from './figures.js';
import { type OpsMeasurement, serverEntry } from './ops-measurement.js';

/** What the start left behind is cleared away after this. */
const settleSeconds = 30;
const watchedSeconds = 60;

/** One server with default options, one minute. */
export const measureIdle: OpsMeasurement = async ({ directory, scale }) => {
  const server = await startServer(serverEntry, [
    'serve',
    '--port=0',
    '--ops-port=0',
    '--log-level=warn',
    `--data-dir=${directory}`,
  ]);
  try {
    await sleep(settleSeconds * Math.min(1, scale));
    const before = server.cpuSeconds();
    const seconds = watchedSeconds * Math.min(1, scale);
    await sleep(seconds);
    const share = ((server.cpuSeconds() - before) / seconds) * 100;
    const figures: readonly Figure[] = [
      {
        name: 'memory of the whole server when idle',
        value: server.residentMb(),
        unit: 'MB',
        target: { kind: 'atMost', limit: 100 },
      },
      {
        name: 'processor time of the whole server when idle, of one core',
        value: share,
        unit: '%',
        target: { kind: 'atMost', limit: 1 },
      },
      {
        name: 'start to ready',
        value: server.startToReadyMs,
        unit: 'ms',
        target: { kind: 'atMost', limit: 500 },
      },
    ];
    return figures;
  } finally {
    await server.stop();
  }
};

function sleep(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}
