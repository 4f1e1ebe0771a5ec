// Schema changes → SQL: the table itself, and its rows in the schema tables.
import { stringifyJson } from '../../../../foundation/json/json-value.js';
import { packSettings } from '../../../schema/collection.js';
import type { Keyspace } from '../../../schema/keyspace.js';
import type { SchemaChange } from '../../../schema/schema-change.js';
import type { Column, DroppedColumn, Table } from '../../../schema/table.js';
import { slotCount } from '../file/column-slots.js';
import { slotOf } from '../file/engine-state.js';
import type { StoredEmbeddingService } from '../file/schema-store.js';
import { insertedColumn, rowIdColumn, sqlColumn, sqlKeyIndex, sqlSlot, sqlTable } from '../file/sql-names.js';
import { createEntriesStatements } from './entry-statements.js';
import { createIndexStatements, dataOfIndex, leaveIndex, orderParts } from './index-statements.js';
import { newVersion } from './schema-lines.js';
import { addStaticStatements, dropStaticStatements, leavePartitionsStatements } from './static-statements.js';
import { deadRowCondition, type WriteStatement } from './write-statements.js';

/** Creates the table and its indexes, and their rows in the schema tables. */
export function createTableStatements(table: Table): readonly WriteStatement[] {
  return [
    ...createRowsStatements(table),
    {
      sql: 'INSERT INTO tables (id, version, keyspace, name, collection) VALUES (?, ?, ?, ?, ?)',
      valueSets: [[table.id, table.version, table.keyspace, table.name, settingsText(table)]],
    },
    columnLines(table, table.columns),
    ...table.indexes.flatMap((index) => createIndexStatements(table, index)),
  ];
}

/** Creates a typed column per column, the permanent number of a row, and the key index in clustering order. */
export function createRowsStatements(table: Table): readonly WriteStatement[] {
  // Dropped columns keep their slots, which new columns can get.
  const columns = [...table.columns, ...table.droppedColumns].flatMap((column) =>
    slotOf(column) === null ? [] : [`${sqlSlot(column)} ${column.type.sql.columnType}`],
  );
  const key = orderParts(table.keyOrder);
  return [
    once(
      `CREATE TABLE ${sqlTable(table)} (${rowIdColumn} INTEGER PRIMARY KEY AUTOINCREMENT, ` +
        `${insertedColumn} INTEGER NOT NULL, ${columns.join(', ')})`,
    ),
    once(`CREATE UNIQUE INDEX ${sqlKeyIndex(table)} ON ${sqlTable(table)} (${key.join(', ')})`),
    ...addStaticStatements(table, table.columns),
    ...(table.collection === undefined ? [] : createEntriesStatements(table)),
  ];
}

/**
 * Replaces the table by an empty one with another id, in the time that a change of the schema takes. Numbers of rows
 * continue, for positions of pages. What was in the tables before is removed later, see `Leftovers`.
 */
export function replaceTableStatements(before: Table, after: Table): readonly WriteStatement[] {
  const ids = [after.id, before.id];
  return [
    ...leaveTableStatements(before),
    ...createRowsStatements(after),
    ...after.indexes.flatMap((index) => dataOfIndex(after, index)),
    {
      sql: 'INSERT INTO sqlite_sequence (name, seq) SELECT ?, seq FROM sqlite_sequence WHERE name = ?',
      valueSets: [[sqlTable(after), sqlTable(before)]],
    },
    {
      sql:
        'UPDATE tables SET id = ?1, first_id = coalesce(first_id, ?2), entries_id = NULL, built = NULL, last = NULL ' +
        'WHERE id = ?2',
      valueSets: [ids],
    },
    { sql: 'UPDATE columns SET table_id = ? WHERE table_id = ?', valueSets: [ids] },
    { sql: 'UPDATE indexes SET table_id = ? WHERE table_id = ?', valueSets: [ids] },
  ];
}

function settingsText({ collection }: Table): string | null {
  return collection === undefined ? null : packSettings(collection);
}

/** Adds columns after those of the table, empty in every row. `after` is the table with them. */
export function addColumnsStatements(table: Table, after: Table): readonly WriteStatement[] {
  const added = after.columns.slice(table.columns.length);
  const slots = slotCount(table);
  return [
    ...added
      .filter((column) => (slotOf(column) ?? 0) > slots)
      .map((column) =>
        once(`ALTER TABLE ${sqlTable(table)} ADD COLUMN ${sqlSlot(column)} ${column.type.sql.columnType}`),
      ),
    ...addStaticStatements(after, added),
    ...droppedColumnLines(table, after),
    columnLines(after, added),
    newVersion(after),
  ];
}

/** The changed rows of the schema tables for dropped columns. */
function droppedColumnLines(before: Table, after: Table): readonly WriteStatement[] {
  const kept = new Map(after.droppedColumns.map((column) => [column.id, column]));
  const forgotten = before.droppedColumns.filter(({ id }) => !kept.has(id));
  const moved = before.droppedColumns.filter((column) => {
    const left = kept.get(column.id);
    return slotOf(column) !== null && left !== undefined && slotOf(left) === null;
  });
  return [
    {
      sql: 'DELETE FROM columns WHERE table_id = ? AND id = ?',
      valueSets: forgotten.map(({ id }) => [after.id, id]),
    },
    {
      sql: 'UPDATE columns SET slot = NULL WHERE table_id = ? AND id = ?',
      valueSets: moved.map(({ id }) => [after.id, id]),
    },
  ];
}

