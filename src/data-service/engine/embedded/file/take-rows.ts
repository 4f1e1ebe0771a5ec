// Reads rows from a statement up to a limit of bytes.
import type { SqlRowArray, Statement } from '../../../../foundation/sqlite/open-database.js';
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';

/** Rows, and whether others were omitted because of their size. */
export interface TakenRows {
  readonly rows: readonly SqlRowArray[];
  /** The approximate size of the rows. */
  readonly bytes: number;
  readonly isCut: boolean;
}

/** No rows, because they are too large. */
export const tooMuch: TakenRows = { rows: [], bytes: 0, isCut: true };

/** Takes rows until they exceed `maxBytes`, but at least one; with `allOrNone`, returns no rows if they exceed it. */
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

/** The rows of a statement that returns at most `most`: a single one without an iterator, which takes 2 µs more. */
export function rowsOf(
  statement: Statement<SqlRowArray>,
  values: readonly SqlValue[],
  most: number,
): Iterable<SqlRowArray> {
  if (most !== 1) return statement.iterate(values);
  const row = statement.get(values);
  return row === undefined ? [] : [row];
}

/** The approximate size of rows in bytes. */
export function sizeOfRows(rows: readonly SqlRowArray[]): number {
  return rows.reduce((bytes, row) => bytes + sizeOfRow(row), 0);
}

function sizeOfRow(row: SqlRowArray): number {
  let bytes = 0;
  for (const value of row) bytes += sizeBytes(value);
  return bytes;
}

/** The approximate size of a value in bytes; for a text its length in code units, which is known without reading it. */
function sizeBytes(value: SqlValue): number {
  return typeof value === 'string' || value instanceof Uint8Array ? value.length : 8;
}
