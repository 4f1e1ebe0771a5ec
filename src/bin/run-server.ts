// Runs a server as the work of its process: signals stop it, failures end the process, and its addresses are printed.
import type { Config } from '../foundation/config/options.js';
import { switchOffPretenuring } from '../foundation/machine/pretenuring.js';
import { createLogger, type Logger } from '../foundation/telemetry/logger.js';
import type { OpsThread } from './ops/open-ops-service.js';
import type { OpsThreadData } from './ops/ops-messages.js';
import { endOnBugs } from './parts/end-on-bugs.js';
import { endProcess } from './parts/end-process.js';
import { renewOnSignal } from './renew-on-signal.js';
import { Server } from './server.js';

/** Settings of a server in addition to its configuration. */
export interface RunOptions {
  /** Reads the configuration again, for settings that can change while the server runs. @throws ConfigProblems */
  readonly readConfigAgain?: () => Config;
  /** For benchmarks: imitates a disk whose flush takes this much longer. */
  readonly commitDelayMs?: number;
}

/**
 * Runs the server until a signal; resolves when both ports answer and their lines are printed. `opsThread` was started
 * with the same `settings` and is loading.
 */
export async function runServer(
  settings: OpsThreadData,
  opsThread: OpsThread,
  { commitDelayMs, readConfigAgain }: RunOptions,
): Promise<void> {
  const { config } = settings;
  const logger = createLogger(config.logLevel);
  endOnBugs(logger, () => server.isKept);
  const onFailure = (err: Error, message: string) => {
    logger.fatal({ err }, `${message}; the process ends`);
    endProcess(1, server.isKept);
  };
  const server = new Server(settings, opsThread, {
    ...{ logger, onFailure, commitDelayMs },
  });
  // From now on: a signal during the start, which may take minutes, waits for its end.
  renewOnSignal({
    ...{ config, logger, readConfigAgain },
    parts: () => server.openParts(),
    onUsers: (again) => server.keepUsers(again),
  });
  stopOnSignals(server, config.drainSeconds * 1000, logger);
  process.umask(0o077); // only the server's user may read rows and keys, even if others can read the directory
  const { data, opsUrl } = await server.open();
  if (server.health.status === 'stopping') return;
  switchOffPretenuring();
  announce(data.url, opsUrl, config, logger);
}

function announce(dataUrl: string, opsUrl: string, config: Config, logger: Logger): void {
  const urls = { 'table data service': dataUrl, operations: opsUrl, console: `${opsUrl}/` };
  process.stdout.on('error', (err) => logger.warn({ err }, 'the addresses could not be printed'));
  const lines = Object.entries(urls).map(([name, url]) => `Colonnade ${name} on ${url}\n`);
  process.stdout.write(lines.join('')); // at once: programs that wait for one line find all
  logger.info({ dataDir: config.dataDir, urls: [dataUrl, opsUrl] }, 'ready');
}

/** Supervisors kill after 10 s. */
const stopTimeoutMs = 9_500;

/** `drainMs`: for a ready server, the time between the announcement and the end of all other work. */
function stopOnSignals(server: Server, drainMs: number, logger: Logger): void {
  const close = () => {
    setTimeout(() => {
      // Acknowledged writes are on disk, so the stop does not wait for anything else.
      logger.fatal({ stopTimeoutMs }, 'could not stop in time');
      // `process.exit` waits for threads, and a thread in a long call of SQLite may cause the delay.
      process.kill(process.pid, 'SIGKILL');
    }, stopTimeoutMs).unref();
    server.close().then(
      () => {
        logger.info({}, 'stopped');
        endProcess(0, server.isKept);
      },
      (err) => {
        logger.fatal({ err }, 'could not stop cleanly');
        endProcess(1, server.isKept);
      },
    );
  };
  let isStopping = false;
  const stop = (signal: NodeJS.Signals) => {
    if (isStopping) {
      logger.warn({ signal }, 'stopped immediately by a second signal');
      endProcess(1, server.isKept);
    }
    isStopping = true;
    const isDraining = server.health.status === 'ready' && drainMs > 0;
    logger.info({ signal, ...(isDraining ? { drainMs } : {}) }, 'stopping');
    server.announceStop();
    if (isDraining) setTimeout(close, drainMs);
    else close();
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}
