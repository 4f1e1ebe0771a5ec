// Static columns → SQL. A table of their own has their values, with a row for each partition. Statements write them
// into the slot of the row as those of other columns; triggers copy them from there, and reads never use the slot.
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import { conjunctionOf } from '../../../query/filter.js';
import type { ChangePlan, DeletePlan, InsertPlan } from '../../../query/write.js';
import type { Column, Table } from '../../../schema/table.js';
import { encodeValue, joinFlat } from '../file/sql-fragment.js';
import { sqlPartitionKey, sqlPartitions, sqlSlot, sqlStatic, sqlTable } from '../file/sql-names.js';

/** One statement, which is run once for each set of values. */
interface StaticStatement {
  readonly sql: string;
  readonly valueSets: readonly (readonly SqlValue[])[];
}

/** Whether the column is static. */
export function isStatic({ type }: Pick<Column, 'type'>): boolean {
  return type.static !== undefined;
}

/** Creates what the static ones of these new columns need. */
export function addStaticStatements(table: Table, added: readonly Column[]): readonly StaticStatement[] {
  const columns = added.filter(isStatic);
  if (columns.length === 0) return [];
  const name = sqlPartitions(table);
  const key = table.partitionKey.map(sqlPartitionKey);
  const typed = table.partitionKey.map(
    (column) => `${sqlPartitionKey(column)} ${column.type.sql.columnType}`,
  );
  return [
    once(
      `CREATE TABLE IF NOT EXISTS ${name} (${typed.join(', ')}, PRIMARY KEY (${key.join(', ')})) WITHOUT ROWID`,
    ),
    ...columns.flatMap((column) => [
      once(`ALTER TABLE ${name} ADD COLUMN ${sqlStatic(column)} ${column.type.sql.columnType}`),
      trigger(table, column, 'insert', 'INSERT', ` WHEN new.${sqlSlot(column)} IS NOT NULL`),
      trigger(table, column, 'update', `UPDATE OF ${sqlSlot(column)}`, ''),
    ]),
  ];
}

function trigger(
  table: Table,
  column: Column,
  name: string,
  event: string,
  condition: string,
): StaticStatement {
  const key = table.partitionKey.map(sqlPartitionKey).join(', ');
  const values = [...table.partitionKey, column].map((each) => `new.${sqlSlot(each)}`);
  const target = sqlStatic(column);
  return once(
    `CREATE TRIGGER ${triggerOf(table, column)}_${name} AFTER ${event} ON ${sqlTable(table)}${condition} ` +
      `BEGIN INSERT INTO ${sqlPartitions(table)} (${key}, ${target}) VALUES (${values.join(', ')}) ` +
      `ON CONFLICT (${key}) DO UPDATE SET ${target} = excluded.${target}; END`,
  );
}

function triggerOf(table: Table, column: Column): string {
  return `${sqlPartitions(table)}_${column.id}`;
}

/** Drops the values of the static ones of these columns. */
export function dropStaticStatements(table: Table, dropped: readonly Column[]): readonly StaticStatement[] {
  return dropped
    .filter(isStatic)
    .flatMap((column) => [
      ...dropTriggers(table, column),
      once(`ALTER TABLE ${sqlPartitions(table)} DROP COLUMN ${sqlStatic(column)}`),
    ]);
}

/** Drops the triggers of all static columns, and leaves the table of their values. */
export function leavePartitionsStatements(table: Table): readonly StaticStatement[] {
  return table.columns.filter(isStatic).flatMap((column) => dropTriggers(table, column));
}

function dropTriggers(table: Table, column: Column): readonly StaticStatement[] {
  return ['insert', 'update'].map((event) => once(`DROP TRIGGER ${triggerOf(table, column)}_${event}`));
}

/** Removes the static values for which an insert has null, unless a later row of the partition has another value. */
export function removedByInsert({ table, rows }: InsertPlan): readonly StaticStatement[] {
  if (!table.columns.some(isStatic)) return [];
  const last = new Map<string, StaticStatement | undefined>();
  for (const { columns, values } of rows) {
    const key = table.partitionKey.map((column) => encodeValue(column, values[columns.indexOf(column)]));
    for (const [at, column] of columns.entries()) {
      if (!isStatic(column)) continue;
      const identity = JSON.stringify([column.id, ...key.map(String)]);
      last.set(identity, (values[at] ?? null) === null ? removal(table, column, key) : undefined);
    }
  }
  return [...last.values()].filter((statement) => statement !== undefined);
}

/** Removes the static values that a change sets to null: the row need not exist. */
export function removedByChange({ table, key, changes }: ChangePlan): readonly StaticStatement[] {
  const partition = table.partitionKey.map((column, at) => encodeValue(column, key[at]));
  return changes
    .filter((change) => isStatic(change.column) && change.kind === 'set' && change.value === null)
    .map(({ column }) => removal(table, column, partition));
}

function removal(table: Table, column: Column, key: readonly SqlValue[]): StaticStatement {
  const isSame = table.partitionKey.map((each) => `${sqlPartitionKey(each)} = ?`).join(' AND ');
  return {
    sql: `UPDATE ${sqlPartitions(table)} SET ${sqlStatic(column)} = NULL WHERE ${isSame}`,
    valueSets: [key],
  };
}

/** Removes the static values of the partitions that are deleted as a whole: a delete of rows keeps them. */
export function removedByDelete({ table, filter }: DeletePlan): readonly StaticStatement[] {
  if (!table.columns.some(isStatic)) return [];
  const comparisons = conjunctionOf(filter) ?? [];
  if (comparisons.some(({ column }) => !table.partitionKey.includes(column))) return [];
  const conditions = comparisons.map(({ column, operands }) => ({
    sql: `${sqlPartitionKey(column)} IN (${operands.map(() => '?').join(', ')})`,
    values: operands.map((operand) => encodeValue(column, operand)),
  }));
  const where =
    conditions.length === 0
      ? ''
      : ` WHERE ${joinFlat(
          conditions.map(({ sql }) => sql),
          'AND',
        )}`;
  return [
    {
      sql: `DELETE FROM ${sqlPartitions(table)}${where}`,
      valueSets: [conditions.flatMap(({ values }) => values)],
    },
  ];
}

function once(sql: string): StaticStatement {
  return { sql, valueSets: [[]] };
}
