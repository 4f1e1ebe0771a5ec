// Writes: what is asked of an engine.
import type { Assignments } from '../schema/parse-row.js';
import type { Table } from '../schema/table.js';
import type { Filter } from './filter.js';
import type { PrimaryKey } from './key-filter.js';

/** Rows to store. A row that exists keeps the columns that are not assigned; null removes a value. */
export interface InsertPlan {
  readonly table: Table;
  /** Each with a value for every key column. */
  readonly rows: readonly Assignments[];
}

/**
 * Assigns columns of one row, which need not exist: a value creates it. A row that only updates made is gone when
 * its last value outside the key is; one that an insert made stays (differences: Upsert and row-liveness).
 */
export interface ChangePlan {
  readonly table: Table;
  readonly key: PrimaryKey;
  /** At least one, none of the key. */
  readonly assignments: Assignments;
}

/** Deletes all rows that match: everything, or partitions and a slice of their clustering columns. */
export interface DeletePlan {
  readonly table: Table;
  readonly filter: Filter;
}
