// Write plans → SQL. Rows with the same columns make the same text, so that statements are prepared once.
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import {
  type ChangePlan,
  type ColumnChange,
  changedValue,
  type DeletePlan,
  type InsertPlan,
} from '../../../query/write.js';
import type { Column, Table } from '../../../schema/table.js';
import { addExpression, pullExpression, pullOperand, pushExpression } from '../file/change-functions.js';
import { rowFitsCondition, type ValueSource } from '../file/row-size.js';
import { encodeValue, joinFlat } from '../file/sql-fragment.js';
import { insertedColumn, keyCondition, sqlColumn, sqlTable } from '../file/sql-names.js';
import { filterCondition } from './filter-condition.js';

/** One statement, to be run once for each set of values. */
export interface WriteStatement {
  readonly sql: string;
  readonly valueSets: readonly (readonly SqlValue[])[];
  /** A question instead of a change: if it finds rows, nothing of the job is carried out. */
  readonly isCheck?: true;
  /**
   * The statement changes no row that would become too large. What is left out where a set of values is too large, or
   * changes nothing for that reason: the set alone, or with it all that follows in the job. The rest is carried out.
   */
  readonly tooLarge?: 'skipSet' | 'skipRest';
}

/** Rows next to each other with the same columns share a statement. */
export function insertStatements({ table, rows, isOrdered }: InsertPlan): readonly WriteStatement[] {
  const tooLarge = isOrdered === true ? 'skipRest' : 'skipSet';
  const statements: (WriteStatement & { readonly valueSets: SqlValue[][] })[] = [];
  for (const { columns, values } of rows) {
    const sql = insertText(table, columns);
    let current = statements.at(-1);
    // Only neighbours share a statement: a later row of the same key must win.
    if (current?.sql !== sql) {
      current = { sql, valueSets: [], tooLarge };
      statements.push(current);
    }
    current.valueSets.push(columns.map((column, at) => encodeValue(column, values[at])));
  }
  return statements;
}

/** An upsert where a value comes in; otherwise values are taken away, and the row with them if nothing is left. */
export function changeStatements({ table, key, changes }: ChangePlan): readonly WriteStatement[] {
  const keyValues = table.keyColumns.map((column, at) => encodeValue(column, key[at]));
  // What the row gets where there was none.
  const newValues = changes.map((change) => encodeValue(change.column, changedValue(change, null)));
  const operands = changes.flatMap((change) =>
    change.kind === 'pull' ? [pullOperand(change.column, change.names)] : [],
  );
  if (newValues.some((value) => value !== null)) {
    const valueSets = [[...keyValues, ...newValues, ...operands]];
    return [{ sql: changeText(table, changes), valueSets, tooLarge: 'skipSet' }];
  }
  // Only values are taken away: that makes no row, and may end one.
  const assigned = changes.map((change) => assignment(change, 'NULL')).join(', ');
  const where = keyCondition(table);
  return [
    {
      sql: `UPDATE ${sqlTable(table)} SET ${assigned} WHERE ${where}`,
      valueSets: [[...operands, ...keyValues]],
    },
    {
      sql: `DELETE FROM ${sqlTable(table)} WHERE ${where} AND ${deadRowCondition(table)}`,
      valueSets: [keyValues],
    },
  ];
}

/** Holds for rows that no insert made and that have no value outside the key: they are not there. */
export function deadRowCondition(table: Table): string {
  const others = table.columns.filter((column) => !table.keyColumns.includes(column));
  const conditions = [`${insertedColumn} = 0`, ...others.map((column) => `${sqlColumn(column)} IS NULL`)];
  return joinFlat(conditions, 'AND');
}

/** One DELETE over the condition of the filter. */
export function deleteStatements({ table, filter }: DeletePlan): readonly WriteStatement[] {
  const condition = filterCondition(filter);
  const where = condition === undefined ? '' : ` WHERE ${condition.sql}`;
  return [{ sql: `DELETE FROM ${sqlTable(table)}${where}`, valueSets: [condition?.values ?? []] }];
}

/** `c3 = …`. `newValue` is SQL for what the row gets where there was none. */
function assignment({ kind, column }: Pick<ColumnChange, 'kind' | 'column'>, newValue: string): string {
  const name = sqlColumn(column);
  switch (kind) {
    case 'set':
      return `${name} = ${newValue}`;
    case 'push':
      return `${name} = ${pushExpression(column, newValue)}`;
    case 'pull':
      return `${name} = ${pullExpression(column)}`;
    case 'add':
      return `${name} = ${addExpression(column, newValue)}`;
  }
}

function insertText(table: Table, columns: readonly Column[]): string {
  const shape = columns === table.columns ? 'all' : columns.map(({ id }) => id).join(' ');
  return keptText(table, shape, () => {
    const changes = columns
      .filter((column) => !table.keyColumns.includes(column))
      .map((column) => assignment({ kind: 'set', column }, `excluded.${sqlColumn(column)}`));
    const assigned = [`${insertedColumn} = 1`, ...changes];
    return upsertText(table, { columns, inserted: 1, assigned, sources: sourcesOf(columns, 'excluded') });
  });
}

function changeText(table: Table, changes: readonly ColumnChange[]): string {
  return keptText(table, changes.map(({ kind, column }) => `${kind} ${column.id}`).join(' '), () => {
    const columns = [...table.keyColumns, ...changes.map(({ column }) => column)];
    const assigned = changes.map((change) => assignment(change, `excluded.${sqlColumn(change.column)}`));
    const sources = new Map(changes.map(({ kind, column }) => [column, sourceOfChange[kind]] as const));
    return upsertText(table, { columns, inserted: 0, assigned, sources });
  });
}

const sourceOfChange = { set: 'excluded', push: 'both', pull: 'stored', add: 'stored' } as const;

function sourcesOf(columns: readonly Column[], source: ValueSource): ReadonlyMap<Column, ValueSource> {
  return new Map(columns.map((column) => [column, source]));
}

const upsertTexts = new WeakMap<Table, Map<string, string>>();

function keptText(table: Table, shape: string, make: () => string): string {
  let texts = upsertTexts.get(table);
  if (texts === undefined) {
    texts = new Map();
    upsertTexts.set(table, texts);
  }
  let text = texts.get(shape);
  if (text === undefined) {
    text = make();
    // Clients can make any number of shapes out of the columns; most send a few.
    if (texts.size >= 200) texts.clear();
    texts.set(shape, text);
  }
  return text;
}

interface Upsert {
  /** Of the row where there is none. */
  readonly columns: readonly Column[];
  readonly inserted: 0 | 1;
  /** What happens to a row that is there. */
  readonly assigned: readonly string[];
  /** Of the values of the changed row; those of other columns stay. */
  readonly sources: ReadonlyMap<Column, ValueSource>;
}

function upsertText(table: Table, { columns, inserted, assigned, sources }: Upsert): string {
  const names = columns.map(sqlColumn);
  const fits = rowFitsCondition(table.columns, (column) => sources.get(column) ?? 'stored');
  return (
    `INSERT INTO ${sqlTable(table)} (${insertedColumn}, ${names.join(', ')}) ` +
    `VALUES (${inserted}, ${names.map(() => '?').join(', ')}) ` +
    `ON CONFLICT (${table.keyColumns.map(sqlColumn).join(', ')}) DO UPDATE SET ${assigned.join(', ')}` +
    (fits === undefined ? '' : ` WHERE ${fits}`)
  );
}
