// Reads rows from a statement up to a limit of bytes.
import type { SqlRowArray } from '../../../../foundation/sqlite/open-database.js';
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';

/** Rows, and whether others may be left out because of their size. */
export interface TakenRows {
  readonly rows: readonly SqlRowArray[];
  /** About the bytes of the rows. */
  readonly bytes: number;
  readonly isCut: boolean;
}

/** No rows, because there are too many bytes. */
export const tooMuch: TakenRows = { rows: [], bytes: 0, isCut: true };

/** Takes rows until they have more than `maxBytes`, at least one; with `allOrNone` none if all have more. */
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

/** About the bytes of a value; for a text its length in code units, which is known without reading it. */
function sizeBytes(value: SqlValue): number {
  return typeof value === 'string' || value instanceof Uint8Array ? value.length : 8;
}
