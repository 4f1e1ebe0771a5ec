// Long reads: a walk along the key index in slices, each short, so that nothing waits for the whole.
import type { Clock } from '../../../foundation/telemetry/clock.js';
import type { Comparison } from '../../query/filter.js';
import { type Position, type ReadPlan, type RowValues, rowsToRead } from '../../query/read.js';
import { EngineError } from '../engine-error.js';
import { decodeRows } from './reader.js';
import type { Scanner } from './scanner.js';
import { sliceEndStatement, sliceStatement, walkRanges } from './select-statement.js';
import { sizeOfRows } from './take-rows.js';

/** What a long read may use up. */
export interface ScanLimits {
  /** After which a read is given up. */
  readonly timeoutMs: number;
}

/** A slice aims at this time, so that a point read or a shutdown behind it waits no longer. */
const sliceMs = 20;
const sliceRows = { first: 1_000, least: 100, most: 200_000 } as const;

/**
 * The matching rows in the plan's order, from one short slice after another. `onSizeReached` is called when they end
 * because they have more bytes than the plan allows. `sliceOf` may find something else in each slice.
 * @throws EngineError `timeout`, `closed`, `schemaChanged`, `readFailed`
 */
export async function* scanInSlices(
  plan: ReadPlan,
  restrictions: readonly Comparison[],
  scanner: Scanner,
  clock: Clock,
  limits: ScanLimits,
  onSizeReached: () => void,
  sliceOf: typeof sliceStatement = sliceStatement,
): AsyncIterable<readonly RowValues[]> {
  const deadlineMs = clock.monotonicMs() + limits.timeoutMs;
  let rows: number = sliceRows.first;
  let after: Position | null = plan.after;
  let bytes = 0;
  for (let isAtEnd = false; !isAtEnd; ) {
    isAtEnd = true;
    for (const range of walkRanges(plan, restrictions, after)) {
      if (clock.monotonicMs() > deadlineMs) throw new EngineError('timeout', `over ${limits.timeoutMs} ms`);
      const end = sliceEndStatement(plan, range, rows);
      const slice = sliceOf(plan, range, rows, rowsToRead(plan));
      const maxBytes = plan.maxBytes ?? Number.POSITIVE_INFINITY;
      const { rows: taken, isCut, elapsedMs } = await scanner.runSlice([end, slice], maxBytes - bytes);
      const [endRows = [], found = []] = taken;
      yield decodeRows(found, slice.columns);
      bytes += sizeOfRows(found);
      if (plan.maxBytes !== undefined && (isCut || bytes > maxBytes)) return onSizeReached();
      rows = nextSliceRows(rows, elapsedMs);
      const [reached] = decodeRows(endRows, end.columns);
      if (reached === undefined) continue; // the range is read to its end
      after = reached;
      isAtEnd = false;
      break;
    }
  }
}

function nextSliceRows(rows: number, elapsedMs: number): number {
  if (elapsedMs > sliceMs * 1.5) return Math.max(sliceRows.least, Math.floor(rows / 2));
  if (elapsedMs < sliceMs / 2) return Math.min(sliceRows.most, rows * 2);
  return rows;
}
