// Searches by words: every text is split again for each search, and scored by the shared formula.
import { matchesFilter } from '../../src/data-service/query/filter.js';
import type { ReadPlan, RowValues } from '../../src/data-service/query/read.js';
import {
  distinctTokens,
  scoreOf,
  type WordSearch,
  weightsOf,
} from '../../src/data-service/query/word-search.js';

/**
 * The rows that have all tokens of a search and match the filter, best first. `rows`: the values of all rows in the
 * columns of the table, in the order of the key, which equally good rows keep.
 */
export function bestRows(
  { table, filter }: Pick<ReadPlan, 'table' | 'filter'>,
  { index, tokens }: WordSearch,
  rows: readonly RowValues[],
): readonly RowValues[] {
  const place = table.columns.indexOf(index.column);
  const texts = rows.flatMap((row) => {
    const text = row[place];
    return typeof text === 'string' ? [{ row, words: index.analyzer.analyze(text) }] : [];
  });
  const searched = distinctTokens(tokens);
  const counts = searched.map((token) => texts.map(({ words }) => countOf(token, words)));
  const scoring = weightsOf(
    {
      texts: texts.length,
      length: texts.reduce((sum, { words }) => sum + words.length, 0),
      rows: counts.map((own) => own.filter((count) => count > 0).length),
    },
    searched.map((token) => countOf(token, tokens)),
  );
  const isFound = (row: RowValues, at: number) =>
    counts.every((own) => own[at] !== 0) &&
    matchesFilter(filter, (column) => row[table.columns.indexOf(column)] ?? null);
  return texts
    .map(({ row, words }, at) => {
      const own = counts.map((each) => each[at] ?? 0);
      return { row, at, score: scoreOf(scoring, words.length, own) };
    })
    .filter(({ row, at }) => isFound(row, at))
    .sort((left, right) => right.score - left.score)
    .map(({ row }) => row);
}

function countOf(token: string, words: readonly string[]): number {
  return words.filter((word) => word === token).length;
}
