// Vector scan: computes the score of every row that matches the filter, slice by slice, on the scan threads.

import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import { double } from '../../../column-types/floats.js';
import type { ReadOutcome, RowValues } from '../../../query/read.js';
import { compareByOrder, type OrderValues, type RowOrder } from '../../../query/row-order.js';
import { type ScanSlices, scanInSlices } from '../scans/scan.js';
import type { SliceRunner } from '../scans/scanner.js';
import { filterSeeks } from '../statements/index-ranges.js';
import { chooseReadOrder } from '../statements/read-order.js';
import { bestOfSlice, rowsByNumber } from '../statements/search-statements.js';
import { type RunningSearch, rankedOutcome } from './vector-search.js';

/**
 * The number of rows found in addition to the limit: some of the best may be deleted or changed before they are read.
 */
const spareRows = 16;

/**
 * Runs a search.
 * @throws EngineError `timeout`, `closed`, `schemaChanged`, `readFailed`
 */
export async function scanForNearest(
  wanted: RunningSearch,
  scanner: SliceRunner,
  slices: ScanSlices | undefined,
): Promise<ReadOutcome> {
  return readRanked(wanted, await bestRowIds(wanted, scanner, slices), scanner);
}

/**
 * Reads the rows of a search by their numbers. They are ranked again, because rows may have changed since they were
 * found; rows that no longer match are omitted.
 */
async function readRanked(
  wanted: RunningSearch,
  rowIds: readonly bigint[],
  scanner: SliceRunner,
): Promise<ReadOutcome> {
  wanted.deadline.check();
  const statement = rowsByNumber(wanted, rowIds);
  const { rows, isCut } = await scanner.runSlice([statement], wanted.plan.page.maxBytes);
  const scored = (rows[0] ?? []).map(([score, ...stored]) => [decodedScore(score), ...stored]);
  return rankedOutcome(wanted, { rows: scored, isCut });
}

function decodedScore(stored: SqlValue | undefined): number {
  return stored === null || stored === undefined ? Number.NaN : double.sql.decode(stored);
}

interface Found {
  readonly rowId: bigint;
  readonly score: number;
  readonly values: OrderValues;
}

/** The numbers of the best rows, best first, some more than the limit. */
async function bestRowIds(
  wanted: RunningSearch,
  scanner: SliceRunner,
  slices: ScanSlices | undefined,
): Promise<readonly bigint[]> {
  const { plan } = wanted;
  const count = plan.page.limit + spareRows;
  const page = { ...plan.page, maxBytes: Number.POSITIVE_INFINITY };
  // The scan uses the most selective index; the rows are ranked by their scores anyway.
  const walked = { ...plan, page, search: null, order: chooseReadOrder(plan.filter, plan.table) };
  const read = { plan: walked, deadline: wanted.deadline };
  const found = scanInSlices(read, filterSeeks(walked), scanner, slices, neverReached, (_, range, rows) =>
    bestOfSlice(wanted, walked, range, rows, count),
  );
  let best: readonly Found[] = [];
  for await (const rows of found) best = mergeBest(best, rows.map(toFound), plan.order).slice(0, count);
  return best.map(({ rowId }) => rowId);
}

function neverReached(): void {
  throw new TypeError('a search without a limit of bytes reached it');
}

function toFound([rowId, score, ...values]: RowValues): Found {
  return { rowId: BigInt(String(rowId)), score: Number(score), values };
}

function mergeBest(best: readonly Found[], found: readonly Found[], order: RowOrder): readonly Found[] {
  if (found.length === 0) return best;
  return [...best, ...found].sort(
    (left, right) => right.score - left.score || compareByOrder(order, left.values, right.values),
  );
}
