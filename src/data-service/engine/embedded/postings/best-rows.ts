// The best of scored rows.

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
/** With a filter, so many rows are compared for each one that is kept, before more are scored. */
const scoresOfKept = 8;
/** Fewer rows do not show how many pass the filter. */
const leastAsked = 30;

/** Keeps the best rows: by score, and rows with the same score in the order of their keys. */
export class BestRows {
  readonly #count: number;
  readonly #isFiltered: boolean;
  readonly #passing: (numbers: readonly number[]) => readonly number[];
  readonly #highest: HighestScores;
  #rows: BestRow[];
  #least = Number.NEGATIVE_INFINITY;
  /** How many rows the filter was asked about, and how many of them passed it. */
  #asked = 0;
  #passed = 0;

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
    this.#highest = new HighestScores(count);
    for (const { score } of best) this.#highest.add(score);
    this.#least = this.#highest.least;
  }

  /** Rows with lower scores are not among the best. */
  get least(): number {
    return this.#least;
  }

  /** The number of rows with the highest scores that are added first: with a filter more than are kept. */
  get mostScores(): number {
    return this.#isFiltered ? this.#count * scoresOfKept : this.#count;
  }

  add(row: number, score: number): void {
    if (score < this.#least) return;
    this.#rows.push({ row, score });
    // A row that the filter refuses must not exclude others.
    if (!this.#isFiltered) {
      this.#highest.add(score);
      this.#least = this.#highest.least;
    }
    if (this.#rows.length < this.#count + spareRows) return;
    this.#dropLower();
    if (this.#rows.length >= this.#count + spareRows / 2) this.#sort();
  }

  /** Drops the rows that the filter refuses, so that `least` is that of rows that pass it. */
  applyFilter(): void {
    if (this.#isFiltered && this.#rows.length > 0) this.#sort();
  }

  /** The part of the rows that passed the filter, of those that it was asked about; 1 if these are few. */
  get passingShare(): number {
    return this.#asked < leastAsked ? 1 : this.#passed / this.#asked;
  }

  /** How many rows `take` orders: also those with the same score as the last one that is kept. */
  get candidates(): number {
    return this.#rows.reduce((count, { score }) => count + (score >= this.#least ? 1 : 0), 0);
  }

  /** The best rows, the best one first. */
  take(): readonly BestRow[] {
    this.#dropLower();
    this.#sort();
    return this.#rows;
  }

  /** Drops rows that others exceed by score alone. */
  #dropLower(): void {
    this.#rows = this.#rows.filter(({ score }) => score >= this.#least);
  }

  #sort(): void {
    const scores = new Map(this.#rows.map(({ row, score }) => [row, score]));
    const sorted = this.#passing([...scores.keys()])
      .map((row) => ({ row, score: scores.get(row) ?? 0 }))
      .sort((left, right) => right.score - left.score); // stable: the order of keys stays
    this.#asked += scores.size;
    this.#passed += sorted.length;
    this.#rows = sorted.slice(0, this.#count);
    if (this.#rows.length >= this.#count) this.#least = this.#rows.at(-1)?.score ?? this.#least;
  }
}

/** The highest of some scores, in a heap whose first one is the lowest. */
class HighestScores {
  readonly #heap: Float64Array;
  #size = 0;

  constructor(count: number) {
    this.#heap = new Float64Array(count);
  }

  /** The lowest of the highest scores, if there are enough. */
  get least(): number {
    return this.#size < this.#heap.length ? Number.NEGATIVE_INFINITY : (this.#heap[0] ?? 0);
  }

  add(score: number): void {
    const heap = this.#heap;
    if (this.#size < heap.length) {
      this.#size += 1;
      this.#rise(this.#size - 1, score);
    } else if (score > this.least) this.#sink(score);
  }

  #rise(from: number, score: number): void {
    const heap = this.#heap;
    let at = from;
    for (let above = (at - 1) >> 1; at > 0 && (heap[above] ?? 0) > score; above = (at - 1) >> 1) {
      heap[at] = heap[above] ?? 0;
      at = above;
    }
    heap[at] = score;
  }

  /** Replaces the lowest one. */
  #sink(score: number): void {
    const [heap, size] = [this.#heap, this.#size];
    let at = 0;
    for (let below = 1; below < size; below = at * 2 + 1) {
      if (below + 1 < size && (heap[below + 1] ?? 0) < (heap[below] ?? 0)) below += 1;
      if ((heap[below] ?? 0) >= score) break;
      heap[at] = heap[below] ?? 0;
      at = below;
    }
    heap[at] = score;
  }
}
