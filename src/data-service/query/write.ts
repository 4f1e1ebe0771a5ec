// Writes: the plans for an engine.
import type { Assignments } from '../schema/parse-row.js';
import type { Column, Table } from '../schema/table.js';
import type { Filter } from './filter.js';
import type { PrimaryKey } from './key-filter.js';

/** Rows to store. An existing row keeps the columns that are not assigned; null removes a value. */
export interface InsertPlan {
  readonly table: Table;
  /** Each with a value for every key column. */
  readonly rows: readonly Assignments[];
  /** If set, no row after the first refused one is stored. */
  readonly isOrdered?: boolean;
  /**
   * The same object in all plans that are made for one command: an engine that stored some rows before it refused the
   * plan does not store them again with the next one.
   */
  readonly command?: object;
}

/**
 * Changes columns of one row, which need not exist: setting a value creates it. A row that only updates created is
 * deleted with its last value outside the key; a row that an insert created remains (differences: Upsert and
 * row-liveness).
 */
export interface ChangePlan {
  readonly table: Table;
  readonly key: PrimaryKey;
  /**
   * At least one, no key column, each column once. Engines apply them in one step, so that simultaneous changes all
   * count.
   */
  readonly changes: readonly ColumnChange[];
}

/** The change of a column. `push` and `pull` are for lists, sets and maps, `add` for counters. */
export type ColumnChange =
  /** A value of the column's type; null removes the value. */
  | { readonly kind: 'set'; readonly column: Column; readonly value: unknown }
  /** Adds the members of a value of the column's type, which may be empty. */
  | { readonly kind: 'push'; readonly column: Column; readonly value: unknown }
  /** Removes the members with these names: elements, or keys of a map. */
  | { readonly kind: 'pull'; readonly column: Column; readonly names: readonly unknown[] }
  /** Adds to a counter; a missing value counts as 0. */
  | { readonly kind: 'add'; readonly column: Column; readonly value: unknown };

/** Deletes all rows that match: everything, or partitions and a slice of their clustering columns. */
export interface DeletePlan {
  readonly table: Table;
  readonly filter: Filter;
}

/** The reference meaning of a change: the value of the column after it. null for no value, before and after. */
export function changedValue(change: ColumnChange, stored: unknown): unknown {
  switch (change.kind) {
    case 'set':
      return change.value;
    case 'push':
      return containerOf(change.column).add(stored, change.value);
    case 'pull':
      return containerOf(change.column).remove(stored, change.names);
    case 'add':
      return sumOf(change.column, stored, change.value);
  }
}

function sumOf({ name, type }: Column, stored: unknown, added: unknown): unknown {
  if (type.add === undefined) throw new TypeError(`the column ${name} is not a counter`);
  return type.add(stored, added);
}

/** The container operations of the column's type. */
export function containerOf({ name, type }: Column): NonNullable<Column['type']['container']> {
  if (type.container === undefined) throw new TypeError(`the column ${name} holds no members`);
  return type.container;
}
