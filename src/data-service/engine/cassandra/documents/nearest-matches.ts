// The nearest documents that match a filter which nodes compare in part only: as many of the nearest are read as it
// takes to find enough that match.
import { matchesFilter } from '../../../query/filter.js';
import type { RowValues } from '../../../query/read.js';
import { maxSearchedRows, scorerOf, type VectorSearch } from '../../../query/vector-search.js';
import type { Column, Table } from '../../../schema/table.js';
import { type RunningRead, searchedPage } from '../running-read.js';
import type { ReadPath } from '../statements/path-of-rows.js';
import type { RowSource } from '../statements/row-source.js';

/** How many times as many rows the next search has. */
const growth = 8;

/**
 * Documents that match, of which the nearest are those of the plan, in any order; undefined where the searches that are
 * possible find too few. @throws EngineError, ApiError OVERLOADED_SORT_ROW_LIMIT
 */
export async function nearestMatches(
  read: RunningRead,
  { sources, searched = sources }: ReadPath,
): Promise<readonly RowValues[] | undefined> {
  const { plan, columns } = read;
  const { table, filter, search } = plan;
  if (search?.kind !== 'vector') return undefined;
  const places = new Map(columns.map((column, at) => [column, at]));
  const matches = (row: RowValues) =>
    matchesFilter(filter, (column: Column) => row[places.get(column) ?? -1] ?? null);
  const vectorPlace = columns.indexOf(search.column);
  const { limit } = plan.page;
  for (let asked = limit; ; asked *= growth) {
    const rows = Math.min(asked, maxSearchedRows);
    const found = await searchAll(read, searched, rows);
    const scored = found.map((each) => scoresOf(each, search, vectorPlace));
    // Rows that were not found are no more similar than the last one of a search that has more.
    const least = Math.max(
      ...scored.map((each) => (each.length < rows ? Number.NEGATIVE_INFINITY : lastOf(each))),
    );
    const matching = uniqueRows(found.flat(), columns, table).filter(matches);
    const near = scoresOf(matching, search, vectorPlace).filter((score) => score >= least);
    if (near.length >= limit || least === Number.NEGATIVE_INFINITY) return matching;
    if (rows === maxSearchedRows) return undefined;
  }
}

async function searchAll(
  read: RunningRead,
  sources: readonly RowSource[],
  rows: number,
): Promise<readonly (readonly RowValues[])[]> {
  const taken = { bytes: 0 };
  return Promise.all(sources.map((source) => searchedPage(read, source, rows, taken)));
}

/** The scores of the rows that have a vector. */
function scoresOf(rows: readonly RowValues[], search: VectorSearch, place: number): readonly number[] {
  const score = scorerOf(search);
  return rows.flatMap((row) => {
    const vector = row[place];
    return vector instanceof Float32Array ? [score(vector)] : [];
  });
}

function lastOf(scores: readonly number[]): number {
  return scores.reduce((least, score) => Math.min(least, score), Number.POSITIVE_INFINITY);
}

/** Each row once: several searches can find it. */
function uniqueRows(
  rows: readonly RowValues[],
  columns: readonly Column[],
  { partitionKey: [key] }: Table,
): readonly RowValues[] {
  const place = key === undefined ? -1 : columns.indexOf(key);
  if (place < 0) return rows;
  const keyOf = (row: RowValues) => Buffer.from(row[place] as Uint8Array).toString('latin1'); // the key of a collection
  return [...new Map(rows.map((row) => [keyOf(row), row])).values()];
}
