// Checks the values of all rows of a table in the check process, in steps.
import type { Table } from '../../../schema/table.js';
import { sqlPartitionKey, sqlPartitions, sqlSlot, sqlStatic, sqlTable } from '../file/sql-names.js';
import { isStatic } from '../statements/static-statements.js';
import type { CheckedColumn, Checker } from './checker.js';

const rowsPerStep = 1000;

/** The rows of a table that were checked, and the damaged ones among them. */
export interface CheckedRows {
  readonly rows: number;
  readonly problems: readonly string[];
}

/**
 * Checks that each value is one of its column's type, also each static one. `onStep` gets the number of the last
 * checked row after each step. Undefined if it was stopped.
 */
export async function checkRows(
  table: Table,
  checker: Checker,
  onStep: (lastRow: number) => void = () => {},
): Promise<CheckedRows | undefined> {
  const others = table.columns.filter((column) => !table.keyColumns.includes(column));
  const columns: readonly CheckedColumn[] = [...table.keyColumns, ...others].map((column) => ({
    sqlName: sqlSlot(column),
    name: column.name,
    typeName: column.type.name,
  }));
  const problems: string[] = [];
  const statics = table.columns.filter(isStatic);
  if (statics.length > 0) {
    const { partitionKey } = table;
    const checked = await checker.ask({
      kind: 'statics',
      table: sqlPartitions(table),
      columns: [...partitionKey, ...statics].map((column) => ({
        sqlName: isStatic(column) ? sqlStatic(column) : sqlPartitionKey(column),
        name: column.name,
        typeName: column.type.name,
      })),
      keyCount: partitionKey.length,
    });
    if (checked === undefined) return undefined;
    problems.push(...checked.problems);
  }
  let rows = 0;
  for (let after: number | null = 0; after !== null; ) {
    const step = await checker.ask({
      kind: 'rows',
      table: sqlTable(table),
      columns,
      keyCount: table.keyColumns.length,
      after,
      count: rowsPerStep,
    });
    if (step === undefined) return undefined;
    rows += step.rows;
    problems.push(...step.problems);
    // Where pages are at the place of others, steps would read the same rows again and again.
    const isInOrder: boolean = step.last === null || step.last > after;
    if (!isInOrder) problems.push(`the rows behind row ${after} are not in the order of their numbers`);
    after = isInOrder ? step.last : null;
    onStep(after ?? Number.POSITIVE_INFINITY);
  }
  return { rows, problems };
}
