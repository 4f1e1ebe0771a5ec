// The rows of one table: what writes do to them, and their values. Nothing here knows the schema or its changes.
import { conjunctionOf, matchesFilter } from '../../src/data-service/query/filter.js';
import type { RowValues } from '../../src/data-service/query/read.js';
import {
  type ChangePlan,
  type ColumnChange,
  changedValue,
  type DeletePlan,
  type InsertPlan,
} from '../../src/data-service/query/write.js';
import type { Column, Table } from '../../src/data-service/schema/table.js';
import { OrderedRows, type StoredRow, storedValue, storeValue } from './ordered-rows.js';

/** Every version of a table has the same columns in its key, so that the rows stay when the table is changed. */
export class TableRows {
  readonly rows: OrderedRows;
  /** The values of static columns, which the rows of a partition share, by the partition key. */
  readonly #partitions: OrderedRows;

  constructor({ keyOrder, partitionKey }: Table) {
    this.rows = new OrderedRows(keyOrder);
    this.#partitions = new OrderedRows(keyOrder.slice(0, partitionKey.length));
  }

  /** Stores rows; a row that exists keeps the values of other columns. */
  insert({ table, rows }: InsertPlan): void {
    for (const { columns, values } of rows) {
      const key = table.keyColumns.map((column) => values[columns.indexOf(column)]);
      const row = this.rows.findOrAdd(key);
      row.isInserted = true;
      for (const [at, column] of columns.entries()) {
        const place = isStatic(column) ? this.#partitions.findOrAdd(partitionOf(table, key)) : row;
        storeValue(place, column, values[at] ?? null);
      }
    }
  }

  /** Changes a row. A value makes it exist; without its last value a row that no insert created is removed. */
  change({ table, key, changes }: ChangePlan): void {
    const own = changes.filter(({ column }) => !isStatic(column));
    const shared = changes.filter(({ column }) => isStatic(column));
    const makesRow = own.some((change) => changedValue(change, null) !== null);
    const row = makesRow ? this.rows.findOrAdd(key) : this.rows.find(key);
    if (row !== undefined) applyChanges(row, own);
    if (shared.length > 0) applyChanges(this.#partitions.findOrAdd(partitionOf(table, key)), shared);
    if (row !== undefined && isDead(row, table)) this.rows.remove((each) => each === row);
  }

  /** Deletes the rows of a filter, which names columns of the key. Static values go with whole partitions. */
  delete({ table, filter }: DeletePlan): void {
    const isMatching = (row: StoredRow) => matchesFilter(filter, (column) => storedValue(row, column));
    this.rows.remove(isMatching);
    const compared = conjunctionOf(filter) ?? [];
    if (compared.every(({ column }) => table.partitionKey.includes(column)))
      this.#partitions.remove(isMatching);
  }

  /** Removes the values of dropped columns, and the rows that have no others. `table`: without these columns. */
  dropColumns(table: Table, dropped: readonly Column[]): void {
    for (const row of [...this.rows.all, ...this.#partitions.all])
      for (const column of dropped) storeValue(row, column, null);
    this.rows.remove((row) => isDead(row, table));
  }

  /** The values of all rows in some columns, in the order of the key. */
  valuesIn(table: Table, columns: readonly Column[]): readonly RowValues[] {
    if (!columns.some(isStatic))
      return this.rows.all.map((row) => columns.map((column) => storedValue(row, column)));
    return this.rows.all.map((row) => {
      const key = table.keyColumns.map((column) => storedValue(row, column));
      const shared = this.#partitions.find(partitionOf(table, key));
      return columns.map((column) => {
        if (!isStatic(column)) return storedValue(row, column);
        return shared === undefined ? null : storedValue(shared, column);
      });
    });
  }
}

function isStatic({ type }: Column): boolean {
  return type.static !== undefined;
}

function partitionOf({ partitionKey }: Table, key: RowValues): RowValues {
  return key.slice(0, partitionKey.length);
}

function applyChanges(row: StoredRow, changes: readonly ColumnChange[]): void {
  for (const change of changes)
    storeValue(row, change.column, changedValue(change, storedValue(row, change.column)));
}

/** A row that no insert created exists only while it has a value outside the key. */
function isDead({ values, isInserted }: StoredRow, { keyColumns }: Table): boolean {
  return !isInserted && values.size === keyColumns.length;
}
