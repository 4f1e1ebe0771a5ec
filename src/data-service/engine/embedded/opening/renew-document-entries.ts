// Begins to build the index entries of collections again that an earlier release wrote in another form, when the file
// is opened. They are built in steps, beside other work; until then finds compare all documents.
import type { Database } from '../../../../foundation/sqlite/open-database.js';
import { isCollection } from '../../../schema/collection.js';
import { withEntries } from '../file/engine-state.js';
import { loadNextTableId, loadSchema } from '../file/schema-store.js';
import { sqlSegments } from '../file/sql-names.js';
import { beginEntriesStatements } from '../statements/entry-statements.js';
import { countUp } from '../statements/schema-lines.js';

/** Renews the entries of each collection without segments. @throws DatabaseFailure */
export function renewDocumentEntries(database: Database): void {
  for (const { tables } of loadSchema(database, 'extended').keyspaces.values()) {
    for (const table of tables.values()) {
      if (!isCollection(table) || hasTable(database, sqlSegments(table))) continue;
      const id = loadNextTableId(database);
      const after = withEntries(table, { id, isBuilding: true });
      database.transaction(() => {
        for (const { sql, valueSets } of [...beginEntriesStatements(after), countUp(id)])
          for (const values of valueSets) database.statement(sql).run(values);
      });
    }
  }
}

function hasTable(database: Database, name: string): boolean {
  const found = database.statement("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?");
  return found.get([name]) !== undefined;
}
