// The commands of the command line except `serve`, which loads none of their code.
import { setMaxListeners } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { archivesCommand } from '../cli/archives.js';
import { backupCommand } from '../cli/backup.js';
import { checkCommand } from '../cli/check.js';
import type { CliCommand } from '../cli/cli-command.js';
import { cqlCommand } from '../cli/cql.js';
import { exportCommand } from '../cli/export.js';
import { hashPasswordCommand } from '../cli/hash-password.js';
import { importCommand } from '../cli/import.js';
import { keysCommand } from '../cli/keys.js';
import { mcpCommand } from '../cli/mcp.js';
import { type ModelsSurroundings, modelsCommand } from '../cli/models.js';
import { promoteCommand } from '../cli/promote.js';
import { restoreCommand } from '../cli/restore.js';
import { defaultEngine } from '../foundation/config/engines/registry.js';
import type { Config } from '../foundation/config/options.js';
import { sendRequest } from '../foundation/http/send-request.js';
import { systemClock } from '../foundation/telemetry/clock.js';
import { giveWay } from '../foundation/threads/give-way.js';
import { readPassword, readSecrets } from './read-password.js';

/** What a terminal, a service manager or the end of a session sends. */
const signalsOfEnd = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Aborted by the first of these signals; the second one, of any kind, ends the process. */
function onInterrupt(): AbortSignal {
  const interrupt = new AbortController();
  setMaxListeners(0, interrupt.signal); // requests under way at the same time have one each
  const onFirst = () => {
    for (const signal of signalsOfEnd) process.off(signal, onFirst);
    interrupt.abort();
  };
  for (const signal of signalsOfEnd) process.on(signal, onFirst);
  return interrupt.signal;
}

/** Requests of a server on the same machine have priority. */
const backgroundNiceness = 10;

/** The commands in the order of the overview. `version`: that of this package. */
export function commandsBesideServe(version: string): readonly CliCommand[] {
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
  return [
    cqlCommand({ sendRequest, readInput: process.stdin.isTTY ? undefined : () => buffer(process.stdin) }),
    backupCommand(storage),
    restoreCommand(storage),
    archivesCommand(storage),
    checkCommand(checking),
    exportCommand(moving),
    importCommand({ ...moving, input: () => process.stdin }),
    mcpCommand({ ...moving, input: process.stdin, output: process.stdout }),
    hashPasswordCommand(readPassword),
    promoteCommand({ sendRequest, wait }),
    keysCommand({ sendRequest, readSecrets }),
    modelsCommand(models),
  ];
}
