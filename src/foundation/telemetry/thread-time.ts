// Measures how long a thread has worked: its processor time if the system reports it.
import { closeSync, openSync, readSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

/** On Linux: nanoseconds on a processor, nanoseconds of waiting for one, time slices. */
const ownTimesFile = '/proc/thread-self/schedstat';
const nsPerMs = 1e6;

let opened: (() => number) | undefined;

/**
 * Returns a function that returns for how many milliseconds the calling thread has worked: on Linux its processor time,
 * with the resolution of the system's ticks (some milliseconds); elsewhere the time in which its event loop was not
 * waiting. All callers on a thread share it.
 */
export function openThreadTime(): () => number {
  opened ??= open();
  return opened;
}

function open(): () => number {
  const file = openOwnTimes();
  if (file === undefined) {
    return () => performance.eventLoopUtilization().active;
  }
  const bytes = Buffer.alloc(64);
  return () => readMs(file, bytes);
}

/** The file stays open as long as the process: it always belongs to the thread that opened it. */
function openOwnTimes(): number | undefined {
  let file: number | undefined;
  try {
    file = openSync(ownTimesFile, 'r');
    if (readMs(file, Buffer.alloc(64)) > 0) return file;
  } catch {
    // no Linux, or one that keeps no such times
  }
  if (file !== undefined) closeSync(file);
  return undefined;
}

function readMs(file: number, bytes: Buffer): number {
  const length = readSync(file, bytes, 0, bytes.length, 0);
  return Number.parseInt(bytes.toString('latin1', 0, length), 10) / nsPerMs;
}