/** Records that no row has values of dropped columns any more. */
export function emptiedColumnsStatements(
  { id: tableId }: Table,
  emptied: readonly DroppedColumn[],
): readonly WriteStatement[] {
  return [
    {
      sql: 'UPDATE columns SET dropped = 2 WHERE table_id = ? AND id = ?',
      valueSets: emptied.map(({ id }) => [tableId, id]),
    },
  ];
}

/** Marks columns as dropped; rows are not rewritten. `after` is the table without them. */
export function dropColumnsStatements(after: Table, dropped: readonly Column[]): readonly WriteStatement[] {
  return [
    {
      sql: 'UPDATE columns SET dropped = 1 WHERE table_id = ? AND id = ?',
      valueSets: dropped.map(({ id }) => [after.id, id]),
    },
    ...dropStaticStatements(after, dropped),
    once(`DELETE FROM ${sqlTable(after)} WHERE ${deadRowCondition(after)}`),
    newVersion(after),
  ];
}

/**
 * Changes the services of some columns. `after` is the table with the new services. A check that fails returns the id
 * of its column.
 */
export function changeEmbeddingServicesStatements(
  { services, withoutVectors }: Extract<SchemaChange, { kind: 'changeEmbeddingServices' }>,
  after: Table,
): readonly WriteStatement[] {
  const columns = [...services.keys()];
  const changed = after.columns.filter(({ id }) => columns.some((column) => column.id === id));
  const checks = withoutVectors.map((column): WriteStatement => {
    const vectors = `FROM ${sqlTable(after)} WHERE ${sqlColumn(column)} IS NOT NULL`;
    return { ...once(`SELECT ${column.id} ${vectors} LIMIT 1`), isCheck: true };
  });
  return [
    ...checks,
    {
      sql: 'UPDATE columns SET service = ? WHERE table_id = ? AND id = ?',
      valueSets: changed.map((column) => [serviceText(column), after.id, column.id]),
    },
    newVersion(after),
  ];
}

function columnLines(table: Table, columns: readonly Column[]): WriteStatement {
  return {
    sql:
      'INSERT INTO columns (table_id, id, position, name, type, partition_position, clustering_position, ' +
      'clustering_direction, service, slot) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    valueSets: columns.map((column) => {
      const clusteringPosition = table.clustering.findIndex((clustering) => clustering.column === column);
      return [
        table.id,
        column.id,
        // Ids ascend in the order in which columns were created.
        column.id,
        // JSON text: a name may contain characters that are not possible in SQLite text.
        JSON.stringify(column.name),
        column.type.name,
        orNull(table.partitionKey.indexOf(column)),
        orNull(clusteringPosition),
        table.clustering[clusteringPosition]?.direction ?? null,
        serviceText(column),
        slotOf(column),
      ];
    }),
  };
}

/** The service of a column as JSON, which `loadSchema` reads. */
function serviceText({ service: given }: Column): string | null {
  if (given === undefined) return null;
  const { isEnabled, ...service } = given;
  return JSON.stringify({ service, isEnabled } satisfies StoredEmbeddingService);
}

/**
 * Drops the rows of the table in the schema tables, and its triggers. Its own rows are removed later, see `Leftovers`.
 */
export function dropTableStatements(table: Table): readonly WriteStatement[] {
  return [
    ...leaveTableStatements(table),
    { sql: 'DELETE FROM indexes WHERE table_id = ?', valueSets: [[table.id]] },
    { sql: 'DELETE FROM columns WHERE table_id = ?', valueSets: [[table.id]] },
    { sql: 'DELETE FROM tables WHERE id = ?', valueSets: [[table.id]] },
  ];
}

/** Drops all triggers: rows can then be deleted without effects on other tables. */
function leaveTableStatements(table: Table): readonly WriteStatement[] {
  return [...table.indexes.flatMap((index) => leaveIndex(table, index)), ...leavePartitionsStatements(table)];
}

/** The row of the keyspace in the schema tables. */
export function createKeyspaceStatements({ name, replication }: Keyspace): readonly WriteStatement[] {
  return [
    {
      sql: 'INSERT INTO keyspaces (name, replication) VALUES (?, ?)',
      valueSets: [[name, stringifyJson(replication)]],
    },
  ];
}

/** Drops the keyspace with all its tables. */
export function dropKeyspaceStatements(keyspace: Keyspace): readonly WriteStatement[] {
  return [
    ...[...keyspace.tables.values()].flatMap(dropTableStatements),
    { sql: 'DELETE FROM user_types WHERE keyspace = ?', valueSets: [[keyspace.name]] },
    { sql: 'DELETE FROM keyspaces WHERE name = ?', valueSets: [[keyspace.name]] },
  ];
}

function once(sql: string): WriteStatement {
  return { sql, valueSets: [[]] };
}

function orNull(position: number): number | null {
  return position < 0 ? null : position;
}
