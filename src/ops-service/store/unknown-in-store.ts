// Finds what is in the file of the operations service and is not made by its migrations.
import { type Database, openDatabase } from '../../foundation/sqlite/open-database.js';
import { objectsIn, objectsOf, unknownObjects } from '../../foundation/sqlite/unknown-objects.js';
import type { Migration } from './store.js';

/** The table in which a file notes its migrations. */
export const createMigrations = 'CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY) WITHOUT ROWID';

/** A sentence about each object that no migration makes, and about each that is missing. @throws DatabaseFailure */
export function unknownInStore(database: Database, migrations: readonly Migration[]): readonly string[] {
  return unknownObjects(
    objectsIn(database),
    objectsOf([createMigrations, ...migrations.map(({ sql }) => sql)]),
  );
}

/**
 * What `unknownInStore` finds in a file with all migrations. It finds nothing in a file of an earlier release, whose
 * objects are not known.
 * @throws DatabaseFailure
 */
export function refusedInStore(path: string, migrations: readonly Migration[]): readonly string[] {
  const database = openDatabase({ path, readOnly: true, busyTimeoutMs: 10_000 });
  try {
    const has = objectsIn(database).some(({ name }) => name === 'migrations');
    const ran = has ? database.statement('SELECT name FROM migrations').all().length : 0;
    return ran === migrations.length ? unknownInStore(database, migrations) : [];
  } finally {
    database.close();
  }
}
