// Reads, scores and ranks the rows that a graph found, on the vector thread or the thread of a guest.
import type { Database, SqlRowArray } from '../../../../foundation/sqlite/open-database.js';
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import { scorerOf, type VectorSearch } from '../../../query/vector-search.js';
import { storedFloats } from '../file/sql-functions.js';
import { statementOf } from '../file/stored-rows.js';
import { sizeOfRows, type TakenRows, takeRows, tooMuch } from '../file/take-rows.js';
import { bindNumbers, mostNumbers } from '../statements/search-statements.js';
import type { Hit } from './graph.js';
import type { FoundRows, RowsWanted } from './vector-messages.js';

/** The best of the rows that a graph found, each with its score instead of its vector; empty if they are too large. */
export interface BestRows {
  readonly best: TakenRows;
  /** False if the rows show that they changed after the index was searched. */
  readonly isSure: boolean;
}

/**
 * The best of the rows that were found. Without exact keys all of them are read.
 * @throws DatabaseFailure
 */
export function bestRows(
  database: Database,
  query: Float32Array,
  wanted: RowsWanted,
  { hits, areKeysExact }: FoundRows,
): BestRows {
  const { limit, metric } = wanted;
  const count = areKeysExact ? surelyBest(hits, limit, metric) : hits.length;
  const inOrder = (some: readonly Hit[]) =>
    areKeysExact ? some : nearestFirst(database, query, wanted, some);
  const read = (some: readonly Hit[]) =>
    rowsWithin(database, wanted, some) ?? nearestWithin(database, wanted, inOrder(some));
  let rows = read(hits.slice(0, count));
  // Rows that no longer match are replaced by the next ones.
  if (rows !== undefined && rows.length < limit && count < hits.length) rows = read(hits);
  if (rows === undefined) return { best: tooMuch, isSure: true };
  return rankedRows(rows, query, wanted, hits, areKeysExact ? hits[count - 1] : undefined);
}

/** The best rows that pass a filter, and how many of the hits that were compared pass it. */
export interface PassingRows {
  /** Undefined if too few hits pass, or rows have changed. */
  readonly best: TakenRows | undefined;
  readonly passed: number;
}

/**
 * The best of the rows that pass the filter of `wanted`, among the nearest rows of all: these are the nearest rows that
 * pass it if enough of them do.
 * @throws DatabaseFailure
 */
export function bestPassing(
  database: Database,
  query: Float32Array,
  wanted: RowsWanted,
  found: FoundRows,
): PassingRows {
  const { statement } = wanted;
  const passing: Hit[] = [];
  const atOnce = mostNumbers(statement.numbers);
  for (let at = 0; at < found.hits.length && passing.length < statement.numbers; at += atOnce) {
    const hits = found.hits.slice(at, at + atOnce);
    const rows = statementOf(database, statement.passingSql, false).all([
      ...numbersOf(wanted, hits),
      ...statement.values,
    ]);
    const numbers = new Set(rows.map(([number]) => Number(number)));
    passing.push(...hits.filter(({ label }) => numbers.has(label)));
  }
  const passed = passing.length;
  if (passed < statement.numbers) return { best: undefined, passed };
  const hits = passing.slice(0, statement.numbers);
  const { best, isSure } = bestRows(database, query, wanted, { ...found, hits });
  return { best: isSure ? best : undefined, passed: isSure ? passed : 0 };
}

/** The rows of hits; undefined if they have too many bytes together. */
function rowsWithin(
  database: Database,
  wanted: RowsWanted,
  hits: readonly Hit[],
): readonly SqlRowArray[] | undefined {
  const { maxBytes, statement } = wanted;
  if (hits.length === 0) return [];
  const rows = rowsOf(database, wanted, hits, Math.floor(maxBytes / hits.length));
  if (rows.length === hits.length) return rows;
  // Some rows are larger than their share of the bytes, or deleted.
  const sizes = statementOf(database, statement.sizeSql, false);
  const [bytes] = sizes.get([...numbersOf(wanted, hits), ...statement.values]) ?? [];
  return Number(bytes) > maxBytes ? undefined : rowsOf(database, wanted, hits);
}

