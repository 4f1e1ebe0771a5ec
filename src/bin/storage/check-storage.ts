// Checks the files of both services for lost data before they are opened.
import { existsSync } from 'node:fs';
import { join, sep } from 'node:path';
import { manifestName, unfinishedName } from '../../cli/backup/storage-layout.js';
import type { Config } from '../../foundation/config/options.js';
import { findLostData } from '../../foundation/sqlite/find-lost-data.js';
import type { Logger } from '../../foundation/telemetry/logger.js';
import { engineModules } from '../engines/registry.js';
import { secretFiles } from '../parts/open-secrets.js';

/**
 * A backup stays as it is, and a restore that was interrupted is not a data directory yet.
 * @throws Error that says what to do
 */
export function refuseUnfinished({ dataDir }: Pick<Config, 'dataDir'>): void {
  if (existsSync(join(dataDir, manifestName)))
    throw new Error(
      `${dataDir} is a backup, and a server would change it: make a data directory from it, with ` +
        `colonnade restore ${dataDir} --data-dir DIR`,
    );
  if (existsSync(join(dataDir, unfinishedName)))
    throw new Error(`a restore into ${dataDir} was interrupted: run the same colonnade restore again`);
}

/**
 * Logs the data that a start would lose, if --accept-data-loss allows it.
 * @throws Error if it does not; the message names the file and says what to do
 */
export async function checkStorage(
  { dataDir, acceptDataLoss, engine }: Pick<Config, 'dataDir' | 'acceptDataLoss' | 'engine'>,
  opsFile: string,
  logger: Logger,
): Promise<void> {
  const rows = (await engineModules[engine].files?.(dataDir))?.rows;
  // All of these are created after the data file.
  const secrets = secretFiles.map((name) => join(dataDir, name));
  const beside = opsFile.startsWith(dataDir + sep) ? [opsFile] : [];
  const files = [
    ...(rows === undefined
      ? []
      : [{ path: rows.path, companions: [...secrets, ...rows.companions, ...beside] }]),
    { path: opsFile, companions: [] },
  ];
  for (const file of files) {
    const lost = findLostData(file);
    if (lost === undefined) continue;
    if (acceptDataLoss === 'no')
      throw new Error(
        `${lost}, or continue without the lost data: --accept-data-loss yes. Copy the directory first.`,
      );
    logger.error({ file: file.path, lost }, 'data is lost, and --accept-data-loss accepts the loss');
  }
}
