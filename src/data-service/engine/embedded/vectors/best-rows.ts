// The rows of what a graph found: read, scored and ranked, on whichever thread has the time.
import type { Database, SqlRowArray } from '../../../../foundation/sqlite/open-database.js';
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import { scorerOf, type VectorSearch } from '../../../query/vector-search.js';
import { storedFloats } from '../file/sql-functions.js';
import { statementOf } from '../file/stored-rows.js';
import { sizeOfRows, type TakenRows, takeRows, tooMuch } from '../file/take-rows.js';
import { bindNumbers } from '../statements/search-statements.js';
import type { Find } from './graph.js';
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

/** The score of each row whose vector stands first, in the vector's place: the best first, then as they were given. */
function rankRows(
  rows: readonly SqlRowArray[],
  search: Pick<VectorSearch, 'metric' | 'query'>,
  limit: number,
): readonly SqlRowArray[] {
  const score = scorerOf(search);
  const scored = rows.map((row) => ({ row, score: score(storedFloats(row[0])) }));
  scored.sort((left, right) => right.score - left.score);
  return scored.slice(0, limit).map(({ row, score: own }) => row.with(0, own));
}

/**
 * How many of the finds, nearest first, surely have the `limit` best by their scores among them: that many, and those
 * behind them that are as near, as far as a graph's keys tell.
 */
function surelyBest(finds: readonly Find[], limit: number, metric: VectorSearch['metric']): number {
  const farthest = finds[limit - 1]?.key;
  if (farthest === undefined) return finds.length;
  const bound = boundOf(farthest, metric);
  const beyond = finds.findIndex(({ key }, at) => at >= limit && key > bound);
  return beyond < 0 ? finds.length : beyond;
}

/** More than keys and scores may differ by; cosines are of vectors made shorter or longer before. */
const keyError = { share: 1e-5, ofCosines: 4e-6 } as const;

/** Whether a score is lower than that of the farthest find: then the row is not any more as the graph knows it. */
function isBeyond(score: number, farthest: Find, metric: VectorSearch['metric']): boolean {
  const key = metric === 'cosine' ? 2 - 2 * score : -score;
  return key > boundOf(farthest.key, metric);
}

function boundOf(key: number, metric: VectorSearch['metric']): number {
  return key + Math.abs(key) * keyError.share + (metric === 'cosine' ? keyError.ofCosines : 0);
}