/** The rows of the first hits, read one after another until there are enough; undefined if they have too many bytes. */
function nearestWithin(
  database: Database,
  wanted: RowsWanted,
  hits: readonly Hit[],
): readonly SqlRowArray[] | undefined {
  const rows: SqlRowArray[] = [];
  let bytes = 0;
  for (const hit of hits) {
    const found = rowsOf(database, wanted, [hit]);
    rows.push(...found);
    bytes += sizeOfRows(found);
    if (bytes > wanted.maxBytes) return undefined;
    if (rows.length === wanted.limit) break;
  }
  return rows;
}

/** The hits that still match, in the order of their scores; one row is in memory at a time. */
function nearestFirst(
  database: Database,
  query: Float32Array,
  wanted: RowsWanted,
  hits: readonly Hit[],
): readonly Hit[] {
  const score = scorerOf({ query, metric: wanted.metric });
  const scored = hits.flatMap((hit) =>
    rowsOf(database, wanted, [hit]).map((row) => ({ hit, score: score(storedFloats(row[0])) })),
  );
  return scored.sort((left, right) => right.score - left.score).map(({ hit }) => hit);
}

function rankedRows(
  rows: readonly SqlRowArray[],
  query: Float32Array,
  { limit, metric, maxBytes }: RowsWanted,
  hits: readonly Hit[],
  farthest: Hit | undefined,
): BestRows {
  const best = rankRows(rows, { query, metric }, limit);
  const isOutdated =
    best.length < Math.min(limit, hits.length) ||
    (farthest !== undefined && isBeyond(Number(best.at(-1)?.[0]), farthest, metric));
  return { best: takeRows(best, maxBytes, true), isSure: !isOutdated };
}

function rowsOf(
  database: Database,
  wanted: RowsWanted,
  hits: readonly Hit[],
  mostBytesEach = Number.MAX_SAFE_INTEGER,
): readonly SqlRowArray[] {
  const { sql, values, readBigInts } = wanted.statement;
  // One statement for all rows: row by row the driver takes a third longer.
  return statementOf(database, sql, readBigInts).all([
    ...numbersOf(wanted, hits),
    ...values,
    Math.min(mostBytesEach, Number.MAX_SAFE_INTEGER),
  ]);
}

function numbersOf({ statement }: RowsWanted, hits: readonly Hit[]): readonly SqlValue[] {
  const rowIds = hits.map(({ label }) => label);
  return bindNumbers(statement.numbers, rowIds);
}

/** Replaces the vector, the first value of each row, by its score: the best first, equal ones in their order. */
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
 * How many of the hits, nearest first, certainly contain the `limit` best by score: that many, and further ones that
 * may be as near, within the error of the graph's keys.
 */
function surelyBest(hits: readonly Hit[], limit: number, metric: VectorSearch['metric']): number {
  const farthest = hits[limit - 1]?.key;
  if (farthest === undefined) return hits.length;
  const bound = boundOf(farthest, metric);
  const beyond = hits.findIndex(({ key }, at) => at >= limit && key > bound);
  return beyond < 0 ? hits.length : beyond;
}

/** A bound on the difference between keys and scores; for the cosine, the graph has normalized vectors. */
const keyError = { share: 1e-5, ofCosines: 4e-6 } as const;

/** Whether a score is lower than that of the farthest hit: then the row changed after the graph was searched. */
function isBeyond(score: number, farthest: Hit, metric: VectorSearch['metric']): boolean {
  const key = metric === 'cosine' ? 2 - 2 * score : -score;
  return key > boundOf(farthest.key, metric);
}

function boundOf(key: number, metric: VectorSearch['metric']): number {
  return key + Math.abs(key) * keyError.share + (metric === 'cosine' ? keyError.ofCosines : 0);
}
