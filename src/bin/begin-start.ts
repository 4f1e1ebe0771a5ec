// Begins a start so that the parts of a server load at the same time: loading the operations thread takes as long as
// everything else.
import { join, resolve } from 'node:path';
import { ConfigProblems } from '../foundation/config/load-config.js';
import type { Config } from '../foundation/config/options.js';
import { readTlsFiles } from '../foundation/http/tls-files.js';
import { connectionLimits } from '../foundation/limits/connection-limits.js';
import { descriptorLimit } from '../foundation/machine/descriptor-limit.js';
import { makeShippedLog } from '../foundation/sqlite/shipped-log.js';
import { makeWritePermit } from '../foundation/sqlite/write-permit.js';
import { configAsPromoted, opsDirOf } from './following/follow-config.js';
import { type OpsThread, opsCloseTimeoutMs, startOpsThread } from './ops/open-ops-service.js';
import type { OpsThreadData, ShippedLogs } from './ops/ops-messages.js';
import { readVersion } from './parts/read-version.js';

/** Starts the operations thread, and ends it if `goOn` fails, which loads and opens everything else. */
export async function beginStart<T>(
  given: Config,
  goOn: (settings: OpsThreadData, opsThread: OpsThread) => Promise<T>,
): Promise<T> {
  const settings = settingsOf(given);
  const opsThread = startOpsThread(settings);
  try {
    return await goOn(settings, opsThread);
  } catch (error) {
    // A process that ends while a thread loads SQLite is aborted: its exit code and its last words would be lost.
    await opsThread.close(opsCloseTimeoutMs);
    throw error;
  }
}

/** What the parts of a server get at its start. @throws ConfigProblems, errors of the file system */
export function settingsOf(given: Config): OpsThreadData {
  const config = configAsPromoted({ ...given, dataDir: resolve(given.dataDir) });
  const opsDir = config.opsDir === undefined ? join(config.dataDir, 'ops') : resolve(config.opsDir);
  if (opsDir === config.dataDir)
    throw new ConfigProblems([
      `--ops-dir is the data directory ${opsDir}, which has other files: leave it out, or give another directory`,
    ]);
  return {
    config,
    opsDir: opsDirOf(config, opsDir),
    version: readVersion(),
    tls: readTlsFiles(config),
    connections: connectionLimits(config.maxConnections, descriptorLimit()),
    shippedLogs: shippedLogsFor(config),
  };
}

/** How long the end of each database waits for its archive: both together take less time than a stop may. */
const endWaitMs = 2_000;
/**
 * How long a commit waits for the archive when the log is long; near its limit eight times as long. The official
 * clients wait 10 to 15 s for a reply.
 */
const lookWaitMs = 500;
const leastRoomBytes = 64 * 1024 * 1024;

function shippedLogsFor({ archive, archiveLogLimit }: Config): ShippedLogs | undefined {
  if (archive === undefined) return undefined;
  const [permit, mostLogBytes] = [makeWritePermit(), archiveLogLimit * 1024 * 1024];
  const make = () => ({
    shared: makeShippedLog(),
    mostLogBytes,
    leastRoomBytes,
    endWaitMs,
    lookWaitMs,
    permit,
  });
  return { data: make(), ops: make(), permit };
}
