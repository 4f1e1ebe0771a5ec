// Opens the table data service: its engine and its HTTP routes.
import { randomUUID } from 'node:crypto';
import { checkedEngine, type EngineWatch } from '../../data-service/engine/checked-engine.js';
import type { Engine } from '../../data-service/engine/engine.js';
import { EngineError } from '../../data-service/engine/engine-error.js';
import type { Maintain } from '../../data-service/engine/maintenance.js';
import { FailureLog } from '../../data-service/http/failure-log.js';
import { createRequestMetrics } from '../../data-service/http/request-metrics.js';
import { createDataRoutes, type DataRoutes, type RouteOptions } from '../../data-service/http/routes.js';
import type { PageStateKey } from '../../data-service/query/page-state.js';
import type { Schema } from '../../data-service/schema/keyspace.js';
import { rowsFileOf } from '../../foundation/config/engines/registry.js';
import type { Config } from '../../foundation/config/options.js';
import type { DataProblem } from '../../foundation/http/health.js';
import { turnsForWork } from '../../foundation/shared-turns.js';
import { type FileUpgrade, logUpgrade } from '../../foundation/sqlite/file-upgrade.js';
import { logMakingSums, type MakingSums } from '../../foundation/sqlite/prepare-sums.js';
import type { ShippedLogSettings } from '../../foundation/sqlite/shipped-log.js';
import { unknownObject } from '../../foundation/sqlite/unknown-objects.js';
import { systemClock } from '../../foundation/telemetry/clock.js';
import type { Logger } from '../../foundation/telemetry/logger.js';
import type { DataServiceCalls } from '../../ops-service/clusters/data-service-link.js';
import type { SchemaNames, SchemaNews } from '../../ops-service/clusters/schema-news.js';
import { engineModules } from '../engines/registry.js';
import { LargeRequestThreadClient } from '../large-requests/large-request-thread-client.js';
import { openEmbedding } from '../parts/open-embedding.js';
import type { ProcessParts } from '../parts/open-process-parts.js';
import type { DataServiceSecrets } from '../parts/open-secrets.js';
import { passCommands } from './pass-commands.js';
import { runNativeForOperators } from './run-native-for-operators.js';
import { schemaNames } from './schema-names.js';

/** A service that can answer requests until it is closed. */
export interface OpenDataService extends DataRoutes {
  /** The keyspaces, tables and indexes at the start. */
  readonly names: SchemaNames;
  /** Runs native queries for the operations service. */
  readonly runNative: DataServiceCalls['runNative'];
  /** Answers commands that the operations port passes on. */
  readonly passCommand: DataServiceCalls['passCommand'];
  /** Undefined if the engine has no maintenance. */
  readonly maintain: Maintain | undefined;
  /** Called once, after the last reply was sent. */
  close(): Promise<void>;
}

/** The listeners of events in the data service. */
export interface DataServiceListeners {
  readonly onSchemaChange: (news: SchemaNews) => void;
  /** Called when writes fail or the storage cannot be reached, and when this is over. */
  readonly onProblem: (noted: DataProblem) => void;
  /** Called when the storage has stopped working and will not work again. */
  readonly onFatal: (error: Error) => void;
}

/** What the service needs from the process. */
export interface DataServiceOptions {
  readonly config: Config;
  readonly logger: Logger;
  readonly parts: Omit<ProcessParts, 'watch'>;
  readonly listeners: DataServiceListeners;
  readonly secrets: DataServiceSecrets;
  /** The number of this process among the workers, for the log; undefined if it is the only one. */
  readonly worker?: number | undefined;
  /** Lets checkpoints of the engine wait until its log is shipped to an archive. */
  readonly shippedLog?: ShippedLogSettings | undefined;
  /** Why nothing is written, as a clause for clients: the server follows another one. */
  readonly whyReadOnly?: (() => string) | undefined;
  /** Resolves when the archive has what was committed; undefined if writes do not wait for it. */
  readonly whenShipped?: (() => Promise<void>) | undefined;
  /** Benchmarks only: imitates a disk whose flush takes this much longer. */
  readonly commitDelayMs?: number | undefined;
}

/** The time limit of a read; official clients wait 10 to 15 s for a reply. */
const readTimeoutMs = 10_000;

