// Checks the files of both services for lost data before they are opened.
import { join, sep } from 'node:path';
import { dataFile } from '../data-service/engine/embedded/file/open-for-reading.js';
import type { Config } from '../foundation/config/options.js';
import { findLostData } from '../foundation/sqlite/find-lost-data.js';
import type { Logger } from '../foundation/telemetry/logger.js';

/**
 * Logs the data that a start would lose, if --accept-data-loss allows it.
 * @throws Error if it does not; the message names the file and says what to do
 */
export function checkStorage(
  { dataDir, acceptDataLoss, engine }: Pick<Config, 'dataDir' | 'acceptDataLoss' | 'engine'>,
  opsFile: string,
  logger: Logger,
): void {
  // All of these are created after the data file.
  const companions = ['page-state.key', 'key-store.key', 'key-store.enc', 'vectors'];
  const ofData = companions.map((name) => join(dataDir, name));
  const isBeside = opsFile.startsWith(dataDir + sep);
  const files = [
    ...(engine === 'embedded'
      ? [{ path: dataFile(dataDir), companions: isBeside ? [...ofData, opsFile] : ofData }]
      : []),
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
