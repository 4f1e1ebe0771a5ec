// Opens the table data service: its engine and its HTTP routes.
import { randomUUID } from 'node:crypto';
import type { KeyStore } from '../data-service/embedding/key-store.js';
import type { Engine } from '../data-service/engine/engine.js';
import type { Maintain } from '../data-service/engine/maintenance.js';
import { createRequestMetrics } from '../data-service/http/request-metrics.js';
import { createDataRoutes, type DataRoutes } from '../data-service/http/routes.js';
import type { Config } from '../foundation/config/options.js';
import { loadOrMakeSecret } from '../foundation/secrets/secret-file.js';
import { turnsForWork } from '../foundation/shared-turns.js';
import { systemClock } from '../foundation/telemetry/clock.js';
import type { Logger } from '../foundation/telemetry/logger.js';
import type { DataServiceCalls } from '../ops-service/clusters/data-service-link.js';
import { LargeRequestLane } from './large-request-lane.js';
import { measureEngine } from './measure-engine.js';
import { openEmbedding } from './open-embedding.js';
import { openEngine, readTimeoutMs } from './open-engine.js';
import type { ProcessParts } from './open-process-parts.js';
import type { SchemaNames, SchemaNews } from './ops-messages.js';
import { reportSchemaChanges, schemaNames } from './report-schema-changes.js';
import { runNativeForOperators } from './run-native-for-operators.js';
import { watchWrites } from './watch-writes.js';

/** A service that can answer requests until it is closed. */
export interface OpenDataService extends DataRoutes {
  /** The keyspaces, tables and indexes at the start. */
  readonly names: SchemaNames;
  /** For the operations service. */
  readonly runNative: DataServiceCalls['runNative'];
  /** Undefined if the engine has none. */
  readonly maintain: Maintain | undefined;
  readonly keyStore: KeyStore;
  /** Called once, after the last reply was sent. */
  close(): Promise<void>;
}

/** The listeners of events in the data service. */
export interface DataServiceListeners {
  readonly onSchemaChange: (news: SchemaNews) => void;
  /** Called with a text when writes fail, and with undefined when they succeed again. */
  readonly onProblem: (problem: string | undefined) => void;
}

/** Opens the service on the data directory, which exists and is locked for this process. */
export async function openDataService(
  config: Config,
  logger: Logger,
  { metrics, traffic, turns }: Omit<ProcessParts, 'watch'>,
  { onSchemaChange, onProblem }: DataServiceListeners,
  commitDelayMs = 0,
): Promise<OpenDataService> {
  const embedding = openEmbedding(config);
  const { engine: opened, host: bareHost } = await openEngine(config, {
    clock: systemClock,
    turns,
    commitDelayMs,
    onFatal: (err) => {
      logger.fatal({ err }, 'the storage stopped working; the process ends');
      process.exit(1);
    },
    onWarning: (err) =>
      logger.warn(
        { err },
        'a part of the storage does not work: reads, searches or the next start are slower',
      ),
  });
  const pageStateKey = await keyBehind(opened, config.dataDir);
  const reported = { engine: reportSchemaChanges(opened, onSchemaChange), host: bareHost };
  const { engine: watched, host } = watchWrites(reported, onProblem);
  const engine = measureEngine(watched, traffic, systemClock);
  const names = schemaNames(await engine.readSchema());
  const largeRequests = new LargeRequestLane({
    data: { config, pageStateKey, readTimeoutMs },
    host,
    embedder: embedding.commandOptions.embedder,
    counter: traffic,
  });
  const routes = createDataRoutes({
    engine,
    dialect: config.dialect,
    pageStateKey,
    ...embedding.commandOptions,
    token: config.token,
    clock: systemClock,
    newId: randomUUID,
    logger,
    metrics: createRequestMetrics(metrics, traffic),
    largeRequests,
    runInTurn: turnsForWork(turns),
  });
  const { maintain } = engine;
  return {
    ...routes,
    names,
    maintain,
    keyStore: embedding.keyStore,
    runNative: runNativeForOperators(engine, largeRequests),
    close: async () => {
      await largeRequests.close();
      await engine.close();
    },
  };
}

/** Created after the data file: a key without a data file shows that the data file was lost. */
async function keyBehind(engine: Engine, dataDirectory: string): Promise<Buffer> {
  try {
    return loadOrMakeSecret(dataDirectory, 'page-state.key', 32);
  } catch (error) {
    await engine.close();
    throw error;
  }
}
