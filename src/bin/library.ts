// The entry point of the package for programs: starts a server in their own process.
import { randomUUID } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeProblem } from '../cli/node-problem.js';
import { loadConfigMembers, withMemberNames } from '../foundation/config/load-config.js';
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

export const start: typeof types.start = async (given = {}) => {
  const problem = nodeProblem(process.versions.node);
  if (problem !== undefined) throw new Error(problem);
  const { onFailure, ...options } = checkedOptions(given);
  const temporary = join(tmpdir(), `colonnade-${randomUUID()}`);
  try {
    const config = configOf(options, temporary);
    if (config.dataDir === temporary) keepUntilExit(temporary);
    return await open(config, onFailure ?? throwUncaught, () => removeTemporary(temporary));
  } catch (error) {
    throw failedStart(error, temporary);
  }
};

/** The error of a start, in the words of a program. An error of the cleanup does not hide it. */
function failedStart(error: unknown, temporary: string): unknown {
  let cleanup = '';
  try {
    removeTemporary(temporary);
  } catch (problem) {
    cleanup = `; ${temporary} remains: ${problem instanceof Error ? problem.message : String(problem)}`;
  }
  if (!(error instanceof Error)) return error;
  const message = withMemberNames(error.message) + cleanup;
  return message === error.message ? error : new Error(message, { cause: error });
}

function keepUntilExit(directory: string): void {
  if (temporaries.size === 0) process.on('exit', removeTemporaries);
  temporaries.add(directory);
}

/** Does nothing if it is not a directory of a server. */
function removeTemporary(directory: string): void {
  if (!temporaries.delete(directory)) return;
  if (temporaries.size === 0) process.off('exit', removeTemporaries);
  if (existsSync(directory)) rmSync(directory, { recursive: true, force: true });
}

/** @throws TypeError with what is wrong with the argument of `start` */
function checkedOptions(given: unknown): types.StartOptions {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new TypeError(
      `the options of start must be an object, as in start({ port: 8181 }), not ${kindOf(given)}`,
    );
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (name === 'onFailure') {
      if (typeof value !== 'function')
        throw new TypeError(`"onFailure" in the options of start must be a function, not ${kindOf(value)}`);
    } else if (['function', 'symbol', 'bigint'].includes(typeof value))
      throw new TypeError(`"${name}" in the options of start must be JSON, not ${kindOf(value)}`);
  }
  return given; // its other members are checked when the configuration is read
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return `a ${typeof value}`;
}

/** @throws ConfigProblems */
function configOf(options: object, temporary: string): Config {
  const members = parseJson(JSON.stringify(options), { maxDepth: 16, maxNumberLength: 100 });
  if (!isJsonObject(members)) throw new TypeError('the options of start must be an object of JSON values');
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
