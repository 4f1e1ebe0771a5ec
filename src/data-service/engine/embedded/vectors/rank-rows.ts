// The rows that a graph found, in the order of their scores.
import type { SqlRowArray } from '../../../../foundation/sqlite/open-database.js';
import { scorerOf, type VectorSearch } from '../../../query/vector-search.js';
import { storedFloats } from '../file/stored-floats.js';
import type { Find } from './graph.js';

/** The score of each row whose vector stands first, in the vector's place: the best first, then as they were given. */
export function rankRows(
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
export function surelyBest(finds: readonly Find[], limit: number, metric: VectorSearch['metric']): number {
  const farthest = finds[limit - 1]?.key;
  if (farthest === undefined) return finds.length;
  const bound = boundOf(farthest, metric);
  const beyond = finds.findIndex(({ key }, at) => at >= limit && key > bound);
  return beyond < 0 ? finds.length : beyond;
}

/** More than keys and scores may differ by; cosines are of vectors made shorter or longer before. */
const keyError = { share: 1e-5, ofCosines: 4e-6 } as const;

/** Whether a score is lower than that of the farthest find: then the row is not any more as the graph knows it. */
export function isBeyond(score: number, farthest: Find, metric: VectorSearch['metric']): boolean {
  const key = metric === 'cosine' ? 2 - 2 * score : -score;
  return key > boundOf(farthest.key, metric);
}

function boundOf(key: number, metric: VectorSearch['metric']): number {
  return key + Math.abs(key) * keyError.share + (metric === 'cosine' ? keyError.ofCosines : 0);
}
