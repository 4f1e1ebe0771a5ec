// Writes: what is asked of an engine.
import type { Assignments } from '../schema/parse-row.js';
import type { Column, Table } from '../schema/table.js';
import type { Filter } from './filter.js';
import type { PrimaryKey } from './key-filter.js';

/** Rows to store. A row that exists keeps the columns that are not assigned; null removes a value. */
export interface InsertPlan {
  readonly table: Table;
  /** Each with a value for every key column. */
  readonly rows: readonly Assignments[];
  /** No row is stored behind the first one that is refused for itself. */
  readonly isOrdered?: boolean;
}

/**
 * Changes columns of one row, which need not exist: a value creates it. A row that only updates made is gone when
 * its last value outside the key is; one that an insert made stays (differences: Upsert and row-liveness).
 */
export interface ChangePlan {
  readonly table: Table;
  readonly key: PrimaryKey;
  /** At least one, none of the key, each column once. Engines carry them out in one step: none is lost to another. */
  readonly changes: readonly ColumnChange[];
}

/** What becomes of a column. `push` and `pull` are for lists, sets and maps, `add` for counters. */
export type ColumnChange =
  /** A value of the column's type; null takes it away. */
  | { readonly kind: 'set'; readonly column: Column; readonly value: unknown }
  /** Adds the members of a value of the column's type, which may be empty. */
  | { readonly kind: 'push'; readonly column: Column; readonly value: unknown }
  /** Takes away the members with these names: elements, or keys of a map. */
  | { readonly kind: 'pull'; readonly column: Column; readonly names: readonly unknown[] }
  /** Adds to a counter, which counts from 0 where there is no value. */
  | { readonly kind: 'add'; readonly column: Column; readonly value: unknown };

/** Deletes all rows that match: everything, or partitions and a slice of their clustering columns. */
export interface DeletePlan {
  readonly table: Table;
  readonly filter: Filter;
}

/** The reference meaning of a change: what the column holds after it. null for no value, before and after. */
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

/** What the type of the column does as a whole that holds members. */
export function containerOf({ name, type }: Column): NonNullable<Column['type']['container']> {
  if (type.container === undefined) throw new TypeError(`the column ${name} holds no members`);
  return type.container;
}
