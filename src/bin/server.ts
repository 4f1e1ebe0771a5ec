// Opens the parts of a server in order, and closes them in reverse. Its caller decides what becomes of the process.

import type { ArchiveShipping } from '../archive/shipping/archive-thread-client.js';
import type { Config } from '../foundation/config/options.js';
import { type DataProblem, type Health, noteProblem } from '../foundation/http/health.js';
import type { TlsIdentity } from '../foundation/http/server.js';
import { warnOfDates } from '../foundation/http/tls-files.js';
import { makeDirectories } from '../foundation/machine/make-directories.js';
import { lockDataDirectory } from '../foundation/sqlite/lock-data-directory.js';
import { systemClock } from '../foundation/telemetry/clock.js';
import type { Logger } from '../foundation/telemetry/logger.js';
import type { Metrics } from '../foundation/telemetry/metrics.js';
import { waitAtMost } from '../foundation/wait-at-most.js';
import { OpsError } from '../ops-service/errors/ops-error.js';
import { openArchive } from './archive/open-archive.js';
import { reportArchive } from './archive/report-archive.js';
import { settingsOf } from './begin-start.js';
import { type DataServer, openDataServer } from './data/data-server.js';
import type { DataServiceListeners } from './data/open-data-service.js';
import type { DataSurroundings } from './data/serve-data.js';
import { exposureWarnings } from './exposure-warnings.js';
import { promotedConfig, refuseFollower } from './following/follow-config.js';
import type { Following } from './following/open-following.js';
import { reportFollowing } from './following/report-following.js';
import { answerOpsThread } from './ops/answer-ops-thread.js';
import {
  type OpenOpsService,
  type OpsThread,
  openOpsService,
  opsCloseTimeoutMs,
  startOpsThread,
} from './ops/open-ops-service.js';
import { type OpsThreadData, opsFile } from './ops/ops-messages.js';
import { openProcessParts } from './parts/open-process-parts.js';
import { openSecrets } from './parts/open-secrets.js';
import { checkStorage, refuseUnfinished } from './storage/check-storage.js';
import type { WorkersSurroundings } from './workers/open-data-workers.js';

/** What a server needs from its process. */
export interface ServerSurroundings {
  readonly logger: Logger;
  /** Called when a part that the server cannot work without has ended. Acknowledged writes are on disk. */
  readonly onFailure: (error: Error, message: string) => void;
  /** Benchmarks only: imitates a disk whose flush takes this much longer. */
  readonly commitDelayMs?: number | undefined;
}

/** The open parts of a server. */
export interface OpenServer {
  readonly data: DataServer;
  readonly ops: OpenOpsService;
  /** The URL of the operations service; that of the data service is `data.url`. */
  readonly opsUrl: string;
}

interface Replication {
  readonly archive: ArchiveShipping | undefined;
  readonly following: Following | undefined;
}

/** One server, from its start to its end. */
export class Server {
  /** What its health replies show. */
  readonly health: Health = { status: 'starting', problems: new Map() };
  #settings: OpsThreadData;
  #opsThread: OpsThread;
  readonly #surroundings: ServerSurroundings;
  /** Closes the opened parts, in the order in which they were opened. */
  readonly #opened: (() => void | Promise<void>)[] = [];
  /** Undefined unless it closes. */
  #closing: Promise<void> | undefined;
  /** The first opening, which `reopen` waits for; undefined before it. */
  #opening: Promise<OpenServer> | undefined;
  /** Undefined unless it is opened again. */
  #reopening: Promise<void> | undefined;
  #data: DataServer | undefined;
  #ops: OpenOpsService | undefined;
  /** What is open, unless the server is being opened. */
  #parts: OpenServer | undefined;
  /** The threads that use the archive. */
  #archive: ArchiveShipping | undefined;
  #following: Following | undefined;
  /** Where both services are, while the server is open. */
  #urls: { readonly data: string; readonly ops: string } | undefined;

