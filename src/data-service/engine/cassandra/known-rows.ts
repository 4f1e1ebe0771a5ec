// What is known of the sizes of rows: it decides how many rows a node is asked for at a time.
import { GenerationCache } from '../../../foundation/generation-cache.js';
import { getOrMake } from '../../../foundation/get-or-make.js';
import type { Column, Table } from '../../schema/table.js';

/**
 * Rows that are asked for while nothing is known of their size, and what one of them may have, in bytes: many reads of
 * rows of some megabytes at the same time would take all memory of a node.
 */
const firstRows = 16;
const unknownRowBytes = 1024 * 1024;
/** Lists of columns of tables whose rows are known; further ones replace those that were not used. */
const mostKnown = 2_000;

/** What a node may be asked for at a time. */
export interface PageLimits {
  /** The bytes of all rows of the page, by the largest row that was seen. */
  readonly bytes: number;
  readonly rows: number;
  /** How many times as many rows as ever before. */
  readonly growth: number;
}

/** The rows with some columns of a table. */
export class KnownRows {
  #largestBytes: number | undefined;
  #mostRows = 0;

  /** How many rows to ask for, of those that are wanted: 1 at least. */
  rowsToAsk(wanted: number, { bytes, rows, growth }: PageLimits): number {
    const tried = Math.max(firstRows, this.#mostRows * growth);
    const fitting = Math.floor(bytes / (this.#largestBytes ?? 1));
    return Math.max(1, Math.min(wanted, rows, tried, fitting));
  }

  /** How much memory so many rows may take, in bytes. */
  expectedBytes(rows: number): number {
    return rows * (this.#largestBytes ?? unknownRowBytes);
  }

  /** Notes rows that came. Larger rows that were seen before count less with each page without such rows. */
  note(rows: number, largestBytes: number): void {
    if (rows === 0) return;
    this.#mostRows = Math.max(rows, this.#mostRows);
    this.#largestBytes = Math.ceil(Math.max(largestBytes, (this.#largestBytes ?? 0) * 0.875, 1));
  }
}

/** What is known of all tables. */
export class RowSizes {
  readonly #known = new GenerationCache<KnownRows>(mostKnown);

  of({ id, version }: Table, columns: readonly Column[]): KnownRows {
    const key = `${id}.${version}:${columns.map((column) => column.id).join()}`;
    return getOrMake(this.#known, key, () => new KnownRows());
  }
}
