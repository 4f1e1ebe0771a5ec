// Reads the numbers of rows that a statement finds.
import type { Database } from '../../../../foundation/sqlite/open-database.js';
import type { SqlFragment } from './sql-fragment.js';

/**
 * Reads at most `most` numbers, in the order of the statement. Its last parameter is that limit; `values` has the
 * others. SQLite returns one text, because a value of JavaScript for each row takes several times as long.
 * @throws DatabaseFailure
 */
export function readRowNumbers(
  database: Database,
  { sql, values }: SqlFragment,
  most: number,
): Float64Array<ArrayBuffer> {
  const statement = `WITH found (number) AS (${sql}) SELECT json_group_array(number) FROM found`;
  const [numbers] = database.statement(statement, { returnArrays: true }).get([...values, most]) ?? [];
  return Float64Array.from(JSON.parse(String(numbers ?? '[]')) as readonly number[]); // the statement wrote it
}

/** Whether such a statement finds more than `most` numbers. @throws DatabaseFailure */
export function hasMoreNumbers(database: Database, { sql, values }: SqlFragment, most: number): boolean {
  const statement = `WITH found (number) AS (${sql}) SELECT 1 FROM found LIMIT 1 OFFSET ?`;
  return database.statement(statement).get([...values, most + 1, most]) !== undefined;
}
