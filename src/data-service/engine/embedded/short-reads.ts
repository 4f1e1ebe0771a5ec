// Short reads: a row by its key, or the first rows of ranges of an index; in writing where the plan allows it.
import type { Database } from '../../../foundation/sqlite/open-database.js';
import type { PrimaryKey } from '../../query/key-filter.js';
import {
  columnsToRead,
  type Position,
  type ReadOutcome,
  type ReadPlan,
  type RowValues,
  rowsToRead,
} from '../../query/read.js';
import { decodeRows, preparedFor } from './reader.js';
import { type RowWriting, writingOf } from './row-writing.js';
import { endStatement, pointStatement, rangeStatement, writtenStatement } from './select-statement.js';
import type { SqlFragment } from './sql-fragment.js';
import { takeRows } from './take-rows.js';

/** All that a plan asked for, as a short read gives it. */
export type ShortRead = Omit<ReadOutcome, 'columns' | 'applied'>;

/** The row of a key. */
export function readPoint(database: Database, plan: ReadPlan, key: PrimaryKey): ShortRead {
  return writtenPoint(database, plan, key) ?? { chunks: [selectPoint(database, plan, key)] };
}

/** The first rows of ranges that lie behind one another. */
export function readRanges(database: Database, plan: ReadPlan, ranges: readonly SqlFragment[]): ShortRead {
  return writtenRanges(database, plan, ranges) ?? selectRanges(database, plan, ranges);
}

/** More rows are better taken one by one. */
const mostWrittenRows = 64;
const asArray = { returnArrays: true } as const;

function writingFor({ mayBeWritten, columns, limit }: ReadPlan): RowWriting | undefined {
  return mayBeWritten === true && limit <= mostWrittenRows ? writingOf(columns) : undefined;
}

function writtenPoint(database: Database, plan: ReadPlan, key: PrimaryKey): ShortRead | undefined {
  const writing = writingFor(plan);
  if (writing === undefined) return undefined;
  const { sql, values } = pointStatement(plan, key, writing);
  const row = database.statement(sql, asArray).get(values);
  if (row === undefined) return { chunks: [], written: { text: '', count: 0, next: null } };
  // The text of our own expression.
  const text = writing.finish(row[0] as string);
  return text === undefined ? undefined : { chunks: [], written: { text, count: 1, next: null } };
}

function selectPoint(database: Database, plan: ReadPlan, key: PrimaryKey): readonly RowValues[] {
  const statement = pointStatement(plan, key);
  const row = preparedFor(database, statement).get(statement.values);
  return row === undefined ? [] : decodeRows([row], statement.columns);
}

/** Undefined where the rows cannot be written, or are larger than the plan wants. */
function writtenRanges(
  database: Database,
  plan: ReadPlan,
  ranges: readonly SqlFragment[],
): ShortRead | undefined {
  const writing = writingFor(plan);
  if (writing === undefined) return undefined;
  const maxBytes = plan.maxBytes ?? Number.POSITIVE_INFINITY;
  let [text, count] = ['', 0];
  let last: Place | undefined;
  for (const [at, range] of ranges.entries()) {
    if (count === plan.limit) break;
    const { sql, values } = writtenStatement(plan, range, plan.limit - count, writing);
    const [rows = null, found = 0] = database.statement(sql, asArray).get(values) ?? [];
    if (rows === null) continue;
    // The text and the number of our own expressions.
    const finished = writing.finish(rows as string);
    if (finished === undefined) return undefined;
    text += text === '' ? finished : `,${finished}`;
    if (text.length > maxBytes) return undefined;
    count += found as number;
    last = { range, rows: found as number, behind: ranges.slice(at + 1) };
  }
  const wantsNext = rowsToRead(plan) > plan.limit && count === plan.limit;
  const next = wantsNext && last !== undefined ? positionWithMore(database, plan, last) : null;
  return { chunks: [], written: { text, count, next } };
}

/** Where rows end: the last of the first rows of a range. */
interface Place {
  readonly range: SqlFragment;
  readonly rows: number;
  readonly behind: readonly SqlFragment[];
}

/** The position of the row there, if there are rows behind it. */
function positionWithMore(
  database: Database,
  plan: ReadPlan,
  { range, rows, behind }: Place,
): Position | null {
  const positions = (from: SqlFragment, place: number, more: number) => {
    const statement = endStatement(plan, from, place, more);
    return decodeRows(preparedFor(database, statement).all(statement.values), statement.columns);
  };
  const [position = null, following] = positions(range, rows, 1);
  const hasMore = following !== undefined || behind.some((next) => positions(next, 1, 0).length > 0);
  return hasMore ? position : null;
}

/** Until the rows have more bytes than the plan wants, at least one of each range. */
function selectRanges(database: Database, plan: ReadPlan, ranges: readonly SqlFragment[]): ShortRead {
  const maxBytes = plan.maxBytes ?? Number.POSITIVE_INFINITY;
  const rows: RowValues[] = [];
  let bytes = 0;
  for (const range of ranges) {
    const missing = rowsToRead(plan) - rows.length;
    if (missing === 0) break;
    const statement = rangeStatement(plan, range, missing);
    const taken = takeRows(preparedFor(database, statement).iterate(statement.values), maxBytes - bytes);
    rows.push(...decodeRows(taken.rows, columnsToRead(plan)));
    if (taken.isCut) return { chunks: [rows], endedForSize: () => true };
    bytes += taken.bytes;
  }
  return { chunks: [rows] };
}
