// Opens an archive for the commands that read it.
import { openStore, problemOfAddress } from '../../archive/stores/archive-address.js';
import type { ArchiveStore } from '../../archive/stores/archive-store.js';
import { StorageProblem } from '../../cli/backup/storage-layout.js';
import type { Config } from '../../foundation/config/options.js';
import { sendRequest } from '../../foundation/http/send-request.js';
import { isThere } from '../../foundation/machine/is-there.js';
import { systemClock } from '../../foundation/telemetry/clock.js';
import { configuredAddress } from '../parts/address-of-archive.js';

/** The store of an archive. @throws StorageProblem for an address that cannot be used */
export function openArchive(archive: string, config: Config): Promise<ArchiveStore> {
  const address = configuredAddress(config, archive);
  const problem = problemOfAddress(address);
  if (problem !== undefined) throw new StorageProblem(problem);
  if (!archive.startsWith('s3:') && !isThere(archive))
    throw new StorageProblem(`there is no directory ${archive}`);
  return openStore(address, { send: sendRequest, clock: systemClock, random: () => String(process.pid) });
}
