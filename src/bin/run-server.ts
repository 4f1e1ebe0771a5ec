// Runs the server: opens its parts in order and closes them in reverse.
import type { Config } from '../foundation/config/options.js';
import { type Health, noteProblem } from '../foundation/http/health.js';
import { isLoopbackHost } from '../foundation/http/hosts.js';
import type { TlsIdentity } from '../foundation/http/server.js';
import { warnOfDates } from '../foundation/http/tls-files.js';
import { makeDirectories } from '../foundation/machine/make-directories.js';
import { lockDataDirectory } from '../foundation/sqlite/lock-data-directory.js';
import { systemClock } from '../foundation/telemetry/clock.js';
import { createLogger, type Logger } from '../foundation/telemetry/logger.js';
import { OpsError } from '../ops-service/errors/ops-error.js';
import { type DataServer, openDataServer } from './data/data-server.js';
import type { DataServiceListeners } from './data/open-data-service.js';
import type { DataSurroundings } from './data/serve-data.js';
import { answerOpsThread } from './ops/answer-ops-thread.js';
import { type OpenOpsService, type OpsThread, openOpsService } from './ops/open-ops-service.js';
import { type OpsThreadData, opsFile } from './ops/ops-messages.js';
import { endOnBugs } from './parts/end-on-bugs.js';
import { openProcessParts } from './parts/open-process-parts.js';
import { openSecrets } from './parts/open-secrets.js';
import { renewOnSignal } from './renew-on-signal.js';
import { checkStorage, refuseUnfinished } from './storage/check-storage.js';
import type { WorkersSurroundings } from './workers/open-data-workers.js';

/** Settings of a server in addition to its configuration. */
export interface RunOptions {
  /** Reads the configuration again, for settings that can change while the server runs. @throws ConfigProblems */
  readonly readConfigAgain?: () => Config;
  /** For benchmarks: imitates a disk whose flush takes this much longer. */
  readonly commitDelayMs?: number;
}

/**
 * Runs the server until a signal; resolves when both ports answer and their lines are printed. `opsThread` was started
 * with the same `opsData` and is loading.
 */
export async function runServer(
  { config, opsDir, version, tls, connections }: OpsThreadData,
  opsThread: OpsThread,
  options: RunOptions,
): Promise<void> {
  const logger = createLogger(config.logLevel);
  endOnBugs(logger);
  const parts = openProcessParts();
  const health: Health = { status: 'starting', problems: new Map() };
  // Opened parts are closed in reverse order, after a failed start or a signal.
  const opened: (() => void | Promise<void>)[] = [];
  const closeAll = async () => {
    for (let close = opened.pop(); close !== undefined; close = opened.pop()) await close();
  };
  let ops: OpenOpsService | undefined;
  let data: DataServer | undefined;
  stopOnSignals(health, logger, {
    drainMs: config.drainSeconds * 1000,
    announce: () => {
      data?.setStatus('stopping');
      ops?.setHealth('stopping').catch(() => {}); // the end of the thread has been reported
    },
    closeAll,
  });
  process.umask(0o077); // only the server's user may read rows and keys, even if others can read the directory
  try {
    await takeDirectories(config, opsDir, logger, opened);
    const secrets = openSecrets(config);
    opened.push(() => data?.close());
    const answers = answerOpsThread({
      metrics: parts.metrics,
      keyStore: secrets.keys,
      dataServer: () => whenOpen(data),
    });
    const opsService = openOpsService(opsThread, answers, (err) => endWithout(err, logger));
    ops = opsService;
    opened.push(() => opsService.close());
    const opening = openData({
      ...{ config, logger, parts, health, tls, secrets, maxConnections: connections.data },
      listeners: listenersOf(health, opsService),
      commitDelayMs: options.commitDelayMs,
    });
    // Logged here because the first entry loads the logger, and the threads are still starting.
    logger.info({ version, dataDir: config.dataDir }, 'starting');
    const dataServer = await opening;
    data = dataServer;
    opened.push(() => closePorts(dataServer, opsService));
    const opsUrl = await opsService.start(dataServer.names);
    renewOnSignal({ config, dataServer, opsService, logger, ...options });
    warnOfEncryption(config, tls, logger);
    health.status = 'ready';
    dataServer.setStatus('ready');
    await becomeReady(opsService, health);
    afterStart(() => parts.metrics.measureProcess(), logger);
    announce(dataServer.url, opsUrl, config, logger);
  } catch (error) {
    await closeAll();
    throw error;
  }
}

function endWithout(err: Error, logger: Logger): void {
  logger.fatal({ err }, 'the operations service ended; the process ends');
  process.exit(1);
}

