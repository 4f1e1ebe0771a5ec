// Write plans → SQL. Rows with the same columns give the same text, so that statements are prepared once.
import { GenerationCache } from '../../../../foundation/generation-cache.js';
import { getOrMake } from '../../../../foundation/get-or-make.js';
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import { type ChangePlan, type ColumnChange, changedValue, type InsertPlan } from '../../../query/write.js';
import type { Column, Table } from '../../../schema/table.js';
import { addExpression, pullExpression, pullOperand, pushExpression } from '../file/change-functions.js';
import { rowFitsCondition, type ValueSource } from '../file/row-size.js';
import { encodeValue, joinFlat } from '../file/sql-fragment.js';
import { insertedColumn, keyCondition, sqlColumn, sqlSlot, sqlTable } from '../file/sql-names.js';
import { isStatic, removedByChange, removedByInsert } from './static-statements.js';

/** One statement, which is run once for each set of values. */
export interface WriteStatement {
  readonly sql: string;
  readonly valueSets: readonly (readonly SqlValue[])[];
  /** A query instead of a change: if it returns rows, the whole job is cancelled. */
  readonly isCheck?: true;
  /**
   * If set, the statement does not change rows that would become too large. If that happens, or a set of values is too
   * large itself, `skipSet` skips only this set, `skipRest` also skips the rest of the job.
   */
  readonly tooLarge?: 'skipSet' | 'skipRest';
  /**
   * The columns that get the first values of each set, in order; absent if no column gets a value. Jobs lose them when
   * they are packed.
   */
  readonly columns?: readonly Column[];
}

/** Consecutive rows with the same columns share a statement. */
export function insertStatements({ table, rows, isOrdered }: InsertPlan): readonly WriteStatement[] {
  const tooLarge = isOrdered === true ? 'skipRest' : 'skipSet';
  const statements: (WriteStatement & { readonly valueSets: SqlValue[][] })[] = [];
  for (const { columns, values } of rows) {
    const sql = insertText(table, columns);
    let current = statements.at(-1);
    // Only consecutive rows share a statement: of several rows with the same key the last one must win.
    if (current?.sql !== sql) {
      current = { sql, valueSets: [], tooLarge, columns };
      statements.push(current);
    }
    current.valueSets.push(columns.map((column, at) => encodeValue(column, values[at])));
  }
  // Behind the others, by whose order the engine knows the rows that are too large.
  return [...statements, ...removedByInsert({ table, rows })];
}

/** An upsert if a value is set; otherwise values are removed, and the row too if it has no values left. */
export function changeStatements(plan: ChangePlan): readonly WriteStatement[] {
  const { table, key, changes } = plan;
  const keyValues = table.keyColumns.map((column, at) => encodeValue(column, key[at]));
  // The values of a new row.
  const newValues = changes.map((change) => encodeValue(change.column, changedValue(change, null)));
  const operands = changes.flatMap((change) =>
    change.kind === 'pull' ? [pullOperand(change.column, change.names)] : [],
  );
  if (newValues.some((value) => value !== null)) {
    const valueSets = [[...keyValues, ...newValues, ...operands]];
    const columns = changedColumns(table, changes);
    const changed = { sql: changeText(table, changes), valueSets, tooLarge: 'skipSet', columns } as const;
    const isOfRow = changes.some(({ column }, at) => newValues[at] !== null && !isStatic(column));
    // Static values alone are those of the partition, and create no row.
    const others = isOfRow ? [] : [deleteIfDead(table, keyValues)];
    return [changed, ...removedByChange(plan), ...others];
  }
  // Values are only removed: that creates no row, and may delete one.
  const assigned = changes.map((change) => assignment(change, 'NULL')).join(', ');
  return [
    {
      sql: `UPDATE ${sqlTable(table)} SET ${assigned} WHERE ${keyCondition(table)}`,
      valueSets: [[...operands, ...keyValues]],
    },
    ...removedByChange(plan),
    deleteIfDead(table, keyValues),
  ];
}

function deleteIfDead(table: Table, keyValues: readonly SqlValue[]): WriteStatement {
  return {
    sql: `DELETE FROM ${sqlTable(table)} WHERE ${keyCondition(table)} AND ${deadRowCondition(table)}`,
    valueSets: [keyValues],
  };
}

/** True for rows that no insert created and that have no value outside the key: they do not exist for users. */
export function deadRowCondition(table: Table): string {
  const others = table.columns.filter((column) => !table.keyColumns.includes(column) && !isStatic(column));
  const conditions = [`${insertedColumn} = 0`, ...others.map((column) => `${sqlColumn(column)} IS NULL`)];
  return joinFlat(conditions, 'AND');
}

/** `c3 = …`. `newValue` is the SQL of the value for a new row. */
function assignment({ kind, column }: Pick<ColumnChange, 'kind' | 'column'>, newValue: string): string {
  const name = sqlSlot(column);
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
  return getOrMake(upsertTextsOf(table), shape, () => {
    const changes = columns
      .filter((column) => !table.keyColumns.includes(column))
      .map((column) => assignment({ kind: 'set', column }, `excluded.${sqlSlot(column)}`));
    const assigned = [`${insertedColumn} = 1`, ...changes];
    return upsertText(table, { columns, inserted: 1, assigned, sources: sourcesOf(columns, 'excluded') });
  });
}

function changeText(table: Table, changes: readonly ColumnChange[]): string {
  const shape = changes.map(({ kind, column }) => `${kind} ${column.id}`).join(' ');
  return getOrMake(upsertTextsOf(table), shape, () => {
    const columns = changedColumns(table, changes);
    const assigned = changes.map((change) => assignment(change, `excluded.${sqlSlot(change.column)}`));
    const sources = new Map(changes.map(({ kind, column }) => [column, sourceOfChange[kind]] as const));
    return upsertText(table, { columns, inserted: 0, assigned, sources });
  });
}

function changedColumns(table: Table, changes: readonly ColumnChange[]): readonly Column[] {
  return [...table.keyColumns, ...changes.map(({ column }) => column)];
}

const sourceOfChange = { set: 'excluded', push: 'both', pull: 'stored', add: 'stored' } as const;

function sourcesOf(columns: readonly Column[], source: ValueSource): ReadonlyMap<Column, ValueSource> {
  return new Map(columns.map((column) => [column, source]));
}

/** Clients can send any combination of columns; most send a few. */
const textsOfTable = 200;
const upsertTexts = new WeakMap<Table, GenerationCache<string>>();

const makeTexts = () => new GenerationCache<string>(textsOfTable);

function upsertTextsOf(table: Table): GenerationCache<string> {
  return getOrMake(upsertTexts, table, makeTexts);
}

interface Upsert {
  /** The columns of a new row. */
  readonly columns: readonly Column[];
  readonly inserted: 0 | 1;
  /** The assignments for an existing row. */
  readonly assigned: readonly string[];
  /** The sources of the changed values; other columns keep their values. */
  readonly sources: ReadonlyMap<Column, ValueSource>;
}

function upsertText(table: Table, { columns, inserted, assigned, sources }: Upsert): string {
  const names = columns.map(sqlSlot);
  const fits = rowFitsCondition(table.columns, (column) => sources.get(column) ?? 'stored');
  return (
    `INSERT INTO ${sqlTable(table)} (${insertedColumn}, ${names.join(', ')}) ` +
    `VALUES (${inserted}, ${names.map(() => '?').join(', ')}) ` +
    `ON CONFLICT (${table.keyColumns.map(sqlColumn).join(', ')}) DO UPDATE SET ${assigned.join(', ')}` +
    (fits === undefined ? '' : ` WHERE ${fits}`)
  );
}
