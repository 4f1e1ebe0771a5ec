// Opens the shipping to the archive of the configuration, before the databases are opened.
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { readFollowState } from '../../archive/following/follow-state.js';
import type { ArchiveShipping } from '../../archive/shipping/archive-thread-client.js';
import { rowsFileOf } from '../../foundation/config/engines/registry.js';
import type { Logger } from '../../foundation/telemetry/logger.js';
import type { ThreadEnded } from '../../foundation/threads/worker-thread.js';
import { type OpsThreadData, opsFile } from '../ops/ops-messages.js';
import { addressOfArchive } from '../parts/address-of-archive.js';
import { secretFiles } from '../parts/open-secrets.js';

/**
 * Starts the archive thread; undefined without an archive. The data directory is locked, and no database is open.
 * `onEnd` is called if the thread ends by itself. @throws ConfigProblems for an address that cannot be used,
 * Error if another server writes to the archive
 */
export async function openArchive(
  { config, opsDir, version, shippedLogs }: OpsThreadData,
  logger: Logger,
  onEnd: (ended: ThreadEnded) => void,
): Promise<ArchiveShipping | undefined> {
  const { dataDir, archive } = config;
  if (archive === undefined || shippedLogs === undefined) {
    await forgetArchive(dataDir);
    return undefined;
  }
  const address = addressOfArchive(config, archive);
  const { startShipping } = await import('../../archive/shipping/archive-thread-client.js');
  const rows = join(dataDir, rowsFileOf(config.engine) ?? '');
  let isOpen = false;
  const shipping = await startShipping(
    {
      address,
      directory: {
        dataDir,
        paths: { data: rows, ops: opsFile(opsDir) },
        files: secretFiles.map((name) => ({ name, path: join(dataDir, name) })),
        madeBy: `colonnade ${version}`,
        engine: config.engine,
        keptDays: config.archiveDays,
        followed: readFollowState(dataDir)?.generation,
      },
      shared: { data: shippedLogs.data.shared, ops: shippedLogs.ops.shared },
      lease: {
        ...{ permit: shippedLogs.permit, host: hostname() },
        durationMs: config.archiveLease * 1000,
        stopsWrites: config.archiveTakeover === 'yes',
      },
    },
    {
      // Before, the end of the thread is that of the start, whose error says why.
      onEnd: (ended) => {
        if (isOpen) onEnd(ended);
      },
      onGeneration: (generation, reason) =>
        logger.info({ archive, generation, reason }, 'a generation of the archive begins'),
      onWait: (reason) => logger.warn({ archive, reason }, 'the start waits for the lease of the archive'),
      onRefusal: (reason) => {
        if (reason === undefined) logger.info({ archive }, 'writes are accepted again');
        else logger.error({ archive, reason }, 'writes are refused');
      },
      onLeft: (behindMs) =>
        logger.warn(
          { archive, seconds: Math.ceil(behindMs / 1000) },
          'the archive lacks the changes of the last seconds; they are in the data directory, and shipped after its next start',
        ),
      onProblem: (failure) => {
        if (failure === undefined) logger.info({ archive }, 'the archive is written again');
        else logger.error({ archive, problem: failure }, 'the archive is not written; it is tried again');
      },
    },
  );
  isOpen = true;
  return shipping;
}

/** What is written without an archive is missing in it, so a later start must begin a new generation. */
async function forgetArchive(dataDir: string): Promise<void> {
  if (!existsSync(join(dataDir, 'archive-state.json'))) return;
  const { forgetChains } = await import('../../archive/shipping/archive-state.js');
  forgetChains(dataDir);
}
