// Pages that are read in writing, as plain data: the main thread and the page thread carry them out in the same way.
import type { JsonText } from '../../../../foundation/json/json-value.js';
import type { Database, SqlRowArray } from '../../../../foundation/sqlite/open-database.js';
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import { rowsToRead } from '../../../query/read.js';
import type { SqlFragment } from '../file/sql-fragment.js';
import { statementOf } from '../file/stored-rows.js';
import type { OrderedPlan } from '../statements/ordered-plan.js';
import { type PageStatement, pageStatement } from '../statements/range-statements.js';
import { finishRows, writingFor } from '../statements/row-writing.js';

/** What to read. */
export interface WrittenPage {
  /** Behind one another. */
  readonly ranges: readonly PageRange[];
  /** Rows at most. */
  readonly limit: number;
  /** Characters at most. */
  readonly maxBytes: number;
  /** With a longer row the page is not written. */
  readonly maxRowBytes: number;
  /** Whether the position of the last row is wanted where there are rows behind it. */
  readonly wantsNext: boolean;
}

interface PageRange {
  readonly statement: PageStatement;
  /** Of the range. */
  readonly values: readonly SqlValue[];
}

/** What was found. */
export interface PageText {
  /** The objects of the rows with commas between them. */
  readonly text: JsonText;
  readonly count: number;
  /** The position of the last row as it is stored, null where nobody asked or nothing is behind it. */
  readonly next: SqlRowArray | null;
}

/** Bytes of a row. A page of larger ones is better taken row by row, until it is large enough. */
const longestWritten = 64 * 1024;

/**
 * The first rows of ranges, to be read in writing, of at most `mostBytes`; undefined where they are better taken as
 * values.
 */
export function writtenPage(
  plan: OrderedPlan,
  ranges: readonly SqlFragment[],
  mostBytes: number,
): WrittenPage | undefined {
  const writing = writingFor(plan);
  if (writing === undefined) return undefined;
  let last: { readonly sql: string; readonly statement: PageStatement } | undefined;
  const statementFor = (range: SqlFragment) => {
    // A choice of values is one range after the other, all of them alike.
    if (last?.sql !== range.sql) last = { sql: range.sql, statement: pageStatement(plan, range, writing) };
    return last.statement;
  };
  const maxBytes = Math.min(plan.maxBytes ?? Number.POSITIVE_INFINITY, mostBytes);
  return {
    ranges: ranges.map((range) => ({ statement: statementFor(range), values: range.values })),
    limit: plan.limit,
    maxBytes,
    // SQLite writes all rows before their size together is known.
    maxRowBytes: Math.min(longestWritten, Math.floor(maxBytes / plan.limit)),
    wantsNext: rowsToRead(plan) > plan.limit,
  };
}

/** Whether it takes more than one statement, which must then see one snapshot. */
export function takesSeveralStatements({ ranges, wantsNext }: WrittenPage): boolean {
  return wantsNext || ranges.length > 1;
}

/**
 * Reads it. Undefined where the rows cannot be written, or are larger than wanted: they are to be taken as values.
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
    // The text and the number of our own expressions.
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

/** Where rows end: the last of the first rows of a range. */
interface Place {
  readonly at: number;
  readonly rows: number;
}

/** The position of the row there, if there are rows behind it. */
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

/** Those of `count` rows of a range from the one at `place` on, the first being 1. */
function positionsIn(
  database: Database,
  { statement: { end }, values }: PageRange,
  place: number,
  count: number,
): readonly SqlRowArray[] {
  const { sql, readBigInts } = end;
  return statementOf(database, sql, readBigInts).all([...values, count, place - 1]);
}
