// The rows of what a graph found: read, scored and ranked, on whichever thread has the time.
import type { Database } from '../../../../foundation/sqlite/open-database.js';
import { statementOf } from '../stored-rows.js';
import { type TakenRows, takeRows } from '../take-rows.js';
import type { Find } from './graph.js';
import { isBeyond, rankRows, surelyBest } from './rank-rows.js';
import type { VectorSearchRequest } from './vector-messages.js';

/** What is known of a search when its finds are. */
export type RowsWanted = Pick<VectorSearchRequest, 'query' | 'limit' | 'metric' | 'maxBytes' | 'rows'>;

/**
 * The best rows of `finds`, which are nearest first. `isSure` is false where they show that rows are not as the index
 * knows them, and where the rows have more than `mostBytes`: then they are not the best.
 * @throws DatabaseFailure
 */
export function bestRows(
  database: Database,
  wanted: RowsWanted,
  finds: readonly Find[],
  mostBytes = Number.POSITIVE_INFINITY,
): { readonly best: TakenRows; readonly isSure: boolean } {
  const { limit, metric, maxBytes } = wanted;
  const count = surelyBest(finds, limit, metric);
  let read = rowsOf(database, wanted, finds.slice(0, count), mostBytes);
  // Rows that no longer match leave room for those behind them.
  if (read.rows.length < limit && count < finds.length) read = rowsOf(database, wanted, finds, mostBytes);
  const best = rankRows(read.rows, wanted, limit);
  const farthest = finds[count - 1];
  const isOutdated =
    best.length < Math.min(limit, finds.length) ||
    (farthest !== undefined && isBeyond(Number(best.at(-1)?.[0]), farthest, metric));
  return { best: takeRows(best, maxBytes), isSure: !isOutdated && !read.isCut };
}

function rowsOf(
  database: Database,
  { rows }: RowsWanted,
  finds: readonly Find[],
  mostBytes: number,
): TakenRows {
  const { sql, values, numbers, readBigInts } = rows;
  const missing = Array<null>(numbers - finds.length).fill(null);
  const bound = [...finds.map(({ label }) => label), ...missing, ...values];
  return takeRows(statementOf(database, sql, readBigInts).iterate(bound), mostBytes);
}
