// The table data service in worker processes, which serve one port together, for engines whose storage is elsewhere.
import type { KeyStore } from '../../data-service/embedding/key-store.js';
import type { PageStateKey } from '../../data-service/query/page-state.js';
import { getOrMake } from '../../foundation/get-or-make.js';
import {
  type DataProblem,
  type Health,
  type HealthStatus,
  noteProblem,
} from '../../foundation/http/health.js';
import type { TlsIdentity } from '../../foundation/http/server.js';
import { WorkerGone, WorkerPlace } from '../../foundation/processes/worker-place.js';
import { systemClock } from '../../foundation/telemetry/clock.js';
import type { Collections } from '../../foundation/telemetry/collections.js';
import type { MetricValues } from '../../foundation/telemetry/metric-series.js';
import { sumCounts } from '../../foundation/telemetry/metrics.js';
import { MovedResult, type ResultOf } from '../../foundation/threads/thread-link.js';
import { ownMemoryOf } from '../../foundation/threads/worker-thread.js';
import { waitAtMost } from '../../foundation/wait-at-most.js';
import type { DataServiceCalls } from '../../ops-service/clusters/data-service-link.js';
import type { ProcessFigures } from '../../ops-service/clusters/process-readings.js';
import type { SchemaNames } from '../../ops-service/clusters/schema-news.js';
import { sumCollections, sumProcessFigures } from '../../ops-service/clusters/sum-process-figures.js';
import { OpsError } from '../../ops-service/errors/ops-error.js';
import type { DataServer } from '../data/data-server.js';
import { moved } from '../data/pass-commands.js';
import type { DataSurroundings } from '../data/serve-data.js';
import { countProcess } from '../parts/open-process-parts.js';
import type { StoredSecrets } from '../parts/open-secrets.js';
import {
  type DataWorkerCalls,
  type DataWorkerHost,
  type DataWorkerSettings,
  dataWorkerErrors,
  type KeyEntries,
  type StartedDataWorker,
} from './data-worker-messages.js';

/** What the workers need from the process that starts them. */
export interface WorkersSurroundings extends Omit<DataSurroundings, 'worker' | 'commitDelayMs'> {
  readonly secrets: StoredSecrets;
}

/** Starts as many workers as the configuration says. Rejects, without leaving any, when one of them cannot serve. */
export async function openDataWorkers(surroundings: WorkersSurroundings): Promise<DataServer> {
  const workers = new DataWorkers(surroundings);
  await workers.start();
  return workers;
}

/** A worker that does not answer a short call in this time is left out. */
const longestAnswerMs = 2000;
/** More than a port takes to close. */
const longestStopMs = 9000;
const noCollections = { count: 0, totalMs: 0 };

type DataWorkerPlace = WorkerPlace<DataWorkerCalls, DataWorkerHost, StartedDataWorker>;

class DataWorkers implements DataServer {
  readonly #surroundings: WorkersSurroundings;
  readonly #pageStateKey: PageStateKey;
  readonly #places: readonly DataWorkerPlace[];
  readonly #takeOwnFigures: () => ProcessFigures;
  readonly #problems = new Map<number, Map<DataProblem['part'], string>>();
  #status: HealthStatus = 'starting';
  #opsProblem: string | undefined;
  #tls: TlsIdentity | undefined;
  /** The port that workers bind: with 0 they share the one that the system chose, as long as any of them runs. */
  #port: number;
  #chosenPort = 0;
  #next = 0;
  readonly #lastMetrics = new Map<number, MetricValues>();
  #endedMetrics: Promise<MetricValues> = Promise.resolve([]);
  readonly #lastCollections = new Map<number, Collections>();
  #endedCollections: Collections = { minor: noCollections, major: noCollections };
  readonly maintain = undefined;
  url = '';
  names: SchemaNames = { keyspaces: [], tables: [] };

