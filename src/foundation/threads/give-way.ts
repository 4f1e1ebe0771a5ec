// Lets the other threads of a busy machine go first.
import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

/**
 * Lowers the calling thread's priority for good, by its Unix niceness, 1 (a little) to 19 (others nearly always first).
 * Only Linux has priorities of threads: elsewhere nothing happens.
 * @returns whether it was lowered
 */
export function giveWay(niceness: number): boolean {
  if (process.platform !== 'linux') return false;
  try {
    // PID/task/TID: Node tells nobody the number of a thread.
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    setPriority(thread, niceness);
    return true;
  } catch {
    // Without /proc, or where it is not allowed: everything works, and others wait a little longer.
    return false;
  }
}
