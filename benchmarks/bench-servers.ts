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

/** Runs `use` with a directory and a way to start servers in it; both are gone when it ends. */
export async function withServers<Result>(
  name: string,
  use: (start: Start, directory: string) => Promise<Result>,
): Promise<Result> {
  const directory = mkdtempSync(join(tmpdir(), `colonnade-bench-${name}-`));
  const running: ServerProcess[] = [];
  try {
    return await use(async (entry, dataDirectory, ...more) => {
      const place = ['--port', '0', '--ops-port', '0', '--data-dir', join(directory, dataDirectory)];
      const server = await startServer(entry, ['serve', ...place, ...more]);
      running.push(server);
      return server;
    }, directory);
  } finally {
    for (const server of running) await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Measures with servers, and prints the figures. Failed requests make the process fail. */
export async function runBenchmark(
  name: string,
  runs: LoadRuns,
  measure: (start: Start, directory: string) => Promise<readonly Figure[]>,
): Promise<void> {
  await withServers(name, async (start, directory) => {
    const figures = await measure(start, directory);
    const { rowCount, rounds, seconds } = runs.settings;
    const circumstances = `${describeMachine()}; ${rowCount} rows, ${rounds} × ${seconds} s`;
    console.log(`\n${formatFigures(figures)}\n\n${circumstances}`);
    if (runs.errorCount > 0) {
      console.log(`${runs.errorCount} requests failed: the figures are worth nothing`);
      process.exitCode = 1;
    }
  });
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
