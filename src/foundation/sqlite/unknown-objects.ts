// Compares the tables, indexes, triggers and views of a database with those that its program made.
import { type Database, openDatabase } from './open-database.js';

/** A table, an index, a trigger or a view. */
export interface DatabaseObject {
  readonly type: string;
  readonly name: string;
  /** The table that it belongs to; of a table itself. */
  readonly table: string;
  /** The statement that created it; null for indexes that SQLite makes by itself. */
  readonly sql: string | null;
}

/** The line of the log about one of them. */
export const unknownObject = 'the file has an object that is not part of its schema';

/** All objects of a database, except those that SQLite keeps for itself. @throws DatabaseFailure */
export function objectsIn(database: Database): readonly DatabaseObject[] {
  const rows = database.statement('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid').all();
  return rows
    .map(({ type, name, tbl_name, sql }) => ({
      type: String(type),
      name: String(name),
      table: String(tbl_name),
      sql: typeof sql === 'string' ? sql : null,
    }))
    .filter(({ type, name }) => !(name.startsWith('sqlite_') && (type === 'table' || type === 'index')));
}

/** The objects that statements create in an empty database. */
export function objectsOf(statements: readonly string[]): readonly DatabaseObject[] {
  const database = openDatabase({ path: ':memory:' });
  try {
    for (const sql of statements) database.exec(sql);
    return objectsIn(database);
  } finally {
    database.close();
  }
}

/**
 * Sentences about objects that are not expected, and about expected ones that are missing. Triggers must have the
 * expected statement, because they change rows. `titleOf` names a table for users; null if it has no name.
 */
export function unknownObjects(
  found: readonly DatabaseObject[],
  expected: readonly DatabaseObject[],
  titleOf: (table: string) => string | null = () => null,
): readonly string[] {
  const known = new Map(expected.map((object) => [object.name, object]));
  const present = new Set(found.map(({ name }) => name));
  const place = ({ type, table }: DatabaseObject) =>
    type === 'table' || type === 'view' ? '' : ` on ${titleOf(table) ?? `the table ${table}`}`;
  const others = found.filter((object) => {
    const same = known.get(object.name);
    if (same?.type !== object.type || same.table !== object.table) return true;
    return object.type === 'trigger' && same.sql !== object.sql;
  });
  return [
    ...others.map((object) => {
      const { type, name } = object;
      const effect = type === 'trigger' ? ', and runs with writes' : '';
      return (
        `the ${type} ${JSON.stringify(name)}${place(object)} is not part of the schema: another program made it` +
        `${effect}. Stop the server and remove it (DROP ${type.toUpperCase()} ${sqlName(name)}), or restore a backup`
      );
    }),
    ...expected
      .filter(({ name }) => !present.has(name))
      .map((object) => `the ${object.type} ${object.name}${place(object)} is missing: restore a backup`),
  ];
}

function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
