// Rows in the order of a key, of which no two are equal.
import type { RowValues } from '../../src/data-service/query/read.js';
import { compareByOrder, type RowOrder } from '../../src/data-service/query/row-order.js';
import type { Column } from '../../src/data-service/schema/table.js';

export interface StoredRow {
  /** The values by the ids of their columns, also those of the key; a missing value has no entry. */
  readonly values: Map<number, unknown>;
  /** Whether an insert created the row: then it stays when its last value is removed. */
  isInserted: boolean;
}

/** The value of a row in a column; null for a missing value. */
export function storedValue({ values }: StoredRow, { id }: Column): unknown {
  return values.get(id) ?? null;
}

/** Stores a value in a row; null removes it. */
export function storeValue({ values }: StoredRow, { id }: Column, value: unknown): void {
  if (value === null) values.delete(id);
  else values.set(id, value);
}

/** A list of rows that is searched by halving, because equal keys can have several forms: 1.0 and 1.00. */
export class OrderedRows {
  readonly #order: RowOrder;
  #rows: StoredRow[] = [];

  /** `order`: the columns of the key. */
  constructor(order: RowOrder) {
    this.#order = order;
  }

  /** All rows in the order of the key. The list is not a copy. */
  get all(): readonly StoredRow[] {
    return this.#rows;
  }

  /** The row with a key; undefined if there is none. */
  find(key: RowValues): StoredRow | undefined {
    const row = this.#rows[this.#placeOf(key)];
    return row !== undefined && this.#compare(row, key) === 0 ? row : undefined;
  }

  /** The row with a key, which is created if there is none. */
  findOrAdd(key: RowValues): StoredRow {
    const found = this.find(key);
    if (found !== undefined) return found;
    const row = {
      values: new Map(this.#order.map(({ column }, at) => [column.id, key[at]])),
      isInserted: false,
    };
    this.#rows.splice(this.#placeOf(key), 0, row);
    return row;
  }

  /** Removes all rows that `isRemoved` accepts. */
  remove(isRemoved: (row: StoredRow) => boolean): void {
    this.#rows = this.#rows.filter((row) => !isRemoved(row));
  }

  /** The place of the first row that does not come before the key. */
  #placeOf(key: RowValues): number {
    let [from, to] = [0, this.#rows.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      const row = this.#rows[middle];
      if (row !== undefined && this.#compare(row, key) < 0) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  #compare(row: StoredRow, key: RowValues): number {
    const own = this.#order.map(({ column }) => storedValue(row, column));
    return compareByOrder(this.#order, own, key);
  }
}
