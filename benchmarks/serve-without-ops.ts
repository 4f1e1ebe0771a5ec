// The table data service alone, put together as the server does it: what it does not cost is the operations service.
import { mkdirSync } from 'node:fs';
import { openDataService } from '../src/bin/data/open-data-service.js';
import { countProcess } from '../src/bin/parts/open-process-parts.js';
import { openSecrets } from '../src/bin/parts/open-secrets.js';
import { loadConfig } from '../src/foundation/config/load-config.js';
import { answerHealth } from '../src/foundation/http/health.js';
import { listen } from '../src/foundation/http/server.js';
import { SharedTurns } from '../src/foundation/shared-turns.js';
import { systemClock } from '../src/foundation/telemetry/clock.js';
import { createLogger } from '../src/foundation/telemetry/logger.js';
import { createMetrics } from '../src/foundation/telemetry/metrics.js';
import { Traffic } from '../src/foundation/telemetry/traffic.js';

// The first word is `serve`, as for the server.
const config = loadConfig(process.argv.slice(3));
const logger = createLogger(config.logLevel);
const metrics = createMetrics();
const traffic = new Traffic();
const takeFigures = countProcess(traffic, systemClock);
mkdirSync(config.dataDir, { recursive: true });
const parts = { metrics, traffic, turns: new SharedTurns(systemClock) };
const listeners = {
  onSchemaChange: () => {},
  onProblem: () => {},
  onFatal: (error: Error) => {
    throw error;
  },
};
const secrets = openSecrets(config);
const dataService = await openDataService({ config, logger, parts, listeners, secrets });
const health = { status: 'ready', problems: new Map() } as const;
const listener = await listen({
  host: config.host,
  port: config.port,
  requestTimeoutMs: config.requestTimeoutSeconds * 1000,
  logger,
  answerHead: (head) => answerHealth(head, health, process.pid, () => true) ?? dataService.answerHead(head),
  onConnection: () => parts.turns.noteConnection(),
  answer: dataService.answer,
});
process.on('SIGTERM', async () => {
  await listener.close();
  await dataService.close();
  takeFigures();
  process.exit(0);
});
process.stdout.write(`Colonnade table data service on ${listener.url}\n`);
