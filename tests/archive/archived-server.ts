// A server with an archive, whose machine "dies" and which is restored elsewhere.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { move } from '../acceptance/between-servers.js';
import { makeTemporaryDirectory, type RunningServer, startServer } from '../acceptance/start-server.js';

/** The archive of a server: its address and the options and the environment that it takes. */
export interface ArchivePlace {
  readonly archive: string;
  /** Further options of the commands that use it. */
  readonly args: readonly string[];
}

/** Starts a server on a data directory, with an archive. */
export function startArchived({ archive, args }: ArchivePlace, dataDir: string): Promise<RunningServer> {
  // A server that was killed had its lease from another directory, so the start waits until it is over.
  return startServer({ dataDir, args: ['--archive', archive, '--archive-lease', '1', ...args] });
}

/** Kills a server and removes its data directory. */
export async function destroy(server: RunningServer): Promise<void> {
  server.signal('SIGKILL');
  await server.ended;
  rmSync(server.dataDir, { recursive: true, force: true }); // a failed round has removed it
}

/** What `colonnade restore --json` printed, with the new data directory. */
export interface RestoredDirectory {
  readonly dataDir: string;
  readonly stateAt: string;
  readonly completeUntil: string;
}

/** Restores the newest state or that of a moment, in ms since 1970, and checks it. Fails if anything is damaged. */
export async function restoreFrom(
  { archive, args }: ArchivePlace,
  atMs?: number,
): Promise<RestoredDirectory> {
  const dataDir = join(makeTemporaryDirectory(), 'data');
  const at = atMs === undefined ? [] : ['--at', new Date(atMs).toISOString()];
  const run = await move(['restore', '--from', archive, ...args, ...at, '--data-dir', dataDir, '--json']);
  await move(['check', '--data-dir', dataDir]);
  return { ...JSON.parse(run.stdout), dataDir };
}
