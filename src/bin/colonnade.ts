#!/usr/bin/env node
// The entry point of the command line.
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { archivesCommand } from '../cli/archives.js';
import { backupCommand } from '../cli/backup.js';
import { checkCommand } from '../cli/check.js';
import { exitInterrupted } from '../cli/cli-command.js';
import { cqlCommand } from '../cli/cql.js';
import { exportCommand } from '../cli/export.js';
import { hashPasswordCommand } from '../cli/hash-password.js';
import { importCommand } from '../cli/import.js';
import { keysCommand } from '../cli/keys.js';
import { mcpCommand } from '../cli/mcp.js';
import { type ModelsSurroundings, modelsCommand } from '../cli/models.js';
import { nodeProblem } from '../cli/node-problem.js';
import { restoreCommand } from '../cli/restore.js';
import { runCommandLine } from '../cli/run-command-line.js';
import { serveCommand } from '../cli/serve.js';
import { defaultEngine } from '../foundation/config/engines/registry.js';
import type { Config } from '../foundation/config/options.js';
import { sendRequest } from '../foundation/http/send-request.js';
import { restartForAllocator } from '../foundation/machine/restart-for-allocator.js';
import { systemClock } from '../foundation/telemetry/clock.js';
import { giveWay } from '../foundation/threads/give-way.js';
import { readVersion } from './parts/read-version.js';
import { readPassword, readSecrets } from './read-password.js';

// A program that reads the output, such as `head`, may close the pipe early: the command then ends, because nothing
// reads the rest. A running server has a listener of its own, and continues after any error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE' || process.stdout.listenerCount('error') > 1) return;
  process.stderr.write(`colonnade: standard output cannot be written: ${error.message}\n`);
  process.exit(1);
});
// Problems and progress that nobody can read do not end the work: its result is on standard output.
process.stderr.on('error', () => {});

/** What a terminal, a service manager or the end of a session sends. */
const signalsOfEnd = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Aborted by the first of these signals; the second one, of any kind, ends the process. */
function onInterrupt(): AbortSignal {
  const interrupt = new AbortController();
  const onFirst = () => {
    for (const signal of signalsOfEnd) process.off(signal, onFirst);
    interrupt.abort();
  };
  for (const signal of signalsOfEnd) process.on(signal, onFirst);
  return interrupt.signal;
}

/** Requests of a server on the same machine have priority. */
const backgroundNiceness = 10;
const problem = nodeProblem(process.versions.node);
if (problem !== undefined) {
  process.stderr.write(`colonnade: ${problem}\n`);
  process.exit(1);
}
const version = readVersion();
const wait = (ms: number, signal: AbortSignal) => delay(ms, undefined, { signal });
const moving = { sendRequest, clock: systemClock, wait, onInterrupt, version };

const storage = {
  clock: systemClock,
  onInterrupt,
  version,
  layoutOf: async (config: Config) => (await import('./storage/storage-layout.js')).storageLayout(config),
  openArchive: async (archive: string, config: Config) =>
    (await import('./storage/open-archive.js')).openArchive(archive, config),
  giveWay: () => void giveWay(backgroundNiceness),
};
const checking = {
  ...storage,
  layoutIn: async (dataDir: string) =>
    (await import('./storage/storage-layout.js')).storageLayout({
      ...{ dataDir, opsDir: undefined, engine: defaultEngine, keyStoreSecret: undefined },
    }),
};

const models = {
  ...{ clock: systemClock, onInterrupt },
  list: async (directory: string) => (await import('./local-models.js')).localModels.list(directory),
  check: async (directory: string, name: string) =>
    (await import('./local-models.js')).localModels.check(directory, name),
  fetchModel: async (...wanted: Parameters<ModelsSurroundings['fetchModel']>) =>
    (await import('./local-models.js')).localModels.fetchModel(...wanted),
};

// No `await` at the top level: in the bundle, modules that are imported later may be part of this file and wait for it.
runCommandLine(
  process.argv.slice(2),
  [
    serveCommand(async (config, readConfigAgain) => {
      restartForAllocator(process);
      await (await import('./serve.js')).serve(config, { readConfigAgain });
    }),
    cqlCommand({ sendRequest, readInput: process.stdin.isTTY ? undefined : () => text(process.stdin) }),
    backupCommand(storage),
    restoreCommand(storage),
    archivesCommand(storage),
    checkCommand(checking),
    exportCommand(moving),
    importCommand({ ...moving, input: () => process.stdin }),
    mcpCommand({ ...moving, input: process.stdin, output: process.stdout }),
    hashPasswordCommand(readPassword),
    keysCommand({ sendRequest, readSecrets }),
    modelsCommand(models),
  ],
  version,
  {
    out: (line) => process.stdout.write(line),
    problem: (line) => process.stderr.write(line),
    isTerminal: process.stderr.isTTY,
  },
).then(
  (code) => {
    if (code === exitInterrupted) process.exit(code); // work that cannot be stopped may continue
    if (code !== undefined) process.exitCode = code;
  },
  (error) => {
    process.stderr.write(`colonnade: ${error instanceof Error ? error.message : error}\n`);
    process.exit(1); // a failed start may leave threads running
  },
);
