// The entry point of the package for programs: starts a server in their own process.
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeProblem } from '../cli/node-problem.js';
import { loadConfigMembers } from '../foundation/config/load-config.js';
import type { Config } from '../foundation/config/options.js';
import { isJsonObject } from '../foundation/json/json-value.js';
import { parseJson } from '../foundation/json/parse-json.js';
import { createLogger } from '../foundation/telemetry/logger.js';
import { beginStart } from './begin-start.js';
import type * as types from './library-types.js';

export const start: typeof types.start = async ({ onFailure, ...options } = {}) => {
  const problem = nodeProblem(process.versions.node);
  if (problem !== undefined) throw new Error(problem);
  const temporary = join(tmpdir(), `colonnade-${randomUUID()}`);
  const config = configOf(options, temporary);
  const remove = () => {
    if (config.dataDir === temporary) rmSync(temporary, { recursive: true, force: true });
  };
  // A program that ends without `close` leaves no temporary directory behind either.
  process.once('exit', remove);
  const forget = () => {
    process.off('exit', remove);
    remove();
  };
  try {
    return await open(config, onFailure ?? throwUncaught, forget);
  } catch (error) {
    forget();
    throw error;
  }
};

/** @throws ConfigProblems */
function configOf(options: object, temporary: string): Config {
  const members = parseJson(JSON.stringify(options), { maxDepth: 16, maxNumberLength: 100 });
  if (!isJsonObject(members)) throw new TypeError('the options of start must be an object');
  const defaults = { dataDir: temporary, port: '0', opsPort: '0', logLevel: 'warn' };
  return loadConfigMembers(members, 'the options of start', defaults);
}

function open(
  config: Config,
  onFailure: (error: Error) => void,
  afterClose: () => void,
): Promise<types.StartedServer> {
  return beginStart(config, async (settings, opsThread) => {
    const { Server } = await import('./server.js');
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
    const server = new Server(settings, opsThread, {
      logger: createLogger(config.logLevel),
      onFailure: (cause, message) => {
        const report = () => onFailure(new Error(`${message}: ${cause.message}`, { cause }));
        close().then(report, report); // what cannot be closed either has the same cause
      },
    });
    const opened = await server.open();
    await server.becomeReady(opened);
    return { url: opened.data.url, opsUrl: opened.opsUrl, dataDir: settings.config.dataDir, close };
  });
}

/** As an error that nobody catches, so that a program cannot miss it. */
function throwUncaught(error: Error): void {
  setImmediate(() => {
    throw error;
  });
}
