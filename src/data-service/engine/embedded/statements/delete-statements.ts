// Deletes of rows → SQL.
import type { Database } from '../../../../foundation/sqlite/open-database.js';
import type { Filter } from '../../../query/filter.js';
import type { DeletePlan } from '../../../query/write.js';
import { analysisUnits } from '../../../text-analysis/analyzer.js';
import type { SqlFragment } from '../file/sql-fragment.js';
import { rowIdColumn, sqlColumn, sqlTable } from '../file/sql-names.js';
import { filterCondition } from './filter-condition.js';
import { removedByDelete } from './static-statements.js';
import { afterDeleteAll, beforeDeleteAll } from './text-statements.js';
import type { WriteStatement } from './write-statements.js';

/** Whether more than so many rows match: reads as many keys. @throws DatabaseFailure */
export function hasMoreRows(database: Database, { table, filter }: DeletePlan, rows: number): boolean {
  const { sql, values } = whereOf(filter);
  const more = database.statement(`SELECT 1 FROM ${sqlTable(table)}${sql} LIMIT 1 OFFSET ?`);
  return more.get([...values, rows]) !== undefined;
}

/** The texts of one delete take so many units, see `analysisUnits`, unless one row has more. */
const mostUnits = 4 * 1024 * 1024;

/**
 * How many of so many rows are deleted at once, because their texts are analyzed again: at least one. Reads the sizes
 * of their texts. @throws DatabaseFailure
 */
export function fittingRows(database: Database, { table, filter }: DeletePlan, rows: number): number {
  const sizes = table.indexes.flatMap((index) =>
    index.kind === 'text'
      ? [`ifnull(octet_length(${sqlColumn(index.column)}), 0) * ${analysisUnits(1, index.analyzer)}`]
      : [],
  );
  const { sql, values } = whereOf(filter);
  const found = database
    .statement(`SELECT ${sizes.join(' + ')} FROM ${sqlTable(table)}${sql} LIMIT ?`, { returnArrays: true })
    .iterate([...values, rows]);
  let [fitting, units] = [0, 0];
  for (const [size] of found) {
    units += Number(size);
    if (units > mostUnits) break;
    fitting += 1;
  }
  // All others are fewer than a portion.
  return units > mostUnits ? Math.max(1, fitting) : rows;
}

/** Deletes so many of the rows that match, and nothing that belongs to their partition. */
export function portionStatements({ table, filter }: DeletePlan, rows: number): readonly WriteStatement[] {
  const { sql, values } = whereOf(filter);
  const found = `SELECT ${rowIdColumn} FROM ${sqlTable(table)}${sql} LIMIT ?`;
  return [
    {
      sql: `DELETE FROM ${sqlTable(table)} WHERE ${rowIdColumn} IN (${found})`,
      valueSets: [[...values, rows]],
    },
  ];
}

/** The clause of a filter; empty if every row matches. */
function whereOf(filter: Filter): SqlFragment {
  const condition = filterCondition(filter);
  return condition === undefined
    ? { sql: '', values: [] }
    : { sql: ` WHERE ${condition.sql}`, values: condition.values };
}

/** One DELETE over the condition of the filter; text indexes are emptied at once if all rows are deleted. */
export function deleteStatements({ table, filter }: DeletePlan): readonly WriteStatement[] {
  const { sql, values } = whereOf(filter);
  const statement = { sql: `DELETE FROM ${sqlTable(table)}${sql}`, valueSets: [values] };
  const shared = removedByDelete({ table, filter });
  if (sql !== '') return [statement, ...shared];
  const textIndexes = table.indexes.filter((index) => index.kind === 'text');
  return [
    ...textIndexes.flatMap((index) => beforeDeleteAll(table, index)),
    statement,
    ...shared,
    ...textIndexes.map((index) => afterDeleteAll(table, index)),
  ];
}
