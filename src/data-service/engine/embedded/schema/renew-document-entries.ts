// Makes the index entries of collections again that an earlier release wrote in another form, when the file is opened.
import type { Database } from '../../../../foundation/sqlite/open-database.js';
import { text as textType } from '../../../column-types/text.js';
import { type Collection, collectionColumns, isCollection } from '../../../schema/collection.js';
import { loadSchema } from '../file/schema-store.js';
import { rowIdColumn, sqlColumn, sqlEntries, sqlPaths, sqlSegments, sqlTable } from '../file/sql-names.js';
import { createEntriesStatements } from '../statements/entry-statements.js';
import { DocumentTable } from '../writes/document-tables.js';
import { addDocumentEntries } from '../writes/entry-writes.js';

/** Renews the entries of each collection without segments, in one transaction for each. @throws DatabaseFailure */
export function renewDocumentEntries(database: Database): void {
  const { keyspaces } = loadSchema(database, 'extended');
  for (const { tables } of keyspaces.values()) {
    for (const table of tables.values())
      if (isCollection(table) && !hasTable(database, sqlSegments(table))) renew(database, table);
  }
}

function hasTable(database: Database, name: string): boolean {
  const found = database.statement("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?");
  return found.get([name]) !== undefined;
}

function renew(database: Database, collection: Collection): void {
  const column = sqlColumn(collectionColumns(collection).document);
  const next =
    `SELECT ${rowIdColumn}, ${column} FROM ${sqlTable(collection)} ` +
    `WHERE ${rowIdColumn} > ? ORDER BY 1 LIMIT 1`;
  database.transaction(() => {
    for (const name of [sqlEntries(collection), sqlPaths(collection)])
      database.exec(`DROP TABLE IF EXISTS ${name}`);
    for (const { sql } of createEntriesStatements(collection)) database.exec(sql);
    const table = new DocumentTable(collection, database);
    for (let last = Number.NEGATIVE_INFINITY; ; ) {
      const [number, stored] = database.statement(next, { returnArrays: true }).get([last]) ?? [];
      if (number === undefined) return;
      last = Number(number);
      addDocumentEntries(database, table, last, textType.sql.decode(String(stored)));
    }
  });
}
