// Replaces the data of text indexes that an earlier release wrote in another form, when the file is opened. The rows
// are added again in steps, beside other work; until then searches find no index.
import type { Database } from '../../../../foundation/sqlite/open-database.js';
import { loadSchema } from '../file/schema-store.js';
import { sqlPostings, sqlTextProgress } from '../file/sql-names.js';
import { createTextStatements } from '../statements/text-statements.js';

/** Renews the indexes that the schema marks as outdated, each in one transaction. @throws DatabaseFailure */
export function renewTextIndexes(database: Database): void {
  const outdated = database
    .statement("SELECT table_id, id FROM indexes WHERE analyzer IS NOT NULL AND analyzer ->> 'isOutdated'")
    .all();
  if (outdated.length === 0) return;
  const { keyspaces } = loadSchema(database, 'extended');
  for (const { tables } of keyspaces.values()) {
    for (const table of tables.values()) {
      for (const index of table.indexes) {
        const isOutdated = outdated.some(({ table_id, id }) => table_id === table.id && id === index.id);
        if (!isOutdated || index.kind !== 'text') continue;
        const [postings, progress] = [sqlPostings(table, index), sqlTextProgress(table, index)];
        const dropped = ['insert', 'update', 'delete'].map((event) => `DROP TRIGGER ${postings}_${event}`);
        const statements = [...dropped, `DROP TABLE ${postings}`, `DROP TABLE ${progress}`];
        database.transaction(() => {
          for (const sql of statements) database.exec(sql);
          for (const { sql } of createTextStatements(table, index)) database.exec(sql);
          database
            .statement(
              "UPDATE indexes SET analyzer = json_remove(analyzer, '$.isOutdated') WHERE table_id = ? AND id = ?",
            )
            .run([table.id, index.id]);
        });
      }
    }
  }
}
