// The members of a container index in the file: a table with an entry for each member of each row, in the order of the
// key. Triggers keep it, so that each change of a row changes its entries in the same commit.
import type { ContainerIndex, Table } from '../../../schema/table.js';
import { membersExpression } from '../file/member-functions.js';
import { rowIdColumn, sqlColumn, sqlMembers, sqlTable } from '../file/sql-names.js';
import type { BuildSteps } from './build-steps.js';
import type { WriteStatement } from './write-statements.js';

/** The column with the identity of a member. */
export const memberColumn = 'member';

/**
 * Creates the table of the entries, and the triggers that keep them. The rows that exist are added later, in steps; the
 * line of the index in the schema tables says how far (`beginMembersBuild`).
 */
export function createMembersStatements(table: Table, index: ContainerIndex): readonly WriteStatement[] {
  const name = sqlMembers(table, index);
  const keys = table.keyOrder.map(({ column }) => `${sqlColumn(column)} ${column.type.sql.columnType}`);
  const order = table.keyOrder.map(
    ({ column, direction }) => `${sqlColumn(column)} ${direction === 1 ? 'ASC' : 'DESC'}`,
  );
  const entry = [memberColumn, ...order, rowIdColumn].join(', ');
  return [
    once(
      `CREATE TABLE ${name} (${memberColumn} TEXT NOT NULL, ${keys.join(', ')}, ${rowIdColumn} INTEGER NOT NULL, ` +
        `PRIMARY KEY (${entry})) WITHOUT ROWID`,
    ),
    ...triggers(table, index),
  ];
}

/** Records that no row that exists is in the index yet. */
export function beginMembersBuild(table: Table, index: ContainerIndex): WriteStatement {
  const last = `(SELECT coalesce(max(${rowIdColumn}), 0) FROM ${sqlTable(table)})`;
  return once(`UPDATE indexes SET built = 0, last = ${last} WHERE ${lineOf(table, index)}`);
}

/** Records that all rows are in the index: its triggers need not look any more. */
export function endMembersBuild(table: Table, index: ContainerIndex): readonly WriteStatement[] {
  const line = lineOf(table, index);
  return [
    once(`UPDATE indexes SET built = NULL, last = NULL WHERE ${line}`),
    ...renewedTriggers(table, index),
  ];
}

/** The steps that add the rows that exist. */
export function memberBuildSteps(table: Table, index: ContainerIndex): BuildSteps {
  const line = lineOf(table, index);
  return {
    table: sqlTable(table),
    readProgress: `SELECT built, last FROM indexes WHERE ${line} AND last IS NOT NULL`,
    noteProgress: `UPDATE indexes SET built = ? WHERE ${line}`,
    adds: [fillText(table, index, `row.${rowIdColumn} > ? AND row.${rowIdColumn} <= ?`)],
  };
}

/** The line of an index in the schema tables. */
function lineOf({ id: tableId }: Table, { id }: ContainerIndex): string {
  return `table_id = ${tableId} AND id = ${id}`;
}

/** Adds the entries of a piece of the table. They are sorted in memory, because that is faster. */
function fillText(table: Table, index: ContainerIndex, piece: string): string {
  const columns = [memberColumn, ...table.keyOrder, rowIdColumn];
  const order = columns.map((_, at) => at + 1).join(', ');
  return (
    `INSERT INTO ${sqlMembers(table, index)} SELECT ${entryOf(table, 'row').join(', ')} ` +
    `FROM ${rowsAndMembers(table, index)} WHERE ${piece} ORDER BY ${order}`
  );
}

/** The rows `row` with their members `value`. */
function rowsAndMembers(table: Table, index: ContainerIndex): string {
  return `${sqlTable(table)} AS row, ${membersExpression(index, `row.${sqlColumn(index.column)}`)}`;
}

/** A query that returns a row if entries are missing, or if there are entries that no row has. */
export function wrongMembersText(table: Table, index: ContainerIndex): string {
  const name = sqlMembers(table, index);
  const rows = rowsAndMembers(table, index);
  const [value, ...others] = entryOf(table, 'row');
  const keys = [...table.keyOrder.map(({ column }) => sqlColumn(column)), rowIdColumn];
  const same = keys.map((key, at) => `entry.${key} = ${others[at]}`).join(' AND ');
  const present = `SELECT 1 FROM ${name} AS entry WHERE entry.${memberColumn} = ${value} AND ${same}`;
  return (
    `SELECT 1 WHERE EXISTS (SELECT 1 FROM ${rows} WHERE NOT EXISTS (${present})) ` +
    `OR (SELECT count(*) FROM ${name}) <> (SELECT count(*) FROM ${rows})`
  );
}

/** Creates the triggers again: they name the type of the column, and know whether the index is built. */
export function renewedTriggers(table: Table, index: ContainerIndex): readonly WriteStatement[] {
  return [...leaveMembersStatements(table, index), ...triggers(table, index)];
}

/** Drops the triggers, and leaves the table of the entries. */
export function leaveMembersStatements(table: Table, index: ContainerIndex): readonly WriteStatement[] {
  const name = sqlMembers(table, index);
  return ['insert', 'update', 'delete'].map((event) => once(`DROP TRIGGER IF EXISTS ${name}_${event}`));
}

function triggers(table: Table, index: ContainerIndex): readonly WriteStatement[] {
  const name = sqlMembers(table, index);
  const column = sqlColumn(index.column);
  const added = (other: string) =>
    `INSERT INTO ${name} SELECT ${entryOf(table, 'new').join(', ')} ` +
    `FROM ${membersExpression(index, `new.${column}`, other)};`;
  const removed = (other: string) => {
    const keys = table.keyOrder.map(({ column: key }) => `${sqlColumn(key)} = old.${sqlColumn(key)}`);
    const members = `SELECT value FROM ${membersExpression(index, `old.${column}`, other)}`;
    return `DELETE FROM ${name} WHERE ${memberColumn} IN (${members}) AND ${keys.join(' AND ')};`;
  };
  const trigger = (event: string, of: string, condition: string, changes: string) =>
    once(
      `CREATE TRIGGER ${name}_${event} AFTER ${event.toUpperCase()}${of} ON ${sqlTable(table)} ` +
        `WHEN ${condition} BEGIN ${changes} END`,
    );
  // The rows between are added later, with their members of that time; new rows are behind them.
  const isKept = (row: string) =>
    index.isBuilding === true
      ? ` AND EXISTS (SELECT 1 FROM indexes WHERE ${lineOf(table, index)} ` +
        `AND (${row}.${rowIdColumn} <= built OR ${row}.${rowIdColumn} > last))`
      : '';
  return [
    trigger('insert', '', `new.${column} IS NOT NULL`, added('NULL')),
    trigger(
      'update',
      ` OF ${column}`,
      `new.${column} IS NOT old.${column}${isKept('new')}`,
      `${removed(`new.${column}`)} ${added(`old.${column}`)}`,
    ),
    trigger('delete', '', `old.${column} IS NOT NULL${isKept('old')}`, removed('NULL')),
  ];
}

/** The columns of the entries of a row: the member, the key, the number. */
function entryOf({ keyOrder }: Table, row: string): readonly string[] {
  return ['value', ...keyOrder.map(({ column }) => `${row}.${sqlColumn(column)}`), `${row}.${rowIdColumn}`];
}

function once(sql: string): WriteStatement {
  return { sql, valueSets: [[]] };
}
