// Runs the server: opens its parts in order and closes them in reverse.
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from '../foundation/config/options.js';
import { answerHealth, type Health, noteProblem } from '../foundation/http/health.js';
import { isForForeignHost, isFromForeignPage, isLoopbackHost } from '../foundation/http/hosts.js';
import type { HeadHandler, HttpReply } from '../foundation/http/http-handler.js';
import { type Listener, listen, type TlsIdentity } from '../foundation/http/server.js';
import { lockDataDirectory } from '../foundation/sqlite/lock-data-directory.js';
import { systemClock } from '../foundation/telemetry/clock.js';
import { createLogger, type Logger } from '../foundation/telemetry/logger.js';
import { OpsError } from '../ops-service/errors/ops-error.js';
import { answerOpsThread } from './answer-ops-thread.js';
import { checkStorage } from './check-storage.js';
import type { ConnectionLimits } from './connection-limits.js';
import { type DataServiceListeners, type OpenDataService, openDataService } from './open-data-service.js';
import { type OpenOpsService, type OpsThread, openOpsService } from './open-ops-service.js';
import { countProcess, openProcessParts, type ProcessParts } from './open-process-parts.js';
import { type OpsThreadData, opsFile } from './ops-messages.js';
import { renewOnSignal } from './renew-on-signal.js';

/** Settings of a server in addition to its configuration. */
export interface RunOptions {
  /** Reads the configuration again, for what can change while it serves. @throws ConfigProblems */
  readonly readConfigAgain?: () => Config;
  /** For benchmarks: imitates a disk whose flush takes this much longer. */
  readonly commitDelayMs?: number;
}

/**
 * Runs the server until a signal comes; resolves when both ports answer and their lines are printed. `opsThread` was
 * started with the same `opsData` and is loading.
 */
export async function runServer(
  { config, opsDir, version, tls, connections }: OpsThreadData,
  opsThread: OpsThread,
  options: RunOptions,
): Promise<void> {
  const logger = createLogger(config.logLevel);
  endOnBugs(logger);
  const common = openProcessParts();
  const health: Health = { status: 'starting', problems: new Map() };
  // Open parts are closed in reverse order, after a failed start as after a signal.
  const opened: (() => void | Promise<void>)[] = [];
  const closeAll = async () => {
    for (let close = opened.pop(); close !== undefined; close = opened.pop()) await close();
  };
  let ops: OpenOpsService | undefined;
  stopOnSignals(health, logger, async () => {
    ops?.setHealth('stopping').catch(() => {}); // the end of the thread was reported already
    await closeAll();
  });
  process.umask(0o077); // rows and keys are for the user of the server alone, also in a directory that others can read
  try {
    takeDirectories(config, opsDir, logger, opened);
    let dataService: OpenDataService | undefined;
    opened.push(() => dataService?.close());
    const listeners: Listener[] = [];
    const answers = answerOpsThread({
      metrics: common.metrics,
      dataConnections: () => connectionsOf(listeners),
      turns: common.watch.figures,
      takeFigures: countProcess(common.traffic, systemClock),
      runNative: async (query) => whenOpen(dataService).runNative(query),
      maintain: () => dataService?.maintain,
      keyStore: () => whenOpen(dataService).keyStore,
      noteOpsProblem: (problem) => noteProblem(health, 'ops', problem),
    });
    const opsService = openOpsService(opsThread, answers, (err) => {
      logger.fatal({ err }, 'the operations service ended; the process ends');
      process.exit(1);
    });
    ops = opsService;
    opened.push(() => opsService.close());
    const listening = listenersOf(health, opsService);
    const opening = openDataService(config, logger, common, listening, options.commitDelayMs);
    // Logged now, because the first entry loads the logger, and there is time while the threads start.
    logger.info({ version, dataDir: config.dataDir }, 'starting');
    dataService = await opening;
    opened.push(() => closePorts(listeners, opsService));
    listeners.push(await listenForData(config, { ...common, logger, health, dataService, tls, connections }));
    const opsUrl = await opsService.start(dataService.names);
    renewOnSignal({ config, listeners, opsService, logger, ...options });
    if (tls === undefined) warnOfPlainText(config, logger);
    health.status = 'ready';
    await opsService.setHealth('ready');
    afterStart(() => common.metrics.measureProcess(), logger);
    announce([...listeners.map(({ url }) => url), opsUrl], config, logger);
  } catch (error) {
    await closeAll();
    throw error;
  }
}

function listenersOf(health: Health, opsService: OpenOpsService): DataServiceListeners {
  return {
    onSchemaChange: (news) => opsService.schemaChanged(news),
    onProblem: (problem) => {
      noteProblem(health, 'data', problem);
      opsService.noteDataProblem(problem);
    },
  };
}

function warnOfPlainText({ opsHost }: Config, logger: Logger): void {
  if (isLoopbackHost(opsHost)) return;
  logger.warn({ opsHost }, 'passwords and sessions cross the network unencrypted: there is no TLS');
}

/** @throws OpsError as long as it is not open */
function whenOpen(dataService: OpenDataService | undefined): OpenDataService {
  if (dataService === undefined) throw new OpsError('Unavailable', 'the data service is starting');
  return dataService;
}

