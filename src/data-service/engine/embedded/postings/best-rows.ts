// Scores of rows, and the best of them.
import { bm25, tokenWeight } from '../../../query/word-search.js';
import type { WordStatistics } from './word-index.js';

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

/** The score of the row at a place: as in the specification, in doubles, rounded to a 32-bit float. */
export function scoreOf(
  { weights, averageLength }: WordScoring,
  length: number,
  counts: readonly (readonly number[])[],
  place: number,
): number {
  const { k1, b } = bm25;
  const norm = k1 * (1 - b + (b * length) / averageLength);
  let score = 0;
  for (const { token, weight } of weights) {
    const count = counts[token]?.[place] ?? 0;
    score += (weight * count) / (count + norm);
  }
  return Math.fround(score);
}

/** A row with its score. */
export interface BestRow {
  readonly row: number;
  readonly score: number;
}

/** What is kept. */
export interface BestRowsOptions {
  readonly count: number;
  readonly best: readonly BestRow[];
  readonly isFiltered: boolean;
}

/** So many rows more than needed are collected before they are sorted. */
const spareRows = 4_000;

/** Keeps the best rows: by score, and rows with the same score in the order of their keys. */
export class BestRows {
  readonly #count: number;
  readonly #isFiltered: boolean;
  readonly #passing: (numbers: readonly number[]) => readonly number[];
  #rows: BestRow[];
  #least = Number.NEGATIVE_INFINITY;

  /**
   * `best` are kept before. `passing` returns those of some row numbers that pass the filter, in the order of the key;
   * without a filter it returns all, and so is called for few.
   */
  constructor(
    { count, best, isFiltered }: BestRowsOptions,
    passing: (numbers: readonly number[]) => readonly number[],
  ) {
    this.#count = count;
    this.#isFiltered = isFiltered;
    this.#passing = passing;
    this.#rows = [...best];
    if (best.length >= count) this.#least = best.at(-1)?.score ?? this.#least;
  }

  /** Rows with lower scores are not among the best. */
  get least(): number {
    return this.#least;
  }

  add(row: number, score: number): void {
    this.#rows.push({ row, score });
    if (this.#rows.length < this.#count + spareRows) return;
    if (!this.#isFiltered) this.#dropLower();
    if (this.#rows.length >= this.#count + spareRows / 2) this.#sort();
  }

  /** The best rows, the best one first. */
  take(): readonly BestRow[] {
    if (!this.#isFiltered) this.#dropLower();
    this.#sort();
    return this.#rows;
  }

  /** Drops rows that others exceed by score alone. */
  #dropLower(): void {
    if (this.#rows.length <= this.#count) return;
    const scores = Float64Array.from(this.#rows, ({ score }) => score).sort();
    const least = scores[scores.length - this.#count] ?? 0;
    this.#rows = this.#rows.filter(({ score }) => score >= least);
    this.#least = least;
  }

  #sort(): void {
    const scores = new Map(this.#rows.map(({ row, score }) => [row, score]));
    const sorted = this.#passing([...scores.keys()])
      .map((row) => ({ row, score: scores.get(row) ?? 0 }))
      .sort((left, right) => right.score - left.score); // stable: the order of keys stays
    this.#rows = sorted.slice(0, this.#count);
    if (this.#rows.length >= this.#count) this.#least = this.#rows.at(-1)?.score ?? this.#least;
  }
}
