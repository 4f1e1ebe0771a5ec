// Starts and stops the server: the order in which things open and close.
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Config } from '../foundation/config/options.js';
import { answerHealth, type Health } from '../foundation/http/health.js';
import { isFromForeignPage, isLoopbackHost } from '../foundation/http/hosts.js';
import type { HeadHandler } from '../foundation/http/http-handler.js';
import { type Listener, type ListenOptions, listen } from '../foundation/http/server.js';
import { lockDataDirectory } from '../foundation/sqlite/lock-data-directory.js';
import { createLogger, type Logger } from '../foundation/telemetry/logger.js';
import { createMetrics, type Metrics } from '../foundation/telemetry/metrics.js';
import { createOpsRoutes } from '../ops-service/http/routes.js';
import { openDataService } from './open-data-service.js';

/**
 * Serves until a signal comes; resolves when both ports answer and their lines are printed.
 * `commitDelayMs` is for benchmarks: it imitates a disk whose flush takes this much longer.
 */
export async function serve(given: Config, commitDelayMs = 0): Promise<void> {
  const config: Config = { ...given, dataDir: resolve(given.dataDir) };
  const logger = createLogger(config.logLevel);
  endOnBugs(logger);
  const metrics = createMetrics();
  const health: Health = { status: 'starting' };

  // What is open is closed in reverse, whether the start fails half way or a signal comes.
  const opened: (() => void | Promise<void>)[] = [];
  const closeAll = async () => {
    for (let close = opened.pop(); close !== undefined; close = opened.pop()) await close();
  };
  stopOnSignals(health, logger, closeAll);
  process.umask(0o077); // rows and keys are for the user of the server alone, also in a directory that others can read
  try {
    makeDataDirectory(config.dataDir);
    const lock = lockDataDirectory(config.dataDir);
    opened.push(() => lock.release());

    const dataService = await openDataService(config, logger, metrics, commitDelayMs);
    opened.push(() => dataService.close());

    const listeners = [
      await listen({
        ...listenerOptions('data', config, logger, metrics),
        host: config.host,
        port: config.port,
        answerHead: dataPortGuard(config, health, dataService.answerHead),
        answer: dataService.answer,
      }),
    ];
    opened.push(() => closeListeners(listeners));
    listeners.push(
      await listen({
        ...listenerOptions('ops', config, logger, metrics),
        host: config.opsHost,
        port: config.opsPort,
        ...createOpsRoutes({ ...config, health, metrics, pid: process.pid }),
      }),
    );
    metrics.gauge({ name: 'colonnade_http_connections', help: 'Open connections on both ports.' }, () =>
      listeners.reduce((sum, listener) => sum + listener.connectionCount(), 0),
    );
    health.status = 'ready';
    announce(listeners, config, logger);
  } catch (error) {
    await closeAll();
    throw error;
  }
}

function makeDataDirectory(directory: string): void {
  try {
    makeMissing(directory);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new Error(`the data directory ${directory} cannot be made: ${problem}`, { cause: error });
  }
}

/** Step by step: asked to make parents, Node 20 never returns where one takes no directory (`/proc/x`). */
function makeMissing(directory: string): void {
  if (existsSync(directory)) {
    if (!statSync(directory).isDirectory()) throw new Error('it is no directory');
    return;
  }
  makeMissing(dirname(directory));
  mkdirSync(directory, { mode: 0o700 });
}

/** A page of another site must not write to a developer's laptop, where no token is asked for. */
function dataPortGuard(config: Config, health: Health, answerHead: HeadHandler): HeadHandler {
  const isOpen = config.token === undefined;
  return (head) => {
    if (isOpen && isFromForeignPage(head, isLoopbackHost)) {
      return {
        status: 403,
        contentType: 'text/plain; charset=utf-8',
        body: 'requests of web pages of other hosts are refused; start with --token to allow them\n',
      };
    }
    return answerHealth(head, health, process.pid) ?? answerHead(head);
  };
}

function listenerOptions(
  name: 'data' | 'ops',
  config: Config,
  logger: Logger,
  metrics: Metrics,
): Pick<ListenOptions, 'requestTimeoutMs' | 'logger' | 'onReply'> {
  const replies = metrics.counter({
    name: `colonnade_${name}_http_replies_total`,
    help: `Replies on the ${name} port by HTTP status.`,
    labelNames: ['status'],
  });
  const ok = replies.series('200');
  return {
    requestTimeoutMs: config.requestTimeoutSeconds * 1000,
    logger,
    onReply: (status) => (status === 200 ? ok : replies.series(String(status))).add(),
  };
}

function announce(listeners: readonly Listener[], config: Config, logger: Logger): void {
  const names = ['table data service', 'operations'];
  listeners.forEach(({ url }, at) => {
    process.stdout.write(`Colonnade ${names[at]} on ${url}\n`);
  });
  logger.info({ dataDir: config.dataDir, urls: listeners.map(({ url }) => url) }, 'ready');
}

async function closeListeners(listeners: readonly Listener[]): Promise<void> {
  await Promise.all(listeners.map((listener) => listener.close()));
}

/** Supervisors kill after 10 s. */
const stopTimeoutMs = 9_500;

function stopOnSignals(health: Health, logger: Logger, closeAll: () => Promise<void>): void {
  const stop = (signal: NodeJS.Signals) => {
    if (health.status === 'stopping') {
      logger.warn({ signal }, 'stopped at once by a second signal');
      process.exit(1);
    }
    health.status = 'stopping';
    logger.info({ signal }, 'stopping');
    setTimeout(() => {
      // What was acknowledged is on disk; whoever asked to stop must not wait for the rest.
      logger.fatal({ stopTimeoutMs }, 'could not stop in time');
      process.exit(1);
    }, stopTimeoutMs).unref();
    closeAll().then(
      () => {
        logger.info({}, 'stopped');
        process.exit(0);
      },
      (err) => {
        logger.fatal({ err }, 'could not stop in order');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

function endOnBugs(logger: Logger): void {
  process.on('uncaughtException', (err) => {
    logger.fatal({ err }, 'an error that nothing caught; the process ends');
    process.exit(1);
  });
}
