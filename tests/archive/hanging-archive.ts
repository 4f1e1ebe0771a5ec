// A server whose archive is in a directory that can stop answering.
import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, rmSync } from 'node:fs';
import { type RunningServer, startServer } from '../acceptance/start-server.js';

/** A busy machine may delay a renewal by some seconds. */
export const leaseSeconds = 8;

/** Starts a server with an archive in a directory that `hang` stops. */
export function startHanging(
  archive: string,
  dataDir: string,
  args: readonly string[] = [],
): Promise<RunningServer> {
  return startServer({
    ...{ dataDir, args: ['--archive', archive, '--archive-lease', String(leaseSeconds), ...args] },
    environment: { HANGS_BELOW: archive },
    nodeArgs: ['--import', new URL('./hang-below.js', import.meta.url).href],
  });
}

/** From now on calls of the file system below the directory do not return. Returns how they do again. */
export function hang(archive: string): () => void {
  const fifo = `${archive}.fifo`;
  execFileSync('mkfifo', [fifo]);
  return () => {
    // Those that wait for a writer get one, and others find no FIFO.
    const file = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK);
    rmSync(fifo);
    closeSync(file);
  };
}

/** A metric of a server that is a number. */
export async function metricOf({ opsUrl }: RunningServer, name: string): Promise<number> {
  const text = await (await fetch(`${opsUrl}/metrics`)).text();
  const [, value = 'NaN'] = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text) ?? [];
  return Number(value);
}