/** Opens the service on the data directory, which exists and is locked for this process. */
export async function openDataService(options: DataServiceOptions): Promise<OpenDataService> {
  const { config, logger, secrets, worker, commitDelayMs = 0 } = options;
  const { shippedLog, whenShipped, whyReadOnly } = options;
  const { metrics, traffic, turns } = options.parts;
  const { onSchemaChange, onProblem } = options.listeners;
  const opened = openEmbedding(config, secrets.keys);
  const { localModels, providersText, close: closeEmbedding, ...embedding } = opened;
  const reports = reportsTo(config, logger, options.listeners);
  const watch: EngineWatch = {
    clock: systemClock,
    counter: traffic,
    onWritten: whenChanged((problem) => onProblem({ part: 'data', problem })),
    onSchemaChange: (message, schema) => onSchemaChange({ message, ...schemaNames(schema) }),
  };
  const { engine, users, shared, hostThread } = await engineModules[config.engine].open(config, {
    ...{ clock: systemClock, newId: randomUUID, turns, readTimeoutMs, commitDelayMs },
    ...{ shippedLog, whenShipped, whyReadOnly },
    wrap: (bare: Engine) => checkedEngine(bare, watch),
    ...reports,
  });
  const pageStateKey = await keyBehind(engine, secrets);
  const names = schemaNames(await schemaAtStart(engine));
  const largeRequests = new LargeRequestThreadClient({
    data: { config, localModels, providersText, worker, pageStateKey, readTimeoutMs, shared },
    hostThread,
    embedder: embedding.embedder,
    reranker: embedding.reranker,
    watch,
  });
  const routeOptions: RouteOptions = {
    engine,
    dialect: config.dialect,
    collections: config.collections === 'on',
    pageStateKey,
    ...embedding,
    token: config.token,
    users,
    requiresUser: config.cassandraRequireUser === 'yes',
    ...{ clock: systemClock, newId: randomUUID, logger },
    failures: new FailureLog(logger, systemClock),
    metrics: createRequestMetrics(metrics, traffic),
    largeRequests,
    runInTurn: turnsForWork(turns),
  };
  const stopNews = whyReadOnly === undefined ? () => {} : reportFollowedSchema(engine, onSchemaChange);
  return {
    ...createDataRoutes(routeOptions),
    passCommand: passCommands(engine, routeOptions, onSchemaChange),
    names,
    maintain: engine.maintain,
    runNative: runNativeForOperators(engine, largeRequests),
    close: async () => {
      stopNews();
      await largeRequests.close();
      await closeEmbedding();
      await users?.close();
      await engine.close();
    },
  };
}

const schemaNewsMs = 1_000;

/** Reports changes of a schema that another server makes, until the result is called. */
function reportFollowedSchema(engine: Engine, report: DataServiceListeners['onSchemaChange']): () => void {
  let known: Schema | undefined;
  const look = async () => {
    const schema = await engine.readSchema();
    if (known !== undefined && known !== schema)
      report({ message: 'the server that is followed changed the schema', ...schemaNames(schema) });
    known = schema;
  };
  const timer = setInterval(() => {
    look().catch(() => {}); // a read that fails is reported by the requests that need it
  }, schemaNewsMs).unref();
  return () => clearInterval(timer);
}

/** Passes on each problem when it begins, and undefined when it has ended. */
function whenChanged(report: (problem: string | undefined) => void): typeof report {
  let known: string | undefined;
  return (problem) => {
    if (problem === known) return;
    known = problem;
    report(problem);
  };
}

function reportsTo({ engine }: Config, logger: Logger, { onProblem, onFatal }: DataServiceListeners) {
  return {
    onFatal,
    onWarning: (err: Error) =>
      logger.warn(
        { err },
        'a part of the storage does not work: reads, searches or the next start are slower',
      ),
    onUpgrade: (upgrade: FileUpgrade) => logUpgrade(logger, upgrade),
    onMakingSums: (making: MakingSums) => logMakingSums(logger, making),
    onUnknownObjects: (problems: readonly string[]) => {
      for (const problem of problems) logger.error({ file: rowsFileOf(engine), problem }, unknownObject);
    },
    onUnreachable: (problem: string | undefined) => {
      if (problem === undefined) logger.info({}, 'the storage can be reached again');
      else logger.error({ problem }, 'the storage cannot be reached; it is tried again');
      onProblem({ part: 'storage', problem });
    },
  };
}

/** Without keyspaces where the storage cannot be read yet, because a cluster is away, starts or has too much to do. */
async function schemaAtStart(engine: Engine): Promise<Schema> {
  try {
    return await engine.readSchema();
  } catch (error) {
    if (error instanceof EngineError && error.kind !== 'closed') return { keyspaces: new Map() };
    throw error;
  }
}

/** The key is created after the data file: a key without a data file shows that the data file was lost. */
async function keyBehind(engine: Engine, { pageStateKey }: DataServiceSecrets): Promise<PageStateKey> {
  try {
    return pageStateKey();
  } catch (error) {
    await engine.close();
    throw error;
  }
}
