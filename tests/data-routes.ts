// The routes of the data service over an engine, with nothing around them.
import { randomUUID } from 'node:crypto';
import type { Engine } from '../src/data-service/engine/engine.js';
import { createDataRoutes, type DataRoutes, type RouteOptions } from '../src/data-service/http/routes.js';
import { systemClock } from '../src/foundation/telemetry/clock.js';
import { createLogger } from '../src/foundation/telemetry/logger.js';
import { withoutEmbedding } from './without-embedding.js';

/** Routes in the strict dialect, without a token, metrics, a log and embeddings, except for what `more` has. */
export function dataRoutesOver(engine: Engine, more: Partial<RouteOptions> = {}): DataRoutes {
  return createDataRoutes({
    ...withoutEmbedding,
    engine,
    dialect: 'strict',
    pageStateKey: Buffer.alloc(32),
    token: undefined,
    clock: systemClock,
    newId: randomUUID,
    logger: createLogger('silent'),
    failures: { log() {} },
    metrics: { observe() {} },
    ...more,
  });
}
