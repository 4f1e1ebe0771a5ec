// Deletes of rows → SQL.
import type { DeletePlan } from '../../../query/write.js';
import { sqlTable } from '../file/sql-names.js';
import { filterCondition } from './filter-condition.js';
import { removedByDelete } from './static-statements.js';
import { afterDeleteAll, beforeDeleteAll } from './text-statements.js';
import type { WriteStatement } from './write-statements.js';

/** One DELETE over the condition of the filter; text indexes are emptied at once if all rows are deleted. */
export function deleteStatements({ table, filter }: DeletePlan): readonly WriteStatement[] {
  const condition = filterCondition(filter);
  const where = condition === undefined ? '' : ` WHERE ${condition.sql}`;
  const statement = { sql: `DELETE FROM ${sqlTable(table)}${where}`, valueSets: [condition?.values ?? []] };
  const shared = removedByDelete({ table, filter });
  if (condition !== undefined) return [statement, ...shared];
  const textIndexes = table.indexes.filter((index) => index.kind === 'text');
  return [
    ...textIndexes.flatMap((index) => beforeDeleteAll(table, index)),
    statement,
    ...shared,
    ...textIndexes.map((index) => afterDeleteAll(table, index)),
  ];
}
