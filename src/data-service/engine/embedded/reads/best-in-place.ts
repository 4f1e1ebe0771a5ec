// Whether all rows of a table are deleted in one statement, or by replacing it.
import type { Database } from '../../../../foundation/sqlite/open-database.js';
import type { Table } from '../../../schema/table.js';
import { sqlSlot, sqlTable } from '../file/sql-names.js';

/** Deleting so many takes some milliseconds, with the entries of an index or of documents. */
const fewRows = 500;
const fewBytes = 4 * 2 ** 20;

/**
 * Whether deleting all rows takes only some milliseconds, or an index is being built, which belongs to this table.
 * Reads the sizes of a few rows. @throws DatabaseFailure
 */
export function isBestInPlace(database: Database, table: Pick<Table, 'id' | 'columns' | 'indexes'>): boolean {
  if (table.indexes.some(({ isBuilding }) => isBuilding === true)) return true;
  const [name, asArrays] = [sqlTable(table), { returnArrays: true }] as const;
  const more = database.statement(`SELECT 1 FROM ${name} LIMIT 1 OFFSET ${fewRows}`, asArrays);
  if (more.get() !== undefined) return false;
  const sizes = table.columns.map((column) => `total(octet_length(${sqlSlot(column)}))`);
  const found = database.statement(`SELECT ${sizes.join(', ')} FROM ${name}`, asArrays).get();
  return (found ?? []).reduce((sum: number, size) => sum + Number(size), 0) <= fewBytes;
}
