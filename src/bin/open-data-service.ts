// Opens the table data service: its engine and what answers its requests.
import { randomUUID } from 'node:crypto';
import { createRequestMetrics } from '../data-service/http/request-metrics.js';
import { createDataRoutes, type DataRoutes } from '../data-service/http/routes.js';
import type { Config } from '../foundation/config/options.js';
import { loadOrMakeSecret } from '../foundation/secrets/secret-file.js';
import { systemClock } from '../foundation/telemetry/clock.js';
import type { Logger } from '../foundation/telemetry/logger.js';
import type { Metrics } from '../foundation/telemetry/metrics.js';
import { openEngine } from './open-engine.js';
import type { SchemaNews } from './ops-messages.js';
import { reportSchemaChanges, tablesOf } from './report-schema-changes.js';

/** A service that can answer requests until it is closed. */
export interface OpenDataService extends DataRoutes {
  /** `keyspace.table` of all tables. */
  readonly tables: readonly string[];
  /** Called once, after the last reply has left. */
  close(): Promise<void>;
}

/** Opens the service on the data directory, which exists and is locked for this process. */
export async function openDataService(
  config: Config,
  logger: Logger,
  metrics: Metrics,
  onSchemaChange: (news: SchemaNews) => void,
  commitDelayMs = 0,
): Promise<OpenDataService> {
  const pageStateKey = loadOrMakeSecret(config.dataDir, 'page-state.key', 32);
  const opened = await openEngine(config, {
    clock: systemClock,
    commitDelayMs,
    onFatal: (err) => {
      logger.fatal({ err }, 'the storage can no longer work; the process ends');
      process.exit(1);
    },
    onWarning: (err) =>
      logger.warn({ err }, 'the vector indexes do not work as they should: searches are slower'),
  });
  const engine = reportSchemaChanges(opened, onSchemaChange);
  const tables = tablesOf(await engine.readSchema());
  const routes = createDataRoutes({
    engine,
    dialect: config.dialect,
    pageStateKey,
    token: config.token,
    clock: systemClock,
    newId: randomUUID,
    logger,
    metrics: createRequestMetrics(metrics),
  });
  return { ...routes, tables, close: () => engine.close() };
}
