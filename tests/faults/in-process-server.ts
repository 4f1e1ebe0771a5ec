// A table data service inside the test's process, for faults that need options no command line has.

import { checkedEngine } from '../../src/data-service/engine/checked-engine.js';
import {
  type EmbeddedEngineOptions,
  openEmbeddedEngine,
} from '../../src/data-service/engine/embedded/embedded-engine.js';
import type { Engine } from '../../src/data-service/engine/engine.js';
import type { RouteOptions } from '../../src/data-service/http/routes.js';
import { listen } from '../../src/foundation/http/server.js';
import { type Clock, systemClock } from '../../src/foundation/telemetry/clock.js';
import { createLogger } from '../../src/foundation/telemetry/logger.js';
import { dataRoutesOver } from '../data-routes.js';
import { DataClient } from './data-client.js';

/** Runs until `close`. */
export interface InProcessServer {
  readonly client: DataClient;
  readonly engine: Engine;
  close(): Promise<void>;
}

/** The options of the engine. */
export interface InProcessOptions extends Pick<EmbeddedEngineOptions, 'entrySizes' | 'slices'> {
  readonly clock?: Clock;
  readonly readTimeoutMs?: number;
  /** Options of the routes. */
  readonly routes?: Partial<RouteOptions>;
}

/** Serves a data directory, which exists and is used by nobody else. `clock` is the engine's. */
export async function startInProcess(
  dataDirectory: string,
  { clock = systemClock, readTimeoutMs = 10_000, routes = {}, ...sizes }: InProcessOptions = {},
): Promise<InProcessServer> {
  const onFatal = (error: Error) => {
    throw error;
  };
  return serveEngine(
    checkedEngine(await openEmbeddedEngine({ dataDirectory, clock, readTimeoutMs, onFatal, ...sizes })),
    routes,
  );
}

/** Serves an engine, which `close` closes too. */
export async function serveEngine(
  engine: Engine,
  more: Partial<RouteOptions> = {},
): Promise<InProcessServer> {
  const logger = createLogger('silent');
  const routes = dataRoutesOver(engine, { logger, ...more });
  const listener = await listen({ host: '127.0.0.1', port: 0, requestTimeoutMs: 60_000, logger, ...routes });
  const client = new DataClient(listener.url);
  return {
    client,
    engine,
    close: async () => {
      client.close();
      await listener.close();
      await engine.close();
    },
  };
}
