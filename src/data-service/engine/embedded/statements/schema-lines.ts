// Rows of the schema tables that several changes of the schema write.
import type { Table } from '../../../schema/table.js';
import type { WriteStatement } from './write-statements.js';

/** Records that an id of a table, or of entries, is used up. */
export function countUp(id: number): WriteStatement {
  return { sql: "UPDATE next_ids SET id = ? WHERE kind = 'table'", valueSets: [[id + 1]] };
}

/** The row of the table in the schema tables with its present version. */
export function newVersion(table: Table): WriteStatement {
  return { sql: 'UPDATE tables SET version = ? WHERE id = ?', valueSets: [[table.version, table.id]] };
}
