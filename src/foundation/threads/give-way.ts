// Lowers the priority of threads that work in the background.
import { readdirSync, readFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

const highestNiceness = 19;

/**
 * Lowers the calling thread's priority permanently: its Unix niceness is so much above that of the process, from
 * 1 (a little) to 19 (others nearly always run first). Only Linux has priorities of threads: elsewhere nothing happens.
 * @returns whether it was lowered
 */
export function giveWay(niceness: number): boolean {
  if (process.platform !== 'linux') return false;
  try {
    // For Linux, 0 is the calling thread, and the process id is the main thread.
    setPriority(0, belowProcess(niceness));
    return true;
  } catch {
    // If it is not allowed, everything works, but other threads wait a little longer.
    return false;
  }
}

/** The number of V8's helper threads in Node by default. */
const helperCount = 4;

/**
 * Lowers, as `giveWay`, the priority of V8's helper threads, which collect garbage and compile for all threads of the
 * process. Call it before anything else: before Node 24 they have no name, and are recognized as the oldest threads.
 * Their number is the default unless `nodeOptions`, the options of Node itself, changes it.
 * @returns how many were lowered; 0 also if they cannot be distinguished from others
 */
export function letHelpersGiveWay(niceness: number, nodeOptions: readonly string[]): number {
  if (process.platform !== 'linux') return 0;
  try {
    const helpers = findHelpers(nodeOptions);
    for (const id of helpers) setPriority(id, belowProcess(niceness));
    return helpers.length;
  } catch {
    return 0; // not allowed, as in `giveWay`
  }
}

function findHelpers(nodeOptions: readonly string[]): readonly number[] {
  const others = readdirSync('/proc/self/task')
    .map(Number)
    .filter((id) => id !== process.pid)
    .sort((left, right) => left - right);
  const named = others.filter((id) => readFileSync(`/proc/self/task/${id}/comm`, 'utf8') === 'V8Worker\n');
  if (named.length > 0) return named;
  const isResized = nodeOptions.some((option) => /^--v8[-_]pool[-_]size/.test(option));
  // The oldest thread schedules their delayed tasks.
  return isResized ? [] : others.slice(1, 1 + helperCount);
}

function belowProcess(niceness: number): number {
  return Math.min(getPriority(process.pid) + niceness, highestNiceness);
}