/** Opens the table data service in this process, or in as many workers as the configuration says. */
async function openData(surroundings: WorkersSurroundings & DataSurroundings): Promise<DataServer> {
  if (surroundings.config.workers === 1) return openDataServer(surroundings);
  const { openDataWorkers } = await import('./workers/open-data-workers.js');
  return openDataWorkers(surroundings);
}

function listenersOf(health: Health, opsService: OpenOpsService): DataServiceListeners {
  return {
    onSchemaChange: (news) => opsService.schemaChanged(news),
    onProblem: (noted) => {
      noteProblem(health, noted.part, noted.problem);
      opsService.noteDataProblem(noted);
    },
  };
}

/** Also repeats what was found while the operations service was not open yet. */
async function becomeReady(opsService: OpenOpsService, { problems }: Health): Promise<void> {
  await opsService.setHealth('ready');
  for (const [part, problem] of problems) if (part !== 'ops') opsService.noteDataProblem({ part, problem });
}

function warnOfEncryption(config: Config, tls: TlsIdentity | undefined, logger: Logger): void {
  const { opsHost } = config;
  if (tls !== undefined) warnOfDates(tls, config, systemClock.nowMs(), logger);
  else if (!isLoopbackHost(opsHost))
    logger.warn({ opsHost }, 'passwords and sessions cross the network unencrypted: there is no TLS');
}

/** @throws OpsError while it is not open */
function whenOpen(data: DataServer | undefined): DataServer {
  if (data === undefined) throw new OpsError('Unavailable', 'the data service is starting');
  return data;
}

/** Creates and locks the directories of both services, and checks their files. */
async function takeDirectories(
  config: Config,
  opsDir: string,
  logger: Logger,
  opened: (() => void)[],
): Promise<void> {
  refuseUnfinished(config);
  makeDirectory(config.dataDir, 'data directory');
  const dataLock = lockDataDirectory(config.dataDir);
  opened.push(() => dataLock.release());
  makeDirectory(opsDir, 'operations directory');
  const opsLock = lockDataDirectory(opsDir, { name: 'operations directory', option: '--ops-dir' });
  opened.push(() => opsLock.release());
  await checkStorage(config, opsFile(opsDir), logger);
}

function makeDirectory(directory: string, name: string): void {
  try {
    makeDirectories(directory);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new Error(`the ${name} ${directory} cannot be created: ${problem}`, { cause: error });
  }
}

/** Long enough for clients that wait for the start to get their replies. */
const afterStartMs = 500;

function afterStart(work: () => Promise<void>, logger: Logger): void {
  setTimeout(() => {
    work().catch((err) => logger.error({ err }, 'work after the start failed'));
  }, afterStartMs).unref();
}

function announce(dataUrl: string, opsUrl: string, config: Config, logger: Logger): void {
  const urls = { 'table data service': dataUrl, operations: opsUrl, console: `${opsUrl}/` };
  process.stdout.on('error', (err) => logger.warn({ err }, 'the addresses could not be printed'));
  const lines = Object.entries(urls).map(([name, url]) => `Colonnade ${name} on ${url}\n`);
  process.stdout.write(lines.join('')); // at once: programs that wait for one line find all
  logger.info({ dataDir: config.dataDir, urls: [dataUrl, opsUrl] }, 'ready');
}

async function closePorts(data: DataServer, ops: OpenOpsService): Promise<void> {
  await Promise.all([data.stopListening(), ops.stopListening()]);
}

/** Supervisors kill after 10 s. */
const stopTimeoutMs = 9_500;

/** The steps of a stop. */
interface Stop {
  /** For a ready server, the time between the announcement and the end of all other work. */
  readonly drainMs: number;
  /** Shows clients and load balancers that the server stops; it still takes requests. */
  readonly announce: () => void;
  readonly closeAll: () => Promise<void>;
}

function stopOnSignals(health: Health, logger: Logger, { drainMs, announce, closeAll }: Stop): void {
  const close = () => {
    setTimeout(() => {
      // Acknowledged writes are on disk, so the stop does not wait for anything else.
      logger.fatal({ stopTimeoutMs }, 'could not stop in time');
      // `process.exit` waits for threads, and a thread in a long call of SQLite may cause the delay.
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
  const stop = (signal: NodeJS.Signals) => {
    if (health.status === 'stopping') {
      logger.warn({ signal }, 'stopped immediately by a second signal');
      process.exit(1);
    }
    const isDraining = health.status === 'ready' && drainMs > 0;
    health.status = 'stopping';
    logger.info({ signal, ...(isDraining ? { drainMs } : {}) }, 'stopping');
    announce();
    if (isDraining) setTimeout(close, drainMs);
    else close();
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}
