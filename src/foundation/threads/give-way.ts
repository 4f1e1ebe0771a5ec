// Lets the other threads of a busy machine go first.
import { getPriority, setPriority } from 'node:os';

const highestNiceness = 19;

/**
 * Lowers the calling thread's priority for good: its Unix niceness is so much above that of the process, 1 (a little)
 * to 19 (others nearly always first). Only Linux has priorities of threads: elsewhere nothing happens.
 * @returns whether it was lowered
 */
export function giveWay(niceness: number): boolean {
  if (process.platform !== 'linux') return false;
  try {
    // Linux means the calling thread by 0, and the main thread by the number of the process.
    setPriority(0, Math.min(getPriority(process.pid) + niceness, highestNiceness));
    return true;
  } catch {
    // Where it is not allowed: everything works, and others wait a little longer.
    return false;
  }
}
