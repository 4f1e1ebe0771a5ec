// Takes rows from a statement until they are too large to be held together.
import type { SqlRowArray } from '../../../../foundation/sqlite/open-database.js';
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';

/** Rows, and whether there may be more that were not taken for their size. */
export interface TakenRows {
  readonly rows: readonly SqlRowArray[];
  /** About what they take. */
  readonly bytes: number;
  readonly isCut: boolean;
}

/** Nothing, for there is more than may be held together. */
export const tooMuch: TakenRows = { rows: [], bytes: 0, isCut: true };

/** Takes rows until they have more than `maxBytes`, at least one; with `allOrNone` none where there are more. */
export function takeRows(rows: Iterable<SqlRowArray>, maxBytes: number, allOrNone = false): TakenRows {
  const taken: SqlRowArray[] = [];
  let bytes = 0;
  for (const row of rows) {
    taken.push(row);
    bytes += sizeOfRow(row);
    if (bytes > maxBytes) return allOrNone ? tooMuch : { rows: taken, bytes, isCut: true };
  }
  return { rows: taken, bytes, isCut: false };
}

/** About how many bytes rows take. */
export function sizeOfRows(rows: readonly SqlRowArray[]): number {
  return rows.reduce((bytes, row) => bytes + sizeOfRow(row), 0);
}

function sizeOfRow(row: SqlRowArray): number {
  let bytes = 0;
  for (const value of row) bytes += sizeBytes(value);
  return bytes;
}

/** About what a value takes; a text by its code units, which costs no look at them. */
function sizeBytes(value: SqlValue): number {
  return typeof value === 'string' || value instanceof Uint8Array ? value.length : 8;
}