/** Creates and locks the directories of both services, and checks their files. */
function takeDirectories(config: Config, opsDir: string, logger: Logger, opened: (() => void)[]): void {
  makeDirectory(config.dataDir, 'data directory');
  const dataLock = lockDataDirectory(config.dataDir);
  opened.push(() => dataLock.release());
  makeDirectory(opsDir, 'operations directory');
  const opsLock = lockDataDirectory(opsDir, { name: 'operations directory', option: '--ops-dir' });
  opened.push(() => opsLock.release());
  checkStorage(config, opsFile(opsDir), logger);
}

function makeDirectory(directory: string, name: string): void {
  try {
    makeMissing(directory);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new Error(`the ${name} ${directory} cannot be created: ${problem}`, { cause: error });
  }
}

/** One directory after another: with `recursive`, Node 20 never returns if a parent allows no directory (`/proc/x`). */
function makeMissing(directory: string): void {
  if (existsSync(directory)) {
    if (!statSync(directory).isDirectory()) throw new Error('it is not a directory');
    return;
  }
  makeMissing(dirname(directory));
  mkdirSync(directory, { mode: 0o700 });
}

/** A page of another site must not write to a developer's laptop, where no token is required. */
function dataPortGuard(config: Config, health: Health, answerHead: HeadHandler): HeadHandler {
  const isOpen = config.token === undefined;
  const ownHosts = [config.host, ...config.allowedHosts];
  return (head) => {
    if (isOpen && isFromForeignPage(head, isLoopbackHost))
      return forbidden('requests of web pages of other hosts are refused; start with --token to allow them');
    if (isOpen && isForForeignHost(head, ownHosts))
      return forbidden(
        'requests for this Host are refused; --allowed-hosts adds names, and --token allows all',
      );
    return answerHealth(head, health, process.pid) ?? answerHead(head);
  };
}

function forbidden(problem: string): HttpReply {
  return { status: 403, contentType: 'text/plain; charset=utf-8', body: `${problem}\n` };
}

function listenForData(
  config: Config,
  parts: Omit<ProcessParts, 'traffic'> & {
    readonly logger: Logger;
    readonly health: Health;
    readonly dataService: OpenDataService;
    readonly tls: TlsIdentity | undefined;
    readonly connections: ConnectionLimits;
  },
): Promise<Listener> {
  const { logger, metrics, turns, watch, health, dataService, tls, connections } = parts;
  if (connections.data < config.maxConnections)
    logger.warn(
      { maxConnections: connections.data },
      'the system lets the process open few files (ulimit -n)',
    );
  const replies = metrics.counter({
    name: 'colonnade_data_http_replies_total',
    help: 'Replies on the data port by HTTP status.',
    labelNames: ['status'],
  });
  const ok = replies.series('200');
  const guard = dataPortGuard(config, health, dataService.answerHead);
  watch.start();
  return listen({
    host: config.host,
    port: config.port,
    tls,
    requestTimeoutMs: config.requestTimeoutSeconds * 1000,
    maxConnections: connections.data,
    memoryBytes: config.requestMemoryMb * 1024 * 1024,
    logger,
    onReply: (status) => {
      (status === 200 ? ok : replies.series(String(status))).add();
      watch.noteWork();
    },
    onConnection: () => {
      turns.noteConnection();
      watch.noteWork();
    },
    answerHead: (head) => {
      watch.noteWork(); // its body may take longer than its reply
      return guard(head);
    },
    answer: dataService.answer,
  });
}

function connectionsOf(listeners: readonly Listener[]): number {
  return listeners.reduce((sum, listener) => sum + listener.connectionCount(), 0);
}

/** Long enough for clients that wait for the start to get their replies. */
const afterStartMs = 500;

function afterStart(work: () => Promise<void>, logger: Logger): void {
  setTimeout(() => {
    work().catch((err) => logger.error({ err }, 'work after the start failed'));
  }, afterStartMs).unref();
}

function announce(urls: readonly string[], config: Config, logger: Logger): void {
  const names = ['table data service', 'operations'];
  process.stdout.on('error', (err) => logger.warn({ err }, 'the addresses could not be printed'));
  urls.forEach((url, at) => {
    process.stdout.write(`Colonnade ${names[at]} on ${url}\n`);
  });
  logger.info({ dataDir: config.dataDir, urls }, 'ready');
}

async function closePorts(listeners: readonly Listener[], ops: OpenOpsService): Promise<void> {
  await Promise.all([...listeners.map((listener) => listener.close()), ops.stopListening()]);
}

/** Supervisors kill after 10 s. */
const stopTimeoutMs = 9_500;

function stopOnSignals(health: Health, logger: Logger, closeAll: () => Promise<void>): void {
  const stop = (signal: NodeJS.Signals) => {
    if (health.status === 'stopping') {
      logger.warn({ signal }, 'stopped immediately by a second signal');
      process.exit(1);
    }
    health.status = 'stopping';
    logger.info({ signal }, 'stopping');
    setTimeout(() => {
      // Acknowledged writes are on disk; the stop must not wait for the rest.
      logger.fatal({ stopTimeoutMs }, 'could not stop in time');
      // `process.exit` waits for threads, and a thread in a long call of SQLite may be the reason for the delay.
      process.kill(process.pid, 'SIGKILL');
    }, stopTimeoutMs).unref();
    closeAll().then(
      () => {
        logger.info({}, 'stopped');
        process.exit(0);
      },
      (err) => {
        logger.fatal({ err }, 'could not stop cleanly');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

function endOnBugs(logger: Logger): void {
  process.on('uncaughtException', (err) => {
    logger.fatal({ err }, 'an error was not caught; the process ends');
    process.exit(1);
  });
}
