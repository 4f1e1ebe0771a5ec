// The rows that pass the filter of a text search, if an index of the table finds them and they are few.
import type { Database } from '../../../../foundation/sqlite/open-database.js';
import { hasMoreNumbers, readRowNumbers } from '../file/row-numbers.js';
import type { SqlFragment } from '../file/sql-fragment.js';
import type { RowSpan } from './text-tables.js';

/** So many rows are read in some milliseconds, if none of them is compared. */
const mostRows = 20_000;
/** So many are read before the first rows with the words are compared: it takes about as long as these. */
const mostAtOnce = 5_000;
/** The rarest word must have so many rows for each number that is read: fewer rows are compared in less time. */
const candidatesOfNumber = 4;
/** If more rows pass, comparing those with the highest scores takes less time. */
const mostShare = 0.05;
/** So few rows with the words are compared faster than others are read. */
const leastRows = 1_000;
/** So many numbers are read in the time in which a document is compared. */
const numbersOfDocument = 40;
/** With the words alone about as many documents would be compared. */
const fewDocuments = 400;

/** A statement that returns the numbers of the rows, at most as many as its last value, which is not in `values`. */
export interface FilteredNumbers extends SqlFragment {
  /** What is compared for each row. */
  readonly compares: 'nothing' | 'rows' | 'documents';
  /** About how many rows are found, as far as they were counted. */
  readonly expected?: number;
}

/**
 * The rows that pass a filter in one snapshot. They are read at once if nothing is compared for that or if they are few
 * documents, and otherwise when the first rows with the words show that it pays.
 */
export class FilteredRows {
  readonly #database: Database;
  readonly #statement: FilteredNumbers;
  readonly #lastRow: number;
  #numbers: Float64Array | undefined;
  #areMany = false;

  /** `candidates`: at least as many rows as have the words. */
  constructor(
    database: Database,
    statement: FilteredNumbers,
    { lastRow, candidates }: { readonly lastRow: number; readonly candidates: number },
  ) {
    this.#database = database;
    this.#statement = statement;
    this.#lastRow = lastRow;
    const { compares, expected } = statement;
    // Only those of documents were counted.
    if (expected === undefined) {
      const most = Math.min(mostAtOnce, Math.floor(candidates / candidatesOfNumber));
      if (compares === 'nothing' && !hasMoreNumbers(database, statement, most)) this.#read();
      return;
    }
    const most =
      compares === 'nothing'
        ? Math.min(mostRows, candidates * numbersOfDocument)
        : Math.min(fewDocuments, candidates);
    if (expected <= most) this.#read();
  }

  /** Their numbers in ascending order, if they were read. */
  get known(): Float64Array | undefined {
    return this.#numbers;
  }

  /** The numbers of the rows in a span, if they were read. */
  in({ above, through }: RowSpan): Float64Array | undefined {
    return this.#numbers?.subarray(this.#placeOf(above + 1), this.#placeOf(through + 1));
  }

  /**
   * Reads them if they are probably few: `share` of some rows passed the filter, and so many rows with the words are
   * left. Undefined if they are not read, or are too many.
   */
  readIfFew(share: number, left: number): Float64Array | undefined {
    const { compares, expected = 0 } = this.#statement;
    // What a limit on the rows that pass does not bound.
    if (compares === 'rows' || (compares === 'documents' && expected > left)) return undefined;
    if (this.#areMany || left < leastRows || share > mostShare) return undefined;
    if (share * this.#lastRow > mostRows) return undefined;
    this.#read();
    return this.#numbers;
  }

  /** Whether a row passes; only after they were read. */
  has(row: number): boolean {
    return this.#numbers?.[this.#placeOf(row)] === row;
  }

  /** The place of the first number that is not lower. */
  #placeOf(row: number): number {
    const numbers = this.#numbers ?? new Float64Array();
    let [low, high] = [0, numbers.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((numbers[middle] ?? 0) < row) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #read(): void {
    const numbers = readRowNumbers(this.#database, this.#statement, mostRows + 1);
    this.#areMany = numbers.length > mostRows;
    if (!this.#areMany) this.#numbers = numbers.sort();
  }
}
