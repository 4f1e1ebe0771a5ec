// The numbers of the rows that pass the filter of a search by vectors or words.
import { conjunctionOf } from '../../../query/filter.js';
import { boundLimit, joinSql, type SqlFragment } from '../file/sql-fragment.js';
import { rowIdColumn, sqlTable } from '../file/sql-names.js';
import { comparisonCondition, filterCondition } from './filter-condition.js';
import { areWholeRanges, filterSeeks } from './index-ranges.js';
import { memberNumbers } from './member-ranges.js';
import type { OrderedPlan } from './ordered-plan.js';
import { chooseReadOrder } from './read-order.js';

/** How the rows of a filter are found. Further values are bound, see `kind`. */
export interface FilterStatement extends SqlFragment {
  /**
   * `seek`: an index finds the rows, and the maximum number of rows is bound after the values. `slices`: all rows are
   * compared, and bounds of row numbers are bound before the values, exclusive and inclusive.
   */
  readonly kind: 'seek' | 'slices';
  /**
   * What is compared for each row that the index has: nothing where the index is enough. A document takes ten times as
   * long as a row.
   */
  readonly compares: 'nothing' | 'rows' | 'documents';
  /** About how many rows the index has, as far as they were counted. */
  readonly expected?: number;
  /** The statement in two parts, for a `seek` that compares rows. The first one can find any number of rows. */
  readonly inParts?: SeekInParts;
}

/** Statements for the numbers of rows. */
export interface SeekInParts {
  /** Those that the index finds. */
  readonly candidates: SqlFragment;
  /** Those of a list that pass the filter: numbers as JSON are bound before the values. */
  readonly passing: SqlFragment;
}

/** The statement for the row numbers that match a plan's filter; undefined if all rows match. */
export function filterStatement(plan: OrderedPlan): FilterStatement | undefined {
  const condition = filterCondition(plan.filter);
  if (condition === undefined) return undefined;
  const { sql, values } = condition;
  const select = `SELECT ${rowIdColumn} FROM ${sqlTable(plan.table)}`;
  // The most selective index is the best one here, because every order is accepted.
  const order = chooseReadOrder(plan.filter, plan.table);
  const seeks = filterSeeks({ ...plan, order });
  if (seeks.length > 0) {
    const isWhole = conjunctionOf(plan.filter)?.length === seeks.length && areWholeRanges(seeks, order);
    const found = { kind: 'seek', sql: `${select} WHERE ${sql} ${boundLimit}`, values } as const;
    if (isWhole) return { ...found, compares: 'nothing' };
    const sought = joinSql(seeks.map(comparisonCondition), ' AND ');
    const candidates = { sql: `${select} WHERE ${sought.sql}`, values: sought.values };
    return { ...found, compares: 'rows', inParts: { candidates, passing: passingOf(plan, condition) } };
  }
  const numbers = memberNumbers(plan);
  if (numbers !== undefined)
    return {
      kind: 'seek',
      compares: 'rows',
      sql: `${select} WHERE ${rowIdColumn} IN (${numbers.sql}) AND (${sql}) ${boundLimit}`,
      values: [...numbers.values, ...values],
      inParts: {
        candidates: { ...numbers, sql: `SELECT DISTINCT ${rowIdColumn} FROM (${numbers.sql})` },
        passing: passingOf(plan, condition),
      },
    };
  // SQLite would read another index from its beginning in every slice.
  const slice = `${rowIdColumn} > ? AND ${rowIdColumn} <= ?`;
  const all = `${select} NOT INDEXED WHERE ${slice} AND (${sql})`;
  return { kind: 'slices', compares: 'rows', sql: all, values };
}

function passingOf({ table }: OrderedPlan, { sql, values }: SqlFragment): SqlFragment {
  const listed = `${rowIdColumn} IN (SELECT value FROM json_each(?))`;
  // SQLite would read an index of the filter, and look for each of its rows in the list.
  return {
    sql: `SELECT ${rowIdColumn} FROM ${sqlTable(table)} NOT INDEXED WHERE ${listed} AND (${sql})`,
    values,
  };
}
