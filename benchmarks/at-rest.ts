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
  await sleep(restMs);
  await untilIdle(server);
  return (performance.now() - startedMs) / 1000;
}

/** The time between two looks at the processor time. */
const lookMs = 100;

/**
 * Waits, at most ten minutes, until the server has used no processor for a second. Returns for how many milliseconds it
 * was busy until then. What the server begins only when a table is at rest counts with its own time, not with the time
 * before it.
 */
export async function untilIdle(server: ServerProcess): Promise<number> {
  const startedMs = performance.now();
  let busyMs = 0;
  for (;;) {
    const [sinceMs, before] = [performance.now(), server.cpuSeconds()];
    while (performance.now() - sinceMs < 1_000) {
      const [lookedMs, used] = [performance.now(), server.cpuSeconds()];
      await sleep(lookMs);
      if (server.cpuSeconds() - used > idleSeconds / 10) busyMs += performance.now() - lookedMs;
      if (server.cpuSeconds() - before > idleSeconds) break;
    }
    if (!(server.cpuSeconds() - before > idleSeconds) || sinceMs - startedMs > longestMs) return busyMs;
  }
}
