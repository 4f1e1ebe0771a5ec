// Schema changes → SQL: the table itself, and its lines in the schema tables.
import { stringifyJson } from '../../../foundation/json/json-value.js';
import type { Keyspace } from '../../schema/keyspace.js';
import type { Table } from '../../schema/table.js';
import { insertedColumn, sqlColumn, sqlKeyIndex, sqlTable } from './sql-names.js';
import type { WriteStatement } from './write-statements.js';

/** A typed column per column, a row number that names a row for good, and the key index in clustering order. */
export function createTableStatements(table: Table): readonly WriteStatement[] {
  const columns = table.columns.map((column) => `${sqlColumn(column)} ${column.type.sql.columnType}`);
  const key = [
    ...table.partitionKey.map((column) => `${sqlColumn(column)} ASC`),
    ...table.clustering.map(
      ({ column, direction }) => `${sqlColumn(column)} ${direction === 1 ? 'ASC' : 'DESC'}`,
    ),
  ];
  return [
    once(
      `CREATE TABLE ${sqlTable(table)} (row_id INTEGER PRIMARY KEY AUTOINCREMENT, ` +
        `${insertedColumn} INTEGER NOT NULL, ${columns.join(', ')})`,
    ),
    once(`CREATE UNIQUE INDEX ${sqlKeyIndex(table)} ON ${sqlTable(table)} (${key.join(', ')})`),
    {
      sql: 'INSERT INTO tables (id, version, keyspace, name) VALUES (?, ?, ?, ?)',
      valueSets: [[table.id, table.version, table.keyspace, table.name]],
    },
    {
      sql:
        'INSERT INTO columns (table_id, id, position, name, type, partition_position, clustering_position, ' +
        'clustering_direction) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      valueSets: table.columns.map((column, position) => {
        const clusteringPosition = table.clustering.findIndex((clustering) => clustering.column === column);
        return [
          table.id,
          column.id,
          position,
          // JSON text: a name may hold characters that SQLite text cannot.
          JSON.stringify(column.name),
          column.type.name,
          orNull(table.partitionKey.indexOf(column)),
          orNull(clusteringPosition),
          table.clustering[clusteringPosition]?.direction ?? null,
        ];
      }),
    },
  ];
}

/** The table and its lines in the schema tables, away. */
export function dropTableStatements(table: Table): readonly WriteStatement[] {
  return [
    once(`DROP TABLE ${sqlTable(table)}`),
    { sql: 'DELETE FROM columns WHERE table_id = ?', valueSets: [[table.id]] },
    { sql: 'DELETE FROM tables WHERE id = ?', valueSets: [[table.id]] },
  ];
}

/** The keyspace's line in the schema tables. */
export function createKeyspaceStatements({ name, replication }: Keyspace): readonly WriteStatement[] {
  return [
    {
      sql: 'INSERT INTO keyspaces (name, replication) VALUES (?, ?)',
      valueSets: [[name, stringifyJson(replication)]],
    },
  ];
}

/** The keyspace with all its tables, away. */
export function dropKeyspaceStatements(keyspace: Keyspace): readonly WriteStatement[] {
  return [
    ...[...keyspace.tables.values()].flatMap(dropTableStatements),
    { sql: 'DELETE FROM keyspaces WHERE name = ?', valueSets: [[keyspace.name]] },
  ];
}

function once(sql: string): WriteStatement {
  return { sql, valueSets: [[]] };
}

function orNull(position: number): number | null {
  return position < 0 ? null : position;
}
