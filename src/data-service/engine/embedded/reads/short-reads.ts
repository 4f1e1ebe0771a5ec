// Short reads: a row by its key, or the first rows of ranges of an index.

import type { Database } from '../../../../foundation/sqlite/open-database.js';
import type { PrimaryKey } from '../../../query/key-filter.js';
import { type ReadOutcome, type ReadPlan, type RowValues, rowsToRead } from '../../../query/read.js';
import { writePosition } from '../../../query/row-order.js';
import { EngineError } from '../../engine-error.js';
import type { ReadTimeLimit } from '../../read-time-limit.js';
import type { SqlFragment } from '../file/sql-fragment.js';
import { decodeRows, preparedFor, statementOf } from '../file/stored-rows.js';
import { rowsOf, takeRows } from '../file/take-rows.js';
import {
  keyLookupStatement,
  rowSizeStatement,
  writtenKeyLookupStatement,
} from '../statements/key-lookup-statements.js';
import { columnsToRead, type OrderedPlan, type RunningRead } from '../statements/ordered-plan.js';
import { rangeSizeStatement, rangeStatement } from '../statements/range-statements.js';
import { finishRows, writingFor } from '../statements/row-writing.js';
import type { IndexRange } from '../statements/select-text.js';
import type { PageText } from './written-page.js';

/** The outcome of a short read, which applies the whole plan. */
export type ShortRead = Omit<ReadOutcome, 'columns' | 'order' | 'applied'>;

/** A read of at most one row, which needs no order. */
export interface RowLookup {
  readonly plan: ReadPlan;
  readonly deadline: ReadTimeLimit;
}

/**
 * The row of a key, as JSON written by SQLite if the plan allows it.
 * @throws EngineError `large` for a row of more than `mostBytes`, `timeout`
 */
export function lookUpRow(
  database: Database,
  read: RowLookup,
  key: PrimaryKey,
  mostBytes: number,
): ShortRead {
  const written = writtenRow(database, read.plan, key, mostBytes);
  return written ?? { chunks: [valuesOfRow(database, read, key, mostBytes)] };
}

function writtenRow(
  database: Database,
  plan: ReadPlan,
  key: PrimaryKey,
  mostBytes: number,
): ShortRead | undefined {
  const writing = writingFor(plan);
  if (writing === undefined) return undefined;
  const { sql, values } = writtenKeyLookupStatement(plan, key, writing, Math.min(mostBytes, anyBytes));
  const row = statementOf(database, sql, false).get(values);
  if (row === undefined) return { chunks: [], written: { text: '', count: 0, next: null } };
  if (row[0] === null) throw tooLarge();
  // The expression returns a text.
  const text = finishRows(row[0] as string, writing.form);
  return text === undefined ? undefined : { chunks: [], written: { text, count: 1, next: null } };
}

function valuesOfRow(
  database: Database,
  read: RowLookup,
  key: PrimaryKey,
  mostBytes: number,
): readonly RowValues[] {
  const { plan } = read;
  const statement = keyLookupStatement(plan, key, Math.min(mostBytes, anyBytes));
  const row = preparedFor(database, statement).get(statement.values);
  if (row !== undefined) return decodeRows([row], statement.columns, read);
  if (mostBytes < anyBytes && isThere(database, rowSizeStatement(plan, key))) throw tooLarge();
  return [];
}

/**
 * Whether the row exists in the snapshot of this statement. Its size says nothing of the statement before: a smaller
 * row may have been committed in between.
 */
function isThere(database: Database, { sql, values }: SqlFragment): boolean {
  return statementOf(database, sql, false).get(values) !== undefined;
}

/** More than any row has. */
const anyBytes = Number.MAX_SAFE_INTEGER;

function refuseLarger(database: Database, { sql, values }: SqlFragment, mostBytes: number): number {
  const [bytes] = statementOf(database, sql, false).get(values) ?? [];
  if (Number(bytes ?? 0) > mostBytes) throw tooLarge();
  return Number(bytes ?? 0);
}

function tooLarge(): EngineError {
  return new EngineError('large', 'the rows are too large to be read here');
}

/** The outcome of a page that SQLite wrote as JSON. */
export function shownPage(plan: OrderedPlan, { text, count, next }: PageText): ShortRead {
  const order = plan.order.map(({ column }) => column);
  const [values] = next === null ? [] : decodeRows([next], order);
  const position = values === undefined ? null : writePosition(plan.order, values);
  return { chunks: [], written: { text, count, next: position } };
}

/**
 * The first rows of consecutive ranges, as values, until they have more bytes than the plan allows.
 * @throws EngineError `large` if the plan allows more bytes than `mostBytes` and the rows exceed that; `timeout`
 */
export function readRanges(
  database: Database,
  read: RunningRead,
  ranges: readonly IndexRange[],
  mostBytes: number,
): ShortRead {
  const { plan } = read;
  const { maxBytes } = plan.page;
  const rows: RowValues[] = [];
  let bytes = 0;
  let known = 0;
  for (const range of ranges) {
    const missing = rowsToRead(plan) - rows.length;
    if (missing === 0) break;
    if (mostBytes < maxBytes)
      known += refuseLarger(database, rangeSizeStatement(plan, range, missing), mostBytes - known);
    const statement = rangeStatement(plan, range, missing);
    const prepared = preparedFor(database, statement);
    const taken = takeRows(rowsOf(prepared, statement.values, missing), maxBytes - bytes);
    rows.push(...decodeRows(taken.rows, columnsToRead(plan), read));
    if (taken.isCut) return { chunks: [rows], endedForSize: () => true };
    bytes += taken.bytes;
  }
  return { chunks: [rows] };
}
