// Long reads of few rows: the whole table in the order of the file, part by part, keeping the first rows of the plan.

import type { SqlRowArray } from '../../../../foundation/sqlite/open-database.js';
import type { RowValues } from '../../../query/read.js';
import { compareByOrder, type OrderValues } from '../../../query/row-order.js';
import { decodeRows } from '../file/stored-rows.js';
import { sizeOfRows } from '../file/take-rows.js';
import { columnsToRead, type OrderedPlan, type RunningRead } from '../statements/ordered-plan.js';
import { sieveStatement } from '../statements/sieve-statement.js';
import type { ScanBudget } from './scan-budget.js';
import type { SliceRunner } from './scanner.js';

/** What is left of a read when it is put through the sieve. */
export interface SieveTask extends RunningRead {
  readonly after: OrderValues | null;
  /** Rows wanted at most. */
  readonly wanted: number;
  /** Rows are kept until they have more bytes than this. */
  readonly maxBytes: number;
  /** Later rows came after the read began. */
  readonly lastRow: number;
}

/** The first rows of the plan, in its order. */
export interface Sieved {
  readonly rows: readonly RowValues[];
  /** There are more rows, which were too large to be held with the others. */
  readonly isCut: boolean;
}

interface Kept {
  readonly row: RowValues;
  readonly values: OrderValues;
  readonly bytes: number;
}

/**
 * Finds them. A row has one number as long as it lives, so none that stays is missed or met twice, whatever comes
 * and goes between the parts.
 * @throws EngineError as a scan
 */
export async function sieve(task: SieveTask, scanner: SliceRunner, budget: ScanBudget): Promise<Sieved> {
  const { deadline, after, wanted, maxBytes, lastRow } = task;
  // Parts are merged by the columns of the order, whether or not the caller wants them.
  const plan: OrderedPlan = { ...task.plan, wantsPosition: true };
  const width = columnsToRead(task.plan).length;
  let kept: readonly Kept[] = [];
  let isCut = false;
  let above = 0;
  const takeParts = async () => {
    while (above < lastRow) {
      const through = Math.min(lastRow, above + budget.rows);
      const isFull = isCut || kept.length >= wanted;
      const before = isFull ? (kept.at(-1)?.values ?? null) : null;
      const statement = sieveStatement(plan, { above, through, after, before, limit: wanted });
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
    above = lastRow; // where one failed, the others end
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