  /** `opsThread` was started with the same `settings` and is loading. */
  constructor(settings: OpsThreadData, opsThread: OpsThread, surroundings: ServerSurroundings) {
    this.#settings = settings;
    this.#opsThread = opsThread;
    this.#surroundings = surroundings;
  }

  /** Resolves when the server is ready. After an error everything is closed again, but for the operations thread. */
  async open(): Promise<OpenServer> {
    try {
      this.#opening = this.#openFirst();
      return await this.#opening;
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async #openFirst(): Promise<OpenServer> {
    const parts = await this.#open();
    await this.#becomeReady(parts);
    return parts;
  }

  /**
   * Closes everything, and opens it with the configuration that `change` returns, on the same ports. After an error
   * everything is closed, and `onFailure` is called.
   */
  reopen(change: (config: Config) => Config): Promise<void> {
    if (this.#closing !== undefined || this.#isStopping) return Promise.resolve();
    // What the server opens just now may have to be opened again: a follower can find a later generation at once.
    const done = (this.#reopening ?? Promise.resolve())
      .then(() => this.#reopen(change))
      .finally(() => {
        if (this.#reopening === done) this.#reopening = undefined;
      });
    this.#reopening = done;
    return done;
  }

  async #reopen(change: (config: Config) => Config): Promise<void> {
    try {
      await this.#opening;
    } catch {
      return; // everything is closed already, and the start has failed
    }
    if (this.#closing !== undefined || this.#isStopping) return;
    const { config } = this.#settings;
    const port = config.port || portOf(this.#urls?.data);
    const opsPort = config.opsPort || portOf(this.#urls?.ops);
    try {
      this.health.status = 'starting';
      await this.#closeAll();
      this.health.problems.clear();
      this.#settings = settingsOf(change({ ...config, port, opsPort }));
      this.#opsThread = startOpsThread(this.#settings);
      await this.#becomeReady(await this.#open());
    } catch (error) {
      await this.#closeAll().catch(() => {}); // the first error says more
      await this.#opsThread.close(opsCloseTimeoutMs);
      const failure = error instanceof Error ? error : new Error(String(error));
      this.#surroundings.onFailure(failure, 'the server could not be opened again');
    }
  }

  /** The parts that are open now, behind an opening that is under way. @throws Error if the server is closed */
  async openParts(): Promise<OpenServer> {
    await this.#opening?.catch(() => {}); // `open` reports the failure
    await this.#reopening;
    if (this.#parts === undefined) throw new Error('the server is closed');
    return this.#parts;
  }

  /** The users that the server has after the next opening. */
  keepUsers({ opsUsers, opsUser, opsPassword }: Config): void {
    const { config } = this.#settings;
    this.#settings = { ...this.#settings, config: { ...config, opsUsers, opsUser, opsPassword } };
  }

  get #isStopping(): boolean {
    return this.health.status === 'stopping';
  }

  /** Whether a call of the system keeps a thread: `process.exit` would wait for it. */
  get isKept(): boolean {
    return this.#archive?.isKept() === true || this.#following?.isKept() === true;
  }

  /** Shows clients and load balancers that the server stops; it still takes requests. */
  announceStop(): void {
    this.health.status = 'stopping';
    this.#data?.setStatus('stopping');
    this.#ops?.setHealth('stopping').catch(() => {}); // the end of the thread has been reported
  }

  /** Ends the requests under way, and closes what is open. @throws the first error, when everything was tried */
  close(): Promise<void> {
    this.#closing ??= this.#closeInTurn().finally(() => {
      this.#closing = undefined;
    });
    return this.#closing;
  }

  /** A stop can come during the start, whose threads cannot be ended while they are in SQLite. */
  async #closeInTurn(): Promise<void> {
    const opened = this.#opening?.catch(() => {}); // `open` reports the failure
    if (opened !== undefined) await waitAtMost(mostOpeningMs, opened);
    await this.#reopening;
    await this.#closeAll();
  }

  async #closeAll(): Promise<void> {
    const errors: unknown[] = [];
    this.#parts = undefined;
    for (let close = this.#opened.pop(); close !== undefined; close = this.#opened.pop()) {
      try {
        await close();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }

  async #becomeReady(parts: OpenServer): Promise<void> {
    const { data, ops } = parts;
    this.#parts = parts;
    if (this.#isStopping) {
      this.announceStop(); // the parts were not open when the stop was announced
      return;
    }
    this.health.status = 'ready';
    data.setStatus('ready');
    await ops.setHealth('ready');
    // Problems that were found while the operations service was not open yet.
    for (const [part, problem] of this.health.problems)
      if (part !== 'ops') ops.noteDataProblem({ part, problem });
  }

  async #open(): Promise<OpenServer> {
    const { config, version, tls, connections, shippedLogs } = this.#settings;
    const { logger, onFailure, commitDelayMs } = this.#surroundings;
    const parts = openProcessParts();
    this.#opened.push(() => parts.watch.stop());
    await this.#takeDirectories();
    const following = await this.#follow();
    await checkStorage(config, opsFile(this.#settings.opsDir), logger);
    const archive = await openArchive(this.#settings, logger, (error) =>
      onFailure(error, 'the archive thread ended'),
    );
    this.#archive = archive;
    this.#opened.push(() => archive?.close());
    const secrets = openSecrets(config);
    this.#opened.push(() => this.#data?.close());
    const answers = answerOpsThread({
      ...{ metrics: parts.metrics, keyStore: secrets.keys },
      dataServer: () => whenOpen(this.#data),
      promote: following && ((isForced) => this.#promote(following, isForced)),
      readRanges: (archive ?? following)?.readRanges,
    });
    const ops = openOpsService(this.#opsThread, answers, (error) =>
      onFailure(error, 'the operations service ended'),
    );
    this.#ops = ops;
    this.#opened.push(() => closeOps(ops, archive));
    const opening = openData({
      ...{ config, logger, parts, health: this.health, tls, secrets, maxConnections: connections.data },
      listeners: this.#listeners(ops),
      ...{ commitDelayMs, shippedLog: shippedLogs?.data },
      whenShipped: config.archiveAcknowledge === 'yes' ? archive?.whenShipped : undefined,
      whyReadOnly: following?.whyReadOnly,
    });
    // Logged here because the first entry loads the logger, and the threads are still starting.
    logger.info({ version, dataDir: config.dataDir }, 'starting');
    const data = await opening;
    this.#data = data;
    this.#opened.push(() => closePorts(data, ops));
    const opsUrl = await ops.start(data.names);
    archive?.keepLogs();
    archive?.setAddress({ url: data.url, opsUrl });
    this.#reportReplication({ archive, following }, parts.metrics, ops);
    this.#urls = { data: data.url, ops: opsUrl };
    warnOfExposure(config, tls, logger);
    const measuring = afterStart(() => parts.metrics.measureProcess(), logger);
    this.#opened.push(() => clearTimeout(measuring));
    return { data, ops, opsUrl };
  }

  /** Shows how far the archive, or the server that follows one, is behind. */
  #reportReplication({ archive, following }: Replication, metrics: Metrics, ops: OpenOpsService): void {
    const onProblem = (noted: DataProblem) => this.#noteProblem(noted, ops);
    if (archive !== undefined)
      this.#opened.push(reportArchive(archive.status, metrics, { onProblem, onFigures: ops.noteArchive }));
    if (following !== undefined)
      this.#opened.push(reportFollowing(following, metrics, { onProblem, onFigures: ops.noteFollow }));
  }

  /** The data directory is made again while the server answers; then the server is opened with it. */
  async #follow(): Promise<Following | undefined> {
    const { config } = this.#settings;
    if (config.follow === undefined) return undefined;
    const { logger, onFailure } = this.#surroundings;
    const { openFollowing } = await import('./following/open-following.js');
    const following = await openFollowing(config, logger, {
      onRemade: () => void this.reopen((present) => present),
      onEnd: (error) => onFailure(error, 'the thread that follows the archive ended'),
    });
    this.#following = following;
    this.#opened.push(() => following?.close());
    return following;
  }

  /** The reply is sent before the ports are closed. */
  async #promote(following: Following, isForced: boolean): Promise<void> {
    await following.promote(isForced);
    this.#surroundings.logger.info({}, 'the server becomes the first one');
    setTimeout(() => void this.reopen(promotedConfig), beforeReopenMs).unref();
  }

  #listeners(ops: OpenOpsService): DataServiceListeners {
    return {
      onSchemaChange: (news) => ops.schemaChanged(news),
      onProblem: (noted) => this.#noteProblem(noted, ops),
      onFatal: (error) => this.#surroundings.onFailure(error, 'the storage stopped working'),
    };
  }

  #noteProblem(noted: DataProblem, ops: OpenOpsService): void {
    noteProblem(this.health, noted.part, noted.problem);
    ops.noteDataProblem(noted);
  }

  /** Creates and locks the directories of both services. */
  async #takeDirectories(): Promise<void> {
    const { config, opsDir } = this.#settings;
    refuseUnfinished(config);
    refuseFollower(config);
    makeDirectory(config.dataDir, 'data directory');
    const dataLock = lockDataDirectory(config.dataDir);
    this.#opened.push(() => dataLock.release());
    makeDirectory(opsDir, 'operations directory');
    const opsLock = lockDataDirectory(opsDir, { name: 'operations directory', option: '--ops-dir' });
    this.#opened.push(() => opsLock.release());
  }
}

/** Opens the table data service in this process, or in as many workers as the configuration says. */
async function openData(surroundings: WorkersSurroundings & DataSurroundings): Promise<DataServer> {
  if (surroundings.config.workers === 1) return openDataServer(surroundings);
  const { openDataWorkers } = await import('./workers/open-data-workers.js');
  return openDataWorkers(surroundings);
}

function warnOfExposure(config: Config, tls: TlsIdentity | undefined, logger: Logger): void {
  if (tls !== undefined) warnOfDates(tls, config, systemClock.nowMs(), logger);
  for (const warning of exposureWarnings(config, tls !== undefined)) logger.warn({}, warning);
}

/** @throws OpsError while it is not open */
function whenOpen(data: DataServer | undefined): DataServer {
  if (data === undefined) throw new OpsError('Unavailable', 'the data service is starting');
  return data;
}

function portOf(url: string | undefined): number {
  return url === undefined ? 0 : Number(new URL(url).port);
}

function makeDirectory(directory: string, name: string): void {
  try {
    makeDirectories(directory);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new Error(`the ${name} ${directory} cannot be created: ${problem}`, { cause: error });
  }
}

const beforeReopenMs = 200;
/** How long a stop waits for the start; the whole stop may take less than twice as long. */
const mostOpeningMs = 5_000;

/** Long enough for clients that wait for the start to get their replies. */
const afterStartMs = 500;

function afterStart(work: () => Promise<void>, logger: Logger): NodeJS.Timeout {
  return setTimeout(() => {
    work().catch((err) => logger.error({ err }, 'work after the start failed'));
  }, afterStartMs).unref();
}

async function closePorts(data: DataServer, ops: OpenOpsService): Promise<void> {
  const [dataEnd, opsEnd] = await Promise.allSettled([data.stopListening(), ops.stopListening()]);
  for (const end of [dataEnd, opsEnd]) if (end.status === 'rejected') throw end.reason;
}

/** Connections to both databases can be open until then: see `ArchiveShipping.keepLogs`. */
function closeOps(ops: OpenOpsService, archive: ArchiveShipping | undefined): Promise<void> {
  archive?.keepLogs();
  return ops.close();
}
