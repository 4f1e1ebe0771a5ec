// A server with an archive, whose machine "dies" and which is restored elsewhere, or whose follower becomes the first.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { move } from '../acceptance/between-servers.js';
import { waitFor } from '../acceptance/ops-client.js';
import {
  makeTemporaryDirectory,
  type RunningServer,
  runColonnade,
  type StartOptions,
  startServer,
} from '../acceptance/start-server.js';

/** The archive of a server: its address and the options and the environment that it takes. */
export interface ArchivePlace {
  readonly archive: string;
  /** Further options of the commands that use it. */
  readonly args: readonly string[];
  /** Further options of servers alone. */
  readonly serverArgs?: readonly string[];
}

const mostPromotions = 40;
const restOfPromotionsMs = 500;

/** Options of the process of a server. */
type ProcessOptions = Pick<StartOptions, 'environment' | 'nodeArgs'>;

/** Starts a server on a data directory, with an archive. */
export function startArchived(
  place: ArchivePlace,
  dataDir: string,
  options: ProcessOptions = {},
): Promise<RunningServer> {
  return startServer({ ...options, dataDir, args: ['--archive', place.archive, ...argsOf(place)] });
}

/** Starts a server that follows the archive, on a new directory. */
export function startFollowing(place: ArchivePlace, options: ProcessOptions = {}): Promise<RunningServer> {
  const dataDir = join(makeTemporaryDirectory(), 'data');
  return startServer({ ...options, dataDir, args: ['--follow', place.archive, ...argsOf(place)] });
}

/** A server that was killed had its lease from another directory, so the next start waits until it is over. */
function argsOf({ args, serverArgs = [] }: ArchivePlace): readonly string[] {
  const lease = serverArgs.includes('--archive-lease') ? [] : ['--archive-lease', '3'];
  return [...lease, ...args, ...serverArgs];
}

/** Kills a server, checks what its disk has, and removes its data directory. */
export async function destroy(server: RunningServer): Promise<void> {
  await kill(server);
  try {
    await move(['check', '--data-dir', server.dataDir]);
  } finally {
    rmSync(server.dataDir, { recursive: true });
  }
}

/** Kills a server, also one that a failed round has killed. */
export async function kill(server: RunningServer): Promise<void> {
  server.signal('SIGKILL');
  await server.ended;
}

/**
 * Promotes a server when the one before is lost, which only a person knows. What that one sent last may still arrive,
 * and a server that makes its data again of later copies is promoted when it has done so.
 */
export async function promoteAfterLoss({ opsUrl }: RunningServer): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const { code, stderr } = await runColonnade(['promote', '--force', '--ops-url', opsUrl]);
    if (code === 0) return;
    if (tries === mostPromotions) throw new Error(`the server cannot be promoted: ${stderr}`);
    await sleep(restOfPromotionsMs);
  }
}

/** Waits until the archive has what was written a short time ago. */
export async function untilCaughtUp({ opsUrl }: RunningServer): Promise<void> {
  await waitFor('an archive that is not behind', async () => {
    const metrics = await (await fetch(`${opsUrl}/metrics`)).text();
    const [, behind] = /^colonnade_archive_behind_seconds(?:\{[^}]*\})? (\S+)$/m.exec(metrics) ?? [];
    return Number(behind) < 1;
  });
}

/** Waits until the archive has a copy, so that something can be restored. */
export async function untilRestorable({ archive, args }: ArchivePlace): Promise<void> {
  await waitFor('a copy in the archive', async () => {
    const { stdout } = await move(['archives', archive, ...args, '--json']);
    const { generations }: { generations: readonly { databases: readonly { from: string | null }[] }[] } =
      JSON.parse(stdout);
    return generations.at(-1)?.databases.every(({ from }) => from !== null) === true;
  });
}

/** What `colonnade restore --json` printed, with the new data directory. */
export interface RestoredDirectory {
  readonly dataDir: string;
  readonly stateAt: string;
  readonly completeUntil: string;
  /** The time after it of which writes may be missing. */
  readonly unknownMs: number;
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