  constructor(surroundings: WorkersSurroundings) {
    const { config, parts, secrets, tls } = surroundings;
    this.#surroundings = surroundings;
    this.#pageStateKey = secrets.pageStateKey();
    this.#tls = tls;
    this.#port = config.port;
    this.#takeOwnFigures = countProcess(parts.traffic, systemClock);
    this.#places = Array.from({ length: config.workers }, (_, at) => this.#makePlace(at + 1));
  }

  async start(): Promise<void> {
    try {
      const [first] = await Promise.all(this.#places.map((place) => place.start()));
      if (first === undefined) return;
      this.url = first.url;
      this.names = first.names;
      this.#chosenPort = first.port;
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  connectionCount(): number {
    return 0; // each worker counts its own
  }

  turns(): undefined {
    return undefined; // each worker has its own
  }

  readonly runNative: DataServiceCalls['runNative'] = async (query, signal) => {
    const packed = await this.#nextPlace().call('runNative', query, signal).catch(toUnavailable('statement'));
    return new MovedResult(packed, ownMemoryOf(packed));
  };

  readonly passCommand: DataServiceCalls['passCommand'] = async (command, signal) => {
    const answer = this.#nextPlace().call('passCommand', command, signal);
    return moved((await answer.catch(toUnavailable('command'))).reply);
  };

  async workerMetrics(): Promise<readonly MetricValues[]> {
    const read = await this.#askEach('readMetrics', undefined);
    for (const [worker, values] of read) this.#lastMetrics.set(worker, values);
    return [...read.values(), await this.#endedMetrics];
  }

  async takeFigures(): Promise<ProcessFigures> {
    const taken = await this.#askEach('takeFigures', undefined);
    for (const [worker, { collections }] of taken) this.#lastCollections.set(worker, collections);
    const sum = sumProcessFigures(this.#takeOwnFigures(), [...taken.values()]);
    // Counts since the start must not fall when a worker ends, or does not answer in time.
    const own = sumCollections([sum.collections, this.#endedCollections]);
    const missing = [...this.#lastCollections].filter(([worker]) => !taken.has(worker));
    return { ...sum, collections: sumCollections([own, ...missing.map(([, collections]) => collections)]) };
  }

  setStatus(status: HealthStatus): void {
    this.#status = status;
    if (status === 'stopping') for (const place of this.#places) place.stopRestarting();
    this.#announceHealth();
  }

  noteOpsProblem(problem: string | undefined): void {
    this.#opsProblem = problem;
    this.#announceHealth();
  }

  async keysChanged(): Promise<void> {
    const entries = entriesOf(this.#surroundings.secrets.keys);
    await this.#askEach('setKeys', entries, { places: this.#running() });
  }

  async renewTls(identity: TlsIdentity): Promise<void> {
    this.#tls = identity;
    await this.#askEach('renewTls', identity);
  }

  async stopListening(): Promise<void> {
    await this.#askEach('stopListening', undefined, { timeoutMs: longestStopMs });
  }

  async close(): Promise<void> {
    await Promise.all(this.#places.map((place) => place.close()));
  }

  #makePlace(worker: number): DataWorkerPlace {
    const { listeners, logger } = this.#surroundings;
    return new WorkerPlace({
      worker,
      module: new URL('./data-worker.js', import.meta.url),
      start: (link) => link.call('start', this.#settingsFor(worker)),
      beat: (link) => link.call('beat', undefined),
      end: (link) => link.notify('close', undefined),
      failedStart: 'a worker could not open the data service',
      errorForms: dataWorkerErrors,
      host: {
        noteProblem: (noted) => this.#noteProblem(worker, noted),
        schemaChanged: listeners.onSchemaChange,
      },
      onEnd: () => this.#noteEnd(worker),
      onAgain: () => {
        this.#announceProblems();
        if (this.#tls !== undefined) void this.renewTls(this.#tls);
      },
      clock: systemClock,
      logger,
    });
  }

  #settingsFor(worker: number): DataWorkerSettings {
    const { config, maxConnections, secrets } = this.#surroundings;
    if (
      !this.#places.some(({ isRunning, worker: other }) => isRunning && other !== worker) &&
      this.#chosenPort > 0
    )
      this.#port = this.#chosenPort;
    return {
      worker,
      config: { ...config, port: this.#port },
      tls: this.#tls,
      maxConnections,
      pageStateKey: this.#pageStateKey,
      keys: entriesOf(secrets.keys),
      health: this.#health(),
    };
  }

  #noteProblem(worker: number, { part, problem }: DataProblem): void {
    const known = getOrMake(this.#problems, worker, noProblems);
    if (problem === undefined) known.delete(part);
    else known.set(part, problem);
    this.#announceProblems();
  }

  #noteEnd(worker: number): void {
    this.#problems.delete(worker);
    const [metrics, collections] = [this.#lastMetrics.get(worker), this.#lastCollections.get(worker)];
    this.#lastMetrics.delete(worker);
    this.#lastCollections.delete(worker);
    if (metrics !== undefined)
      this.#endedMetrics = this.#endedMetrics.then((ended) => sumCounts([ended, metrics]));
    if (collections !== undefined)
      this.#endedCollections = sumCollections([this.#endedCollections, collections]);
    this.#announceProblems();
  }

  /** Shows them on both ports: a client sees the same, whichever worker answers it. */
  #announceProblems(): void {
    const { listeners } = this.#surroundings;
    const { problems } = this.#health();
    for (const part of ['data', 'storage', 'workers'] as const)
      listeners.onProblem({ part, problem: problems.get(part) });
    this.#announceHealth();
  }

  #announceHealth(): void {
    void this.#askEach('setHealth', this.#health(), { places: this.#running() });
  }

  #health(): Health {
    const problems: Health['problems'] = new Map();
    const health = { status: this.#status, problems };
    for (const part of ['data', 'storage'] as const)
      noteProblem(health, part, [...this.#problems.values()].find((known) => known.has(part))?.get(part));
    const missing = this.#places.length - this.#serving().length;
    if (this.#status === 'ready' && missing > 0)
      noteProblem(health, 'workers', `${missing} of ${this.#places.length} workers do not run`);
    noteProblem(health, 'ops', this.#opsProblem);
    return health;
  }

  /** Workers that serve get such calls in turn. @throws OpsError `Unavailable` when none serves */
  #nextPlace(): DataWorkerPlace {
    const serving = this.#serving();
    this.#next += 1;
    const place = serving[this.#next % serving.length];
    if (place === undefined) throw new OpsError('Unavailable', 'no worker runs');
    return place;
  }

  #running(): readonly DataWorkerPlace[] {
    return this.#places.filter(({ isRunning }) => isRunning);
  }

  #serving(): readonly DataWorkerPlace[] {
    return this.#places.filter(({ isServing }) => isServing);
  }

  /** The answers by the number of the worker. Workers that end meanwhile or do not answer in time are left out. */
  async #askEach<Name extends keyof DataWorkerCalls>(
    name: Name,
    argument: Parameters<DataWorkerCalls[Name]>[0],
    { places = this.#serving(), timeoutMs = longestAnswerMs } = {},
  ): Promise<ReadonlyMap<number, ResultOf<DataWorkerCalls[Name]>>> {
    const answers = new Map<number, ResultOf<DataWorkerCalls[Name]>>();
    const asked = places.map(async (place) => {
      try {
        answers.set(place.worker, await place.call(name, argument));
      } catch (err) {
        if (!(err instanceof WorkerGone))
          this.#surroundings.logger.error(
            { err, worker: place.worker, call: name },
            'a call of a worker failed',
          );
      }
    });
    await waitAtMost(timeoutMs, Promise.all(asked));
    return answers;
  }
}

/** Handles the failure of a call: what a worker did that has ended is not known. */
function toUnavailable(what: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof WorkerGone)) throw error;
    const problem = `${error.message}; it is not known whether the ${what} took effect`;
    throw new OpsError('Unavailable', problem, { cause: error });
  };
}

const noProblems = () => new Map<DataProblem['part'], string>();

function entriesOf(keys: KeyStore): KeyEntries {
  return new Map(keys.names().map((name) => [name, keys.get(name) ?? { secrets: {} }]));
}
