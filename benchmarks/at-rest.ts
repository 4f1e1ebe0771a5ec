// Waits until a server does nothing more for what was written: merges, and moving the write-ahead log into the file.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerProcess } from './child-process.js';

/** A table is at rest two seconds after its last write. */
const restMs = 2_500;
/** Less processor time in a second is none. */
const idleSeconds = 0.05;
const longestMs = 600_000;

/** Waits, at most ten minutes; returns how many seconds it took. */
export async function atRest(server: ServerProcess): Promise<number> {
  const startedMs = performance.now();
  const elapsedMs = () => performance.now() - startedMs;
  await sleep(restMs);
  for (let before = server.cpuSeconds(); elapsedMs() < longestMs; ) {
    await sleep(1_000);
    const now = server.cpuSeconds();
    if (!(now - before > idleSeconds)) break;
    before = now;
  }
  return elapsedMs() / 1000;
}
