// Loaded into the server by Node's `--import`: measures in its operations thread how late a tick of every second is.
// The file for what was measured is the query of this module's URL.
import { writeFileSync } from 'node:fs';
import { isMainThread, workerData } from 'node:worker_threads';
import { percentileOf } from './percentile-of.js';

/** How late ticks were, in milliseconds. */
export interface TickReport {
  readonly count: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

const tickMs = 1000;
const reportEveryTicks = 5;

if (!isMainThread && isOpsThread(workerData)) {
  const file = decodeURIComponent(new URL(import.meta.url).search.slice(1));
  const lateMs: number[] = [];
  let dueMs = performance.now() + tickMs;
  setInterval(() => {
    const now = performance.now();
    lateMs.push(Math.max(0, now - dueMs));
    dueMs = now + tickMs; // as intervals do: the next one is counted from this one
    if (lateMs.length % reportEveryTicks === 0) writeFileSync(file, JSON.stringify(reportOf(lateMs)));
  }, tickMs).unref();
}

function isOpsThread(data: unknown): boolean {
  return typeof data === 'object' && data !== null && 'opsDir' in data;
}

function reportOf(lateMs: readonly number[]): TickReport {
  const sorted = [...lateMs].sort((left, right) => left - right);
  return {
    count: sorted.length,
    medianMs: percentileOf(sorted, 50),
    p99Ms: percentileOf(sorted, 99),
    maxMs: percentileOf(sorted, 100),
  };
}
