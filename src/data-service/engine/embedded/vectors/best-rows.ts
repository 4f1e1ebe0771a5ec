// The rows of what a graph found: read, scored and ranked, on whichever thread has the time.
import type { Database, SqlRowArray } from '../../../../foundation/sqlite/open-database.js';
import { type TakenRows, takeRows } from '../take-rows.js';
import type { Find } from './graph.js';
import { isBeyond, rankRows, surelyBest } from './rank-rows.js';
import type { VectorSearchRequest } from './vector-messages.js';

/** What is known of a search when its finds are. */
export type RowsWanted = Pick<VectorSearchRequest, 'query' | 'limit' | 'metric' | 'maxBytes' | 'rows'>;

/**
 * The best rows of `finds`, which are nearest first; `isOutdated` where they show that rows are not as the index knows
 * them.
 * @throws DatabaseFailure
 */
export function bestRows(
  database: Database,
  wanted: RowsWanted,
  finds: readonly Find[],
): { readonly best: TakenRows; readonly isOutdated: boolean } {
  const { limit, metric, maxBytes } = wanted;
  const count = surelyBest(finds, limit, metric);
  let best = rankRows(rowsOf(database, wanted, finds.slice(0, count)), wanted, limit);
  // Rows that no longer match leave room for those behind them.
  if (best.length < limit && count < finds.length)
    best = rankRows(rowsOf(database, wanted, finds), wanted, limit);
  const farthest = finds[count - 1];
  const isOutdated =
    best.length < Math.min(limit, finds.length) ||
    (farthest !== undefined && isBeyond(Number(best.at(-1)?.[0]), farthest, metric));
  return { best: takeRows(best, maxBytes), isOutdated };
}

function rowsOf(database: Database, { rows }: RowsWanted, finds: readonly Find[]): readonly SqlRowArray[] {
  const { sql, values, numbers, readBigInts } = rows;
  const statement = database.statement(sql, { returnArrays: true, readBigInts });
  const missing = Array<null>(numbers - finds.length).fill(null);
  return statement.all([...finds.map(({ label }) => label), ...missing, ...values]);
}
