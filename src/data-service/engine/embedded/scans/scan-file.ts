// Long reads with few matching rows: read the whole table in the order of the file, part by part, and keep the first
// rows of the plan.

import type { SqlRowArray } from '../../../../foundation/sqlite/open-database.js';
import type { RowValues } from '../../../query/read.js';
import { compareByOrder, type OrderValues } from '../../../query/row-order.js';
import { decodeRows } from '../file/stored-rows.js';
import { sizeOfRows } from '../file/take-rows.js';
import { fileScanStatement } from '../statements/file-scan-statement.js';
import { columnsToRead, type OrderedPlan, type RunningRead } from '../statements/ordered-plan.js';
import type { ScanBudget } from './scan-budget.js';
import type { SliceRunner } from './scanner.js';

/** The rest of a read, which the file scan completes. */
export interface FileScanTask extends RunningRead {
  readonly after: OrderValues | null;
  /** The maximum number of rows. */
  readonly wanted: number;
  /** Rows are kept until they exceed this size. */
  readonly maxBytes: number;
  /** Rows with higher numbers were added after the read began. */
  readonly lastRow: number;
}

/** The first rows of the plan, in its order. */
export interface FileScanResult {
  readonly rows: readonly RowValues[];
  /** Whether there are more rows, which were too large to be kept. */
  readonly isCut: boolean;
}

interface Kept {
  readonly row: RowValues;
  readonly values: OrderValues;
  readonly bytes: number;
}

/**
 * Reads the matching rows. The number of a row never changes, so no row that exists throughout is missed or read twice,
 * whatever is added and deleted meanwhile.
 * @throws EngineError as a scan
 */
export async function scanFile(
  task: FileScanTask,
  scanner: SliceRunner,
  budget: ScanBudget,
): Promise<FileScanResult> {
  const { deadline, after, wanted, maxBytes, lastRow } = task;
  // Parts are merged by the columns of the order, even if the caller does not need them.
  const plan: OrderedPlan = { ...task.plan, page: { ...task.plan.page, kind: 'paged' } };
  const width = columnsToRead(task.plan).length;
  let kept: readonly Kept[] = [];
  let isCut = false;
  let above = 0;
  const takeParts = async () => {
    while (above < lastRow) {
      const through = Math.min(lastRow, above + budget.rows);
      const isFull = isCut || kept.length >= wanted;
      const before = isFull ? (kept.at(-1)?.values ?? null) : null;
      const statement = fileScanStatement(plan, { above, through, after, before, limit: wanted });
      above = through;
      const slice = await budget.run(() => scanner.runSlice([statement], maxBytes));
      const [found = []] = slice.rows;
      const merged = merge(plan, kept, keptOf({ plan, deadline }, found, statement.columns), wanted);
      kept = withinBytes(merged, maxBytes);
      isCut ||= slice.isCut || kept.length < merged.length;
    }
  };
  try {
    await Promise.all(Array.from({ length: scanner.width }, takeParts));
  } finally {
    above = lastRow; // if one failed, the others end
  }
  return { rows: kept.map(({ row }) => (row.length > width ? row.slice(0, width) : row)), isCut };
}

function keptOf(
  read: RunningRead,
  stored: readonly SqlRowArray[],
  columns: Parameters<typeof decodeRows>[1],
): readonly Kept[] {
  const places = read.plan.order.map(({ column }) => columns.indexOf(column));
  return decodeRows(stored, columns, read).map((row, at) => ({
    row,
    values: places.map((place) => row[place]),
    bytes: sizeOfRows(stored.slice(at, at + 1)),
  }));
}

function merge({ order }: OrderedPlan, kept: readonly Kept[], found: readonly Kept[], wanted: number) {
  if (found.length === 0) return kept;
  const merged = [...kept, ...found];
  merged.sort((left, right) => compareByOrder(order, left.values, right.values));
  return merged.slice(0, wanted);
}

function withinBytes(rows: readonly Kept[], maxBytes: number): readonly Kept[] {
  let bytes = 0;
  const last = rows.findIndex((row) => {
    bytes += row.bytes;
    return bytes > maxBytes;
  });
  return last < 0 ? rows : rows.slice(0, last + 1);
}
