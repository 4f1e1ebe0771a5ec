// Starts the server so that its parts load at the same time: loading the operations thread takes as long as everything
// else.
import { join, resolve } from 'node:path';
import type { Config } from '../foundation/config/options.js';
import { readTlsFiles } from '../foundation/http/tls-files.js';
import { connectionLimits } from '../foundation/limits/connection-limits.js';
import { descriptorLimit } from '../foundation/machine/descriptor-limit.js';
import { opsCloseTimeoutMs, startOpsThread } from './ops/open-ops-service.js';
import type { OpsThreadData } from './ops/ops-messages.js';
import { readVersion } from './parts/read-version.js';
import { tuneProcess } from './parts/tune-process.js';
import type { RunOptions } from './run-server.js';

/** Serves until a signal; resolves when both ports answer and their lines are printed. */
export async function serve(given: Config, options: RunOptions = {}): Promise<void> {
  tuneProcess();
  const config: Config = { ...given, dataDir: resolve(given.dataDir) };
  const opsDir = config.opsDir === undefined ? join(config.dataDir, 'ops') : resolve(config.opsDir);
  const connections = connectionLimits(config.maxConnections, descriptorLimit());
  const tls = readTlsFiles(config);
  const opsData: OpsThreadData = { config, opsDir, version: readVersion(), tls, connections };
  const opsThread = startOpsThread(opsData);
  try {
    const { runServer } = await import('./run-server.js');
    await runServer(opsData, opsThread, options);
  } catch (error) {
    // A process that ends while a thread loads SQLite is aborted: its exit code and its last words would be lost.
    await opsThread.close(opsCloseTimeoutMs);
    throw error;
  }
}
