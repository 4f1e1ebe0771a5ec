// The servers of one benchmark and their data, gone when it ends.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ServerProcess, startServer } from './child-process.js';
import { describeMachine, type Figure, formatFigures } from './figures.js';
import type { LoadRuns } from './load-runs.js';

/** Starts a script that takes the options of `colonnade serve`. */
export type Start = (
  entry: string,
  dataDirectory: string,
  ...more: readonly string[]
) => Promise<ServerProcess>;

/** Measures in a directory, prints the figures, and stops what was started. Failed requests make the process fail. */
export async function runBenchmark(
  name: string,
  runs: LoadRuns,
  measure: (start: Start, directory: string) => Promise<readonly Figure[]>,
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), `colonnade-bench-${name}-`));
  const running: ServerProcess[] = [];
  try {
    const figures = await measure(async (entry, dataDirectory, ...more) => {
      const args = [
        'serve',
        '--port',
        '0',
        '--ops-port',
        '0',
        '--data-dir',
        join(directory, dataDirectory),
        ...more,
      ];
      const server = await startServer(entry, args);
      running.push(server);
      return server;
    }, directory);
    const { rowCount, rounds, seconds } = runs.settings;
    const circumstances = `${describeMachine()}; ${rowCount} rows, ${rounds} × ${seconds} s`;
    console.log(`\n${formatFigures(figures)}\n\n${circumstances}`);
    if (runs.errorCount > 0) {
      console.log(`${runs.errorCount} requests failed: the figures are worth nothing`);
      process.exitCode = 1;
    }
  } finally {
    for (const server of running) await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Sends one command that must succeed. */
export async function sendCommand(port: number, path: string, body: unknown): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { token: 'benchmark', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (response.status !== 200 || text.includes('"errors"'))
    throw new Error(`${JSON.stringify(body)}: ${text}`);
}

/** The path of a built file, given from here. */
export function builtFile(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
