// Long reads: read an index in short slices, so that no other work waits for the whole read, or read the table in the
// order of the file (`scan-file.ts`).

import { type RowValues, rowsToRead } from '../../../query/read.js';
import type { OrderValues } from '../../../query/row-order.js';
import { decodeRows } from '../file/stored-rows.js';
import { sizeOfRows } from '../file/take-rows.js';
import { lastRowStatement } from '../statements/file-scan-statement.js';
import type { Seeks } from '../statements/index-ranges.js';
import { rangesOf } from '../statements/member-ranges.js';
import type { OrderedPlan, RunningRead } from '../statements/ordered-plan.js';
import { endStatement, sliceStatement } from '../statements/range-statements.js';
import { ScanBudget, type SliceBounds } from './scan-budget.js';
import { scanFile } from './scan-file.js';
import type { SliceRunner } from './scanner.js';

/** The slices of each way to read: along an index, or in the order of the file. */
export interface ScanSlices {
  readonly walk: SliceBounds;
  readonly file: SliceBounds;
}

const defaultSlices: ScanSlices = {
  walk: { first: 1_000, least: 100, most: 200_000 },
  file: { first: 50_000, least: 1_000, most: 2_000_000 },
};
/**
 * Reading a row through an index takes as long as this many rows in the order of the file, because each is looked up in
 * the table.
 */
const walkCost = 16;
/** The maximum number of rows that a file scan keeps. */
const mostFromFile = 20_000;

/**
 * The matching rows in the plan's order, read in short slices. `onSizeReached` is called if the rows end because they
 * have more bytes than the plan allows. `sliceOf` can replace the statement of a slice.
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
  const { walk, file: parts } = slices ?? defaultSlices;
  const budget = new ScanBudget(deadline, walk);
  const { maxBytes } = plan.page;
  const mayScanFile = sliceOf === sliceStatement && allowsFileScan(plan, seeks);
  let after: OrderValues | null = plan.after ?? null;
  let [bytes, walked, found] = [0, 0, 0];
  for (let isAtEnd = false; !isAtEnd; ) {
    isAtEnd = true;
    for (const range of rangesOf(plan, seeks, after)) {
      const end = endStatement(plan, range, budget.rows);
      const slice = sliceOf(plan, range, budget.rows, rowsToRead(plan));
      const statements = mayScanFile ? [slice, end, lastRowStatement(plan.table)] : [slice, end];
      walked += budget.rows;
      const { rows, isCut } = await budget.run(() => scanner.runSlice(statements, maxBytes - bytes));
      const [stored = [], endRows = [], [last] = []] = rows;
      yield decodeRows(stored, slice.columns, { plan, deadline });
      bytes += sizeOfRows(stored);
      found += stored.length;
      if (isCut || bytes > maxBytes) return onSizeReached();
      const [reached] = decodeRows(endRows, end.columns);
      if (reached === undefined) continue; // the range has been read to its end
      after = reached;
      const task = { plan, deadline, after, wanted: rowsToRead(plan) - found, maxBytes: maxBytes - bytes };
      const lastRow = Number(last?.[0] ?? 0);
      if (mayScanFile && isFileScanCheaper(task.wanted, found / walked, lastRow)) {
        const rest = await scanFile({ ...task, lastRow }, scanner, budget.withBounds(parts));
        yield rest.rows;
        return rest.isCut ? onSizeReached() : undefined;
      }
      isAtEnd = false;
      break;
    }
  }
}

/** Whether all rows must be read, in an order of key columns only, which never have missing values. */
function allowsFileScan(plan: OrderedPlan, seeks: Seeks): boolean {
  const isByKey = plan.order.every(({ column }) => plan.table.keyColumns.includes(column));
  return seeks.length === 0 && plan.members === undefined && isByKey && rowsToRead(plan) <= mostFromFile;
}

/** `share`: the share of matching rows so far. A file scan reads all rows, however many are needed. */
function isFileScanCheaper(wanted: number, share: number, lastRow: number): boolean {
  if (wanted <= 0) return false;
  const rowsToWalk = share === 0 ? Number.POSITIVE_INFINITY : wanted / share;
  return Math.min(rowsToWalk, lastRow) * walkCost > lastRow;
}
