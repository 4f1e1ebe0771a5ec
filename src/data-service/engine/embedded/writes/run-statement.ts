// Runs one statement of a write job, and decides whether it is worth to be kept prepared.
import type { Database } from '../../../../foundation/sqlite/open-database.js';
import type { WriteStatement } from '../statements/write-statements.js';

/**
 * Runs a statement once for each of its sets of values. One without values names a table that it makes, changes or
 * drops: it is not kept. A prepared statement holds up to tens of kilobytes outside the JavaScript heap until the
 * garbage collector finds it, which in a thread with a small heap can be hours later.
 * @throws DatabaseFailure
 */
export function runStatement(database: Database, { sql, valueSets }: WriteStatement): void {
  if (valueSets.every((values) => values.length === 0)) {
    for (const _ of valueSets) database.exec(sql);
    return;
  }
  const statement = database.statement(sql);
  for (const values of valueSets) statement.run(values);
}
