// Opens the table data service: its engine and what answers its requests.
import type { Config } from '../foundation/config/options.js';
import type { HttpHandler } from '../foundation/http/http-handler.js';
import type { Logger } from '../foundation/telemetry/logger.js';
import type { Metrics } from '../foundation/telemetry/metrics.js';

export interface OpenDataService {
  readonly handler: HttpHandler;
  /** Called once, after the last reply has left. */
  close(): Promise<void>;
}

/** Opens the service on the data directory, which exists and is locked for this process. */
export async function openDataService(
  _config: Config,
  _logger: Logger,
  _metrics: Metrics,
): Promise<OpenDataService> {
  return {
    handler: () => ({ status: 404, contentType: 'text/plain', body: '' }),
    close: async () => {},
  };
}
