// The rows of what a graph found: read, scored and ranked, on whichever thread has the time.
import type { Database, SqlRowArray } from '../../../../foundation/sqlite/open-database.js';
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import { statementOf } from '../file/stored-rows.js';
import { sizeOfRows, type TakenRows, takeRows, tooMuch } from '../file/take-rows.js';
import { bindNumbers } from '../statements/search-statements.js';
import type { Find } from './graph.js';
import { isBeyond, rankRows, surelyBest } from './rank-rows.js';
import type { RowsWanted } from './vector-messages.js';

/** The best of the rows that were found, their scores in the place of their vectors; none where they are too large. */
export interface BestRows {
  readonly best: TakenRows;
  /** Not where the rows show that they are not as the index knows them. */
  readonly isSure: boolean;
}

/**
 * The best rows of `finds`, which are nearest first.
 * @throws DatabaseFailure
 */
export function bestRows(
  database: Database,
  query: Float32Array,
  wanted: RowsWanted,
  finds: readonly Find[],
): BestRows {
  const { limit, metric } = wanted;
  const count = surelyBest(finds, limit, metric);
  let rows = rowsWithin(database, wanted, finds.slice(0, count));
  // Rows that no longer match leave room for those behind them.
  if (rows !== undefined && rows.length < limit && count < finds.length)
    rows = rowsWithin(database, wanted, finds);
  if (rows === undefined) return { best: tooMuch, isSure: true };
  return rankedRows(rows, query, wanted, finds, count);
}

/** The rows of finds; undefined where the best of them have more bytes than wanted. */
function rowsWithin(
  database: Database,
  wanted: RowsWanted,
  finds: readonly Find[],
): readonly SqlRowArray[] | undefined {
  const { maxBytes, statement } = wanted;
  if (finds.length === 0) return [];
  const rows = rowsOf(database, wanted, finds, Math.floor(maxBytes / finds.length));
  if (rows.length === finds.length) return rows;
  // Some are larger than their part, or gone.
  const sizes = statementOf(database, statement.sizeSql, false);
  const [bytes] = sizes.get([...numbersOf(wanted, finds), ...statement.values]) ?? [];
  return Number(bytes) > maxBytes ? nearestWithin(database, wanted, finds) : rowsOf(database, wanted, finds);
}

/** As many of the nearest as are wanted, one after another: with those that may take their place they are too much. */
function nearestWithin(
  database: Database,
  wanted: RowsWanted,
  finds: readonly Find[],
): readonly SqlRowArray[] | undefined {
  const rows: SqlRowArray[] = [];
  let bytes = 0;
  for (const find of finds) {
    const found = rowsOf(database, wanted, [find]);
    rows.push(...found);
    bytes += sizeOfRows(found);
    if (bytes > wanted.maxBytes) return undefined;
    if (rows.length === wanted.limit) break;
  }
  return rows;
}

/**
 * The same, reading no row that has more than `mostBytesEach` beside its vector: not sure either where one has, or is
 * gone.
 */
export function bestSmallRows(
  database: Database,
  query: Float32Array,
  wanted: RowsWanted,
  finds: readonly Find[],
  mostBytesEach: number,
): BestRows {
  const count = surelyBest(finds, wanted.limit, wanted.metric);
  const rows = rowsOf(database, wanted, finds.slice(0, count), mostBytesEach);
  const { best, isSure } = rankedRows(rows, query, wanted, finds, count);
  return { best, isSure: isSure && rows.length === count };
}

function rankedRows(
  rows: readonly SqlRowArray[],
  query: Float32Array,
  { limit, metric, maxBytes }: RowsWanted,
  finds: readonly Find[],
  count: number,
): BestRows {
  const best = rankRows(rows, { query, metric }, limit);
  const farthest = finds[count - 1];
  const isOutdated =
    best.length < Math.min(limit, finds.length) ||
    (farthest !== undefined && isBeyond(Number(best.at(-1)?.[0]), farthest, metric));
  return { best: takeRows(best, maxBytes, true), isSure: !isOutdated };
}

function rowsOf(
  database: Database,
  wanted: RowsWanted,
  finds: readonly Find[],
  mostBytesEach = Number.MAX_SAFE_INTEGER,
): readonly SqlRowArray[] {
  const { sql, values, readBigInts } = wanted.statement;
  // All in one go: row by row the driver takes a third longer.
  return statementOf(database, sql, readBigInts).all([
    ...numbersOf(wanted, finds),
    ...values,
    Math.min(mostBytesEach, Number.MAX_SAFE_INTEGER),
  ]);
}

function numbersOf({ statement }: RowsWanted, finds: readonly Find[]): readonly SqlValue[] {
  const rowIds = finds.map(({ label }) => label);
  return bindNumbers(statement.numbers, rowIds);
}
