// The address of an archive with the options that it needs.
import { resolve, sep } from 'node:path';
import { type ArchiveAddress, problemOfAddress } from '../../archive/stores/archive-address.js';
import { ConfigProblems } from '../../foundation/config/load-config.js';
import type { Config } from '../../foundation/config/options.js';

/** The address as it is configured, which may be one that cannot be used. */
export function configuredAddress(config: Config, archive: string): ArchiveAddress {
  const { archiveEndpoint, archiveRegion, archiveAccessKey, archiveSecretKey } = config;
  return {
    archive,
    endpoint: archiveEndpoint,
    region: archiveRegion,
    accessKey: archiveAccessKey,
    secretKey: archiveSecretKey,
  };
}

/** @throws ConfigProblems for an address that cannot be used */
export function addressOfArchive(config: Config, archive: string): ArchiveAddress {
  const address = configuredAddress(config, archive);
  const problem = problemOfAddress(address) ?? problemOfPlace(archive, config.dataDir);
  if (problem !== undefined) throw new ConfigProblems([problem]);
  return address;
}

function problemOfPlace(archive: string, dataDir: string): string | undefined {
  const isInside =
    !archive.startsWith('s3:') && `${resolve(archive)}${sep}`.startsWith(`${resolve(dataDir)}${sep}`);
  if (!isInside) return undefined;
  return `the archive ${archive} is in the data directory ${dataDir} and would be lost with it: give another directory`;
}
