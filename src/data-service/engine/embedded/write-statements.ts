// Write plans → SQL. Rows with the same columns make the same text, so that statements are prepared once.
import type { SqlValue } from '../../../foundation/sqlite/sql-value.js';
import type { ChangePlan, DeletePlan, InsertPlan } from '../../query/write.js';
import type { Column, Table } from '../../schema/table.js';
import { filterCondition } from './filter-condition.js';
import { encodeValue } from './sql-fragment.js';
import { insertedColumn, keyCondition, sqlColumn, sqlTable } from './sql-names.js';

/** One statement, to be run once for each set of values. */
export interface WriteStatement {
  readonly sql: string;
  readonly valueSets: readonly (readonly SqlValue[])[];
}

/** Rows next to each other with the same columns share a statement. */
export function insertStatements({ table, rows }: InsertPlan): readonly WriteStatement[] {
  const statements: { sql: string; valueSets: SqlValue[][] }[] = [];
  for (const { columns, values } of rows) {
    const sql = upsertText(table, columns, true);
    let current = statements.at(-1);
    // Only neighbours share a statement: a later row of the same key must win.
    if (current?.sql !== sql) {
      current = { sql, valueSets: [] };
      statements.push(current);
    }
    current.valueSets.push(columns.map((column, at) => encodeValue(column, values[at])));
  }
  return statements;
}

/** An upsert where a value is set; otherwise values are taken away, and the row with them if nothing is left. */
export function changeStatements({ table, key, assignments }: ChangePlan): readonly WriteStatement[] {
  const { columns, values } = assignments;
  const keyValues = table.keyColumns.map((column, at) => encodeValue(column, key[at]));
  const newValues = columns.map((column, at) => encodeValue(column, values[at]));
  if (newValues.some((value) => value !== null)) {
    const sql = upsertText(table, [...table.keyColumns, ...columns], false);
    return [{ sql, valueSets: [[...keyValues, ...newValues]] }];
  }
  // Only values are taken away: that makes no row, and may end one.
  const assigned = columns.map((column) => `${sqlColumn(column)} = NULL`).join(', ');
  const where = keyCondition(table);
  return [
    { sql: `UPDATE ${sqlTable(table)} SET ${assigned} WHERE ${where}`, valueSets: [keyValues] },
    {
      sql: `DELETE FROM ${sqlTable(table)} WHERE ${where} AND ${deadRowCondition(table)}`,
      valueSets: [keyValues],
    },
  ];
}

const conditionsPerGroup = 50;

/** Holds for rows that no insert made and that have no value outside the key: they are not there. */
export function deadRowCondition(table: Table): string {
  const others = table.columns.filter((column) => !table.keyColumns.includes(column));
  const conditions = [`${insertedColumn} = 0`, ...others.map((column) => `${sqlColumn(column)} IS NULL`)];
  // SQLite limits the depth of an expression to 1000, and a plain chain is as deep as it is long.
  const groups: string[] = [];
  for (let at = 0; at < conditions.length; at += conditionsPerGroup) {
    groups.push(conditions.slice(at, at + conditionsPerGroup).join(' AND '));
  }
  return groups.length === 1 ? groups.join() : groups.map((group) => `(${group})`).join(' AND ');
}

/** One DELETE over the condition of the filter. */
export function deleteStatements({ table, filter }: DeletePlan): readonly WriteStatement[] {
  const condition = filterCondition(filter);
  const where = condition === undefined ? '' : ` WHERE ${condition.sql}`;
  return [{ sql: `DELETE FROM ${sqlTable(table)}${where}`, valueSets: [condition?.values ?? []] }];
}

const upsertTexts = new WeakMap<Table, Map<string, string>>();

function upsertText(table: Table, columns: readonly Column[], isInsert: boolean): string {
  let texts = upsertTexts.get(table);
  if (texts === undefined) {
    texts = new Map();
    upsertTexts.set(table, texts);
  }
  const shape = `${isInsert} ${columns.map(({ id }) => id).join(' ')}`;
  let text = texts.get(shape);
  if (text === undefined) {
    text = makeUpsertText(table, columns, isInsert);
    // Clients can make any number of shapes out of the columns; most send a few.
    if (texts.size >= 200) texts.clear();
    texts.set(shape, text);
  }
  return text;
}

function makeUpsertText(table: Table, columns: readonly Column[], isInsert: boolean): string {
  const names = columns.map(sqlColumn);
  const assigned = columns
    .filter((column) => !table.keyColumns.includes(column))
    .map((column) => `${sqlColumn(column)} = excluded.${sqlColumn(column)}`);
  const changes = isInsert ? [`${insertedColumn} = 1`, ...assigned] : assigned;
  return (
    `INSERT INTO ${sqlTable(table)} (${insertedColumn}, ${names.join(', ')}) ` +
    `VALUES (${isInsert ? 1 : 0}, ${names.map(() => '?').join(', ')}) ` +
    `ON CONFLICT (${table.keyColumns.map(sqlColumn).join(', ')}) DO UPDATE SET ${changes.join(', ')}`
  );
}
