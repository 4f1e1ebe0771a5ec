// The rows of a range: as one text if they are few and small, otherwise row by row until they are too large.
import type { Database } from '../../../foundation/sqlite/open-database.js';
import { columnsToRead, type ReadPlan, type RowValues } from '../../query/read.js';
import { mostPackedRows, packingOf } from './packed-rows.js';
import { decodeRows, preparedFor } from './reader.js';
import { rangeStatement } from './select-statement.js';
import type { SqlFragment } from './sql-fragment.js';
import { takeRows } from './take-rows.js';

/** Rows of a range, and about what they take. */
export interface RangeRows {
  readonly rows: readonly RowValues[];
  readonly bytes: number;
  /** The rows were too large to give all of them. */
  readonly isCut: boolean;
}

/** The first `limit` rows of a range, until they have more than `maxBytes`, at least one. */
export function selectRange(
  database: Database,
  plan: ReadPlan,
  range: SqlFragment,
  limit: number,
  maxBytes: number,
): RangeRows {
  const packed = limit > mostPackedRows ? undefined : selectPacked(database, plan, range, limit);
  if (packed !== undefined && packed.bytes <= maxBytes) return packed;
  const statement = rangeStatement(plan, range, limit);
  const { rows, bytes, isCut } = takeRows(
    preparedFor(database, statement).iterate(statement.values),
    maxBytes,
  );
  return { rows: decodeRows(rows, statement.columns), bytes, isCut };
}

/** Undefined where the rows cannot be packed or are too large for it. */
function selectPacked(
  database: Database,
  plan: ReadPlan,
  range: SqlFragment,
  limit: number,
): RangeRows | undefined {
  const packing = packingOf(columnsToRead(plan));
  if (packing === undefined) return undefined;
  const { sql, values } = rangeStatement(plan, range, limit, `${packing.selection} AS packed`);
  const all = database.statement(`SELECT group_concat(packed) FROM (${sql})`, { returnArrays: true });
  const [text = null] = all.get(values) ?? [];
  // The text of our own expression, or null for no rows.
  const rows = text === null ? [] : packing.unpack(text as string);
  return rows && { rows, bytes: text === null ? 0 : (text as string).length, isCut: false };
}
