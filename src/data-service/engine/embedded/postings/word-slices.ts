// Slices of text searches, for the threads that read. Each sees one snapshot and takes about 20 ms.
import type { Database, SqlRowArray } from '../../../../foundation/sqlite/open-database.js';
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import { type WordStatistics, weightsOf } from '../../../query/word-search.js';
import { takeRows } from '../file/take-rows.js';
import { type BestRow, BestRows } from './best-rows.js';
import type { BinaryToken } from './chunks.js';
import { type FilteredNumbers, FilteredRows } from './filtered-rows.js';
import type { TextTables } from './text-tables.js';
import { WordIndex } from './word-index.js';

/** A statement whose first value is a JSON array of row numbers; these are the others. */
export interface NumbersStatement {
  readonly sql: string;
  readonly values: readonly SqlValue[];
  readonly readBigInts: boolean;
}

interface WordSlice {
  readonly tables: TextTables;
  /** The table of the rows. */
  readonly rows: string;
  /** Different; a row must have all of them. */
  readonly tokens: readonly BinaryToken[];
  /** Returns those of some rows that pass the filter, at most as many as its last value. */
  readonly reading: NumbersStatement;
}

/** Reads the next rows that match, in the order of their numbers. */
export interface MatchSlice extends WordSlice {
  readonly kind: 'match';
  readonly above: number;
  /** The maximum number of rows. */
  readonly limit: number;
  /** The maximum number of row numbers of a slice. */
  readonly most: number;
}

/** Scores the next rows that match. */
export interface ScoreSlice extends WordSlice {
  readonly kind: 'score';
  readonly above: number;
  readonly most: number;
  /** How often the search has each token; 0 for those that only the filter has. */
  readonly occurrences: readonly number[];
  /** The statistics that the first slice returned. */
  readonly statistics?: WordStatistics | undefined;
  /** The best rows of the slices before. */
  readonly best: readonly BestRow[];
  /** How many rows are kept, and how many of them are read. */
  readonly count: number;
  readonly limit: number;
  readonly isFiltered: boolean;
  /** Finds the rows that pass the filter by an index. */
  readonly filtered?: FilteredNumbers | undefined;
  /** Returns the numbers of those of some rows that pass the filter, in the order of the key. */
  readonly sort: NumbersStatement;
}

/** Reads rows by their numbers that match still. */
export interface NumbersSlice extends WordSlice {
  readonly kind: 'numbers';
  readonly numbers: readonly number[];
  readonly limit: number;
  /** The age of the index when the rows matched. */
  readonly age: number;
}

export type WordSliceRequest = MatchSlice | ScoreSlice | NumbersSlice;

/** What a slice found besides rows. */
export interface WordFindings {
  /** The last row number that it looked at; null if none is left. For `numbers`: how many of the numbers. */
  readonly through: number | null;
  /** The best rows until now, in the result of `score`. */
  readonly best?: readonly BestRow[];
  readonly statistics?: WordStatistics;
  /** The age of the index, in the result of `score`. */
  readonly age?: number;
}

export interface WordSliceLimits {
  readonly maxBytes: number;
  /** If rows are larger, none are returned. */
  readonly allOrNone: boolean;
  /** If more rows, besides those that are kept, have the score of the last kept one, none are returned. */
  readonly mostTied?: number;
  readonly isTimeUp: () => boolean;
}

/** Rows in their stored form, and what else a slice found. */
export interface WordSliceResult {
  readonly rows: readonly SqlRowArray[];
  readonly isCut: boolean;
  readonly words: WordFindings;
}

/** Runs a slice in a snapshot of the caller. @throws DatabaseFailure */
export function runWordSlice(
  database: Database,
  slice: WordSliceRequest,
  limits: WordSliceLimits,
): WordSliceResult {
  const index = new WordIndex(database, slice.tables, slice.tokens);
  switch (slice.kind) {
    case 'match':
      return matchRows(database, index, slice, limits);
    case 'score':
      return scoreRows(database, index, slice, limits);
    case 'numbers':
      return readBest(database, index, slice, limits);
  }
}

/** The maximum number of tokens of a short search, the maximum size of its rows, and `mostTied`. */
const shortSearch = { tokens: 4, bytes: 500_000, tied: 200 } as const;

/** The maximum size of a row of a short search: it is read before the size of all rows is known. */
export const shortSearchRowBytes = shortSearch.bytes;

/**
 * Runs the first slice of a search without a filter if it takes a bounded, short time and is the only one; otherwise
 * returns undefined. `reading` leaves out rows of more than `shortSearchRowBytes`. In a snapshot of the caller.
 * @throws DatabaseFailure
 */
export function runShortSearch(database: Database, slice: ScoreSlice): WordSliceResult | undefined {
  if (slice.isFiltered || slice.tokens.length > shortSearch.tokens) return undefined;
  const index = new WordIndex(database, slice.tables, slice.tokens, { sharesLists: false });
  if (!index.isShort()) return undefined;
  const { bytes: maxBytes, tied: mostTied } = shortSearch;
  const limits = { maxBytes, mostTied, allOrNone: true, isTimeUp: () => false };
  // No later slice reads the rows, so none of them can change before.
  const result = scoreRows(database, index, { ...slice, count: slice.limit }, limits);
  return result.isCut || result.words.best !== undefined ? undefined : result;
}

/** Row numbers of the first part of a `$match`, which then doubles: most pages are full after a few rows. */
const firstSpan = 512;
/** About this many postings are decoded at a time. */
const postingsPerSpan = 200_000;

