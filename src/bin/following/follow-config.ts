// What the configuration of a server that follows an archive means for its start.
import { join } from 'node:path';
import { hasNext, readFollowState } from '../../archive/following/follow-state.js';
import { ConfigProblems } from '../../foundation/config/load-config.js';
import type { Config } from '../../foundation/config/options.js';

/**
 * The configuration of a server that was promoted, and is started with `--follow` still: it writes to the archive.
 * Others are returned unchanged. @throws ArchiveDamaged for a state that cannot be read
 */
export function configAsPromoted(config: Config): Config {
  if (config.follow === undefined) return config;
  const state = readFollowState(config.dataDir);
  return state?.role === 'promoted' ? promotedConfig(config) : config;
}

/** The configuration with the archive written instead of followed. */
export function promotedConfig(config: Config): Config {
  return { ...config, archive: config.follow, follow: undefined };
}

/** The directory in which a follower has its own operations data: `ops.db` is that of the first server. */
export function opsDirOf(config: Config, opsDir: string): string {
  return config.follow === undefined ? opsDir : join(opsDir, 'follower');
}

/** @throws Error if a directory follows an archive, and the configuration does not */
export function refuseFollower({ dataDir, follow }: Pick<Config, 'dataDir' | 'follow'>): void {
  if (follow !== undefined) return;
  const role = readFollowState(dataDir)?.role;
  // A follower that was killed while its first data were moved to their place has no state there.
  if (role !== 'follows' && (role === 'promoted' || !hasNext({ dataDir }))) return;
  throw new ConfigProblems([
    `${dataDir} follows an archive: start it with --follow, and make it the first server with colonnade promote`,
  ]);
}
