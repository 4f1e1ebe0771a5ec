// The entry point of the package for programs: starts a server in their own process.
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeProblem } from '../cli/node-problem.js';
import { ConfigProblems, loadConfigMembers } from '../foundation/config/load-config.js';
import type { Config } from '../foundation/config/options.js';
import { isJsonObject } from '../foundation/json/json-value.js';
import { parseJson } from '../foundation/json/parse-json.js';
import { createLogger } from '../foundation/telemetry/logger.js';
import { beginStart } from './begin-start.js';
import type * as types from './library-types.js';

/** The temporary directories of servers that are not closed. */
const temporaries = new Set<string>();

/** A program that exits without `close` leaves none behind. One that a signal ends does. */
function removeTemporaries(): void {
  for (const directory of temporaries) rmSync(directory, { recursive: true, force: true });
}

export const start: typeof types.start = async ({ onFailure, ...options } = {}) => {
  const problem = nodeProblem(process.versions.node);
  if (problem !== undefined) throw new Error(problem);
  const temporary = join(tmpdir(), `colonnade-${randomUUID()}`);
  const config = configOf(options, temporary);
  if (config.dataDir === temporary) keepUntilExit(temporary);
  const afterClose = () => {
    if (!temporaries.delete(temporary)) return;
    if (temporaries.size === 0) process.off('exit', removeTemporaries);
    rmSync(temporary, { recursive: true, force: true });
  };
  try {
    return await open(config, onFailure ?? throwUncaught, afterClose);
  } catch (error) {
    afterClose();
    throw error;
  }
};

function keepUntilExit(directory: string): void {
  if (temporaries.size === 0) process.on('exit', removeTemporaries);
  temporaries.add(directory);
}

/** @throws ConfigProblems, TypeError */
function configOf(options: object, temporary: string): Config {
  const members = parseJson(JSON.stringify(options), { maxDepth: 16, maxNumberLength: 100 });
  if (!isJsonObject(members)) throw new TypeError('the options of start must be an object');
  const defaults = { dataDir: temporary, port: '0', opsPort: '0', logLevel: 'warn' };
  const config = loadConfigMembers(members, 'the options of start', defaults);
  if (config.workers > 1)
    throw new ConfigProblems([
      '"workers" is for colonnade serve: workers are processes of the whole program',
    ]);
  return config;
}

function open(
  config: Config,
  onFailure: (error: Error) => void,
  afterClose: () => void,
): Promise<types.StartedServer> {
  return beginStart(config, async (settings, opsThread) => {
    const { Server } = await import('./server.js');
    let isStarted = false;
    let failure: Error | undefined;
    let closing: Promise<void> | undefined;
    const close = () => {
      closing ??= closeServer();
      return closing;
    };
    const closeServer = async () => {
      server.announceStop();
      try {
        await server.close();
      } finally {
        afterClose();
      }
    };
    const report = () => {
      if (failure !== undefined) onFailure(failure);
    };
    const server = new Server(settings, opsThread, {
      logger: createLogger(config.logLevel),
      onFailure: (cause, message) => {
        failure ??= new Error(`${message}: ${cause.message}`, { cause });
        // Before, the failure is that of the start. Parts that cannot be closed either have the same cause.
        if (isStarted) close().then(report, report);
      },
    });
    const opened = await server.open();
    if (failure !== undefined) {
      await server.close();
      throw failure;
    }
    isStarted = true;
    return { url: opened.data.url, opsUrl: opened.opsUrl, dataDir: settings.config.dataDir, close };
  });
}

/** Throws the error where nobody catches it, so that a program cannot miss it. */
function throwUncaught(error: Error): void {
  setImmediate(() => {
    throw error;
  });
}
