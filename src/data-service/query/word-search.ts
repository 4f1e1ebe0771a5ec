// Text searches: their parameters, and the score of a row (BM25, as in the specification).
import { apiError } from '../errors/api-error.js';
import { anyTextIndexOn, type Column, type Table, type TextIndex } from '../schema/table.js';
import type { Analyzer } from '../text-analysis/analyzer.js';
import { countSearchedText } from './searched-texts.js';

/** Requests the rows whose texts contain all tokens, best first. */
export interface WordSearch {
  readonly kind: 'words';
  readonly column: Column;
  readonly index: TextIndex;
  /** At least one, in the order of the request; a repeated one counts each time. */
  readonly tokens: readonly string[];
}

/** The maximum number of rows of a text search. */
export const maxWordRows = 1_000;
/** The number of rows without a limit. */
export const usualWordRows = 100;
/** The maximum number of different tokens in a search: an engine looks up each of them for each row that it finds. */
const mostTokens = 100;

/**
 * The tokens of a text to search for.
 * @throws the error of `refuse` for too many or too long a text, and what `countSearchedText` throws
 */
export function tokensToFind(
  text: string,
  analyzer: Analyzer,
  refuse: (problem: string) => Error,
): readonly string[] {
  if (text.length > analyzer.mostCharacters)
    throw refuse(`the text to search for has more than ${analyzer.mostCharacters} characters`);
  countSearchedText(text, analyzer, refuse);
  const tokens = analyzer.analyze(text);
  const { length } = distinctTokens(tokens);
  if (length > mostTokens)
    throw refuse(
      `the text to search for has ${length} different words; at most ${mostTokens} are allowed, ` +
        'and each piece of a word that is cut because it is long counts as one',
    );
  return tokens;
}

/**
 * The tokens of a stored text.
 * @throws ApiError TIMEOUT_READING_DATA for a longer text than the analyzer splits, which other software stored
 */
export function tokensOf(text: string, { analyze, mostCharacters }: Analyzer): readonly string[] {
  if (text.length <= mostCharacters) return analyze(text);
  const problem = `a text of a row has more than ${mostCharacters} characters, which its text index cannot split`;
  throw apiError('database', 'TIMEOUT_READING_DATA', { problem });
}

/** Each token once, in the order of their first occurrences. */
export function distinctTokens(tokens: readonly string[]): readonly string[] {
  return [...new Set(tokens)];
}

/** The constants of BM25. */
const bm25 = { k1: 1.2, b: 0.75 } as const;

/**
 * The weight of a token, by the number of rows with a text and of those with the token: a rare token weighs more. It is
 * part of the score once for each occurrence in the search.
 */
function tokenWeight(rows: number, rowsWithToken: number): number {
  return Math.log(1 + (rows - rowsWithToken + 0.5) / (rowsWithToken + 0.5));
}

/** Statistics of an index, for scores. */
export interface WordStatistics {
  /** The number of texts. */
  readonly texts: number;
  /** The number of their tokens. */
  readonly length: number;
  /** For each token of the search the number of texts that have it. */
  readonly rows: readonly number[];
}

/** How rows are scored. */
export interface WordScoring {
  /** For each token that counts: its place among the tokens of the search, and its weight. */
  readonly weights: readonly { readonly token: number; readonly weight: number }[];
  readonly averageLength: number;
}

/** `occurrences`: how often the search has each token. */
export function weightsOf(statistics: WordStatistics, occurrences: readonly number[]): WordScoring {
  const { texts, length, rows } = statistics;
  const weights = occurrences.flatMap((times, token) =>
    times === 0 ? [] : [{ token, weight: times * tokenWeight(texts, rows[token] ?? 0) }],
  );
  return { weights, averageLength: length / texts };
}

/**
 * The score of a row with so many of each token of the search: as in the specification, in doubles, rounded to a 32-bit
 * float. `words.as.ts` does the same.
 */
export function scoreOf(
  { weights, averageLength }: WordScoring,
  length: number,
  counts: readonly number[],
): number {
  const { k1, b } = bm25;
  const norm = k1 * (1 - b + (b * length) / averageLength);
  let score = 0;
  for (const { token, weight } of weights) {
    const count = counts[token] ?? 0;
    score += (weight * count) / (count + norm);
  }
  return Math.fround(score);
}

/**
 * The text index on a column, if it has one that the dialect knows.
 * @throws ApiError UNAVAILABLE_DATABASE while it is being built
 */
export function searchedIndexOn(table: Table, column: Column): TextIndex | undefined {
  const index = anyTextIndexOn(table, column);
  if (index === undefined || index.isUnsupported === true) return undefined;
  if (index.isBuilding !== true) return index;
  const problem = `the text index ${index.name} on the column ${column.name} is still being built`;
  throw apiError('database', 'UNAVAILABLE_DATABASE', { problem });
}
