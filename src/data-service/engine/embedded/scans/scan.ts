// Long reads: a walk along an index in slices, each short, so that nothing waits for the whole; or through the sieve.

import { type RowValues, rowsToRead } from '../../../query/read.js';
import type { OrderValues } from '../../../query/row-order.js';
import { decodeRows } from '../file/stored-rows.js';
import { sizeOfRows } from '../file/take-rows.js';
import { indexRanges, type Seeks } from '../statements/index-ranges.js';
import type { OrderedPlan, RunningRead } from '../statements/ordered-plan.js';
import { endStatement, sliceStatement } from '../statements/range-statements.js';
import { lastRowStatement } from '../statements/sieve-statement.js';
import { ScanBudget, type SliceBounds } from './scan-budget.js';
import type { SliceRunner } from './scanner.js';
import { sieve } from './sieve.js';

/** Rows of the slices of each way. */
export interface ScanSlices {
  readonly walk: SliceBounds;
  readonly sieve: SliceBounds;
}

const defaultSlices: ScanSlices = {
  walk: { first: 1_000, least: 100, most: 200_000 },
  sieve: { first: 50_000, least: 1_000, most: 2_000_000 },
};
/** A row that a walk meets takes as long as this many in the order of the file: each is looked up in the table. */
const walkCost = 16;
/** Rows that the sieve keeps at most. */
const maxSieved = 20_000;

/**
 * The matching rows in the plan's order, from one short slice after another. `onSizeReached` is called when they end
 * because they have more bytes than the plan allows. `sliceOf` may find something else in each slice.
 * @throws EngineError `timeout`, `closed`, `schemaChanged`, `readFailed`
 */
export async function* scanInSlices(
  { plan, deadline }: RunningRead,
  seeks: Seeks,
  scanner: SliceRunner,
  slices: ScanSlices | undefined,
  onSizeReached: () => void,
  sliceOf: typeof sliceStatement = sliceStatement,
): AsyncIterable<readonly RowValues[]> {
  const { walk, sieve: parts } = slices ?? defaultSlices;
  const budget = new ScanBudget(deadline, walk);
  const maxBytes = plan.maxBytes ?? Number.POSITIVE_INFINITY;
  const mayBeSieved = sliceOf === sliceStatement && canBeSieved(plan, seeks);
  let after: OrderValues | null = plan.after;
  let [bytes, walked, found] = [0, 0, 0];
  for (let isAtEnd = false; !isAtEnd; ) {
    isAtEnd = true;
    for (const range of indexRanges(plan, seeks, after)) {
      const end = endStatement(plan, range, budget.rows);
      const slice = sliceOf(plan, range, budget.rows, rowsToRead(plan));
      const statements = mayBeSieved ? [slice, end, lastRowStatement(plan.table)] : [slice, end];
      walked += budget.rows;
      const { rows, isCut } = await budget.run(() => scanner.runSlice(statements, maxBytes - bytes));
      const [stored = [], endRows = [], [last] = []] = rows;
      yield decodeRows(stored, slice.columns, { plan, deadline });
      bytes += sizeOfRows(stored);
      found += stored.length;
      if (plan.maxBytes !== undefined && (isCut || bytes > maxBytes)) return onSizeReached();
      const [reached] = decodeRows(endRows, end.columns);
      if (reached === undefined) continue; // the range is read to its end
      after = reached;
      const task = { plan, deadline, after, wanted: rowsToRead(plan) - found, maxBytes: maxBytes - bytes };
      const lastRow = Number(last?.[0] ?? 0);
      if (mayBeSieved && isSieveCheaper(task.wanted, found / walked, lastRow)) {
        const sieved = await sieve({ ...task, lastRow }, scanner, budget.withBounds(parts));
        yield sieved.rows;
        return sieved.isCut ? onSizeReached() : undefined;
      }
      isAtEnd = false;
      break;
    }
  }
}

/** Whether nothing narrows the walk, and the order is one of the key, whose columns hold values. */
function canBeSieved(plan: OrderedPlan, seeks: Seeks): boolean {
  const isByKey = plan.order.every(({ column }) => plan.table.keyColumns.includes(column));
  return seeks.length === 0 && isByKey && rowsToRead(plan) <= maxSieved;
}

/** `share`: of the rows met so far those that match. The sieve goes through all rows, however many are wanted. */
function isSieveCheaper(wanted: number, share: number, lastRow: number): boolean {
  if (wanted <= 0) return false;
  const rowsToWalk = share === 0 ? Number.POSITIVE_INFINITY : wanted / share;
  return Math.min(rowsToWalk, lastRow) * walkCost > lastRow;
}
