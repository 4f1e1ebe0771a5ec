// The number of rows of a table or documents of a collection: exact where counting is fast, else about right.
import type { Table } from '../../../schema/table.js';
import { rowIdColumn, sqlKeyIndex, sqlTable } from '../file/sql-names.js';
import type { SliceRunner } from '../scans/scanner.js';

/** Counting so many rows takes some ten milliseconds. */
const mostCounted = 2_000_000;

/** Exact up to the limit; beyond it, the span of the numbers of rows, which includes deleted ones. */
export async function countRows(of: Pick<Table, 'id'>, scanner: SliceRunner): Promise<number> {
  const table = sqlTable(of);
  const span = `(SELECT coalesce(max(${rowIdColumn}) - min(${rowIdColumn}) + 1, 0) FROM ${table})`;
  const some = `SELECT 1 FROM ${table} INDEXED BY ${sqlKeyIndex(of)} LIMIT ${mostCounted}`;
  const counted = `(SELECT count(*) FROM (${some}))`;
  const statement = { sql: `SELECT ${counted}, ${span}`, values: [], columns: [] };
  const { rows } = await scanner.runSlice([statement], Number.POSITIVE_INFINITY);
  const [count = 0, numbers = 0] = rows[0]?.[0]?.map(Number) ?? [];
  return count < mostCounted ? count : numbers;
}