function matchRows(
  database: Database,
  index: WordIndex,
  slice: MatchSlice,
  limits: WordSliceLimits,
): WordSliceResult {
  const last = lastRow(database, slice);
  const end = Math.min(last, slice.above + slice.most);
  const mostSpan = postingsPerSpan / slice.tokens.length;
  const rows: SqlRowArray[] = [];
  let [above, bytes] = [slice.above, 0];
  for (let span = firstSpan; above < end && rows.length < slice.limit; span = Math.min(span * 2, mostSpan)) {
    const through = Math.min(end, above + Math.ceil(span));
    const numbers = index.rows({ above, through });
    above = through;
    if (numbers.length > 0) {
      const left = { ...limits, maxBytes: limits.maxBytes - bytes };
      const taken = readNumbers(database, slice.reading, numbers, slice.limit - rows.length, left);
      rows.push(...taken.rows);
      bytes += taken.bytes;
      if (taken.isCut) return { rows: limits.allOrNone ? [] : rows, isCut: true, words: { through } };
    }
    if (limits.isTimeUp()) break;
  }
  return { rows, isCut: false, words: { through: above < last ? above : null } };
}

function scoreRows(
  database: Database,
  index: WordIndex,
  slice: ScoreSlice,
  limits: WordSliceLimits,
): WordSliceResult {
  const { statistics = index.statistics(), occurrences, above: start } = slice;
  index.beginWithRarest(statistics);
  const { age } = index;
  const last = lastRow(database, slice);
  const postings = statistics.rows.reduce((sum, rows) => sum + rows, 0);
  const usualSpan = Math.max(1, Math.ceil((last / Math.max(1, postings)) * postingsPerSpan));
  const scoring = weightsOf(statistics, occurrences);
  const candidates = Math.min(...statistics.rows);
  const filtered =
    slice.filtered && new FilteredRows(database, slice.filtered, { lastRow: last, candidates });
  // Only rows that pass are found then, so that none must be compared.
  const isFiltered = slice.isFiltered && filtered?.known === undefined;
  const best = new BestRows({ ...slice, isFiltered }, (numbers) =>
    database
      .statement(slice.sort.sql, { returnArrays: true })
      .all([`[${numbers.join(',')}]`, ...slice.sort.values])
      .map(([number]) => Number(number)),
  );
  const end = statistics.rows.includes(0) ? start : Math.min(last, start + slice.most);
  let [above, span] = [start, usualSpan];
  while (above < end) {
    const through = Math.min(end, above + span);
    const load = index.score({ above, through }, scoring, best, filtered);
    // Where rows with the words have numbers that are close together, spans are smaller.
    if (load > 1) {
      span = Math.ceil((through - above) / 4);
      continue;
    }
    if (load < 0.5) span = Math.min(span * 2, usualSpan);
    above = through;
    if (limits.isTimeUp()) break;
  }
  const { mostTied } = limits;
  if (mostTied !== undefined && best.candidates > slice.count + mostTied)
    return { rows: [], isCut: true, words: { through: null } };
  const found = best.take();
  const isEnd = above >= last || statistics.rows.includes(0);
  if (!isEnd || start > 0)
    return { rows: [], isCut: false, words: { through: isEnd ? null : above, best: found, statistics, age } };
  const numbers = found.map(({ row }) => row);
  const { rows, isCut } = readNumbers(database, slice.reading, numbers, slice.limit, limits);
  // All of them are in this snapshot and pass the filter, but the statement of a short search leaves out large rows.
  const isWhole = rows.length === Math.min(numbers.length, slice.limit);
  return { rows, isCut: isCut || !isWhole, words: { through: null, statistics, age } };
}

/** The rows of the numbers that match still. */
function readBest(
  database: Database,
  index: WordIndex,
  slice: NumbersSlice,
  limits: WordSliceLimits,
): WordSliceResult {
  const { numbers, tables } = slice;
  const changed = changedRows(database, tables.recent, numbers, index.age !== slice.age);
  const matching: number[] = [];
  let done = 0;
  for (const number of numbers) {
    if (!changed.has(number) || index.rows({ above: number - 1, through: number }).length > 0)
      matching.push(number);
    done += 1;
    if (limits.isTimeUp()) break;
  }
  const { rows, isCut } = readNumbers(database, slice.reading, matching, slice.limit, limits);
  return { rows, isCut, words: { through: done } };
}

function changedRows(
  database: Database,
  recent: string,
  numbers: readonly number[],
  isMoved: boolean,
): ReadonlySet<number> {
  if (isMoved) return new Set(numbers);
  const sql = `SELECT row FROM ${recent} WHERE row IN (SELECT value FROM json_each(?))`;
  const found = database.statement(sql).all([`[${numbers.join(',')}]`]);
  return new Set(found.map(({ row }) => Number(row)));
}

function readNumbers(
  database: Database,
  { sql, values, readBigInts }: NumbersStatement,
  numbers: readonly number[],
  limit: number,
  { maxBytes, allOrNone }: WordSliceLimits,
) {
  const statement = database.statement(sql, { returnArrays: true, readBigInts });
  return takeRows(statement.iterate([`[${numbers.join(',')}]`, ...values, limit]), maxBytes, allOrNone);
}

function lastRow(database: Database, { rows }: WordSlice): number {
  return Number(database.statement(`SELECT coalesce(max(row_id), 0) AS last FROM ${rows}`).get()?.['last']);
}
