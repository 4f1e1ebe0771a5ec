// Pages that SQLite writes as JSON, described by plain data, so that the main thread and the page thread read them in
// the same way.
import type { JsonText } from '../../../../foundation/json/json-value.js';
import type { Database, SqlRowArray } from '../../../../foundation/sqlite/open-database.js';
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import { rowsToRead } from '../../../query/read.js';
import { statementOf } from '../file/stored-rows.js';
import type { OrderedPlan } from '../statements/ordered-plan.js';
import { type PageStatement, pageStatement } from '../statements/range-statements.js';
import { finishRows, writingFor } from '../statements/row-writing.js';
import type { IndexRange } from '../statements/select-text.js';

/** The description of a page. */
export interface WrittenPage {
  /** Consecutive in the order of the plan. */
  readonly ranges: readonly PageRange[];
  /** The maximum number of rows. */
  readonly limit: number;
  /** The maximum number of characters. */
  readonly maxBytes: number;
  /** If a row is longer, the page is read as values. */
  readonly maxRowBytes: number;
  /** Whether the position of the last row is needed if rows follow it. */
  readonly wantsNext: boolean;
}

interface PageRange {
  readonly statement: PageStatement;
  /** The values of the range. */
  readonly values: readonly SqlValue[];
}

/** The content of a page. */
export interface PageText {
  /** The objects of the rows, separated by commas. */
  readonly text: JsonText;
  readonly count: number;
  /** The position of the last row in its stored form; null if it is not needed or no row follows. */
  readonly next: SqlRowArray | null;
}

/** The maximum size of a row in bytes. A page with larger rows is read row by row, so that it can end early. */
const longestWritten = 64 * 1024;

/** The first rows of ranges, at most `mostBytes`; undefined if reading them as values is better. */
export function writtenPage(
  plan: OrderedPlan,
  ranges: readonly IndexRange[],
  mostBytes: number,
): WrittenPage | undefined {
  const writing = writingFor(plan);
  if (writing === undefined) return undefined;
  let last: { readonly sql: string; readonly statement: PageStatement } | undefined;
  const statementFor = (range: IndexRange) => {
    // A choice of values has one range for each value, with the same SQL.
    if (last?.sql !== range.sql) last = { sql: range.sql, statement: pageStatement(plan, range, writing) };
    return last.statement;
  };
  const { limit } = plan.page;
  const maxBytes = Math.min(plan.page.maxBytes, mostBytes);
  return {
    ranges: ranges.map((range) => ({ statement: statementFor(range), values: range.values })),
    limit,
    maxBytes,
    // SQLite writes all rows before their total size is known.
    maxRowBytes: Math.min(longestWritten, Math.floor(maxBytes / limit)),
    wantsNext: rowsToRead(plan) > limit,
  };
}

/** Whether it needs several statements, which must see one snapshot. */
export function takesSeveralStatements({ ranges, wantsNext }: WrittenPage): boolean {
  return wantsNext || ranges.length > 1;
}

/**
 * Reads a page. Undefined if SQLite cannot write the rows, or if they are too large: they must be read as values.
 * @throws DatabaseFailure
 */
export function readPage(database: Database, page: WrittenPage): PageText | undefined {
  const { ranges, limit, maxBytes, maxRowBytes, wantsNext } = page;
  let [text, count] = ['', 0];
  let last: Place | undefined;
  for (const [at, { statement, values }] of ranges.entries()) {
    if (count === limit) break;
    const [rows = null, found = 0, written = 0] =
      statementOf(database, statement.sql, false).get([maxRowBytes, ...values, limit - count]) ?? [];
    if (written !== found) return undefined;
    if (rows === null) continue;
    // The expressions return a text and numbers.
    const finished = finishRows(rows as string, statement.form);
    if (finished === undefined) return undefined;
    text += text === '' ? finished : `,${finished}`;
    if (text.length > maxBytes) return undefined;
    count += found as number;
    last = { at, rows: found as number };
  }
  const next =
    wantsNext && count === limit && last !== undefined ? positionWithMore(database, ranges, last) : null;
  return { text, count, next };
}

/** The last row that was read: an index into the ranges, and the number of rows of that range. */
interface Place {
  readonly at: number;
  readonly rows: number;
}

/** The position of the row at `place`, if rows follow it. */
function positionWithMore(
  database: Database,
  ranges: readonly PageRange[],
  { at, rows }: Place,
): SqlRowArray | null {
  const [here, ...behind] = ranges.slice(at);
  if (here === undefined) return null;
  const [position = null, following] = positionsIn(database, here, rows, 2);
  const hasMore =
    following !== undefined || behind.some((range) => positionsIn(database, range, 1, 1).length > 0);
  return hasMore ? position : null;
}

/** The positions of `count` rows of a range, beginning with row number `place`, counted from 1. */
function positionsIn(
  database: Database,
  { statement: { end }, values }: PageRange,
  place: number,
  count: number,
): readonly SqlRowArray[] {
  const { sql, readBigInts } = end;
  return statementOf(database, sql, readBigInts).all([...values, count, place - 1]);
}
