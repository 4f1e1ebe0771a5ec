// Makes all index entries of a collection again from its documents, in one transaction.
import type { Database } from '../../../../foundation/sqlite/open-database.js';
import { text as textType } from '../../../column-types/text.js';
import { collectionColumns, isCollection } from '../../../schema/collection.js';
import type { Table } from '../../../schema/table.js';
import { loadSchema } from '../file/schema-store.js';
import { rowIdColumn, sqlColumn, sqlTable } from '../file/sql-names.js';
import { emptyEntriesTexts } from '../statements/entry-statements.js';
import { DocumentTable } from './document-tables.js';
import { addDocumentEntries } from './entry-writes.js';

/** Does nothing if the collection is gone. @throws DatabaseFailure, or an error for a damaged document */
export function rebuildEntries(database: Database, { id }: Pick<Table, 'id'>): void {
  database.transaction(() => {
    const tables = [...loadSchema(database, 'extended').keyspaces.values()].flatMap((each) => [
      ...each.tables.values(),
    ]);
    const collection = tables.find((table) => table.id === id);
    if (collection === undefined || !isCollection(collection)) return;
    for (const sql of emptyEntriesTexts(collection)) database.statement(sql).run();
    const table = new DocumentTable(collection, database);
    const { document } = collectionColumns(collection);
    const columns = `${rowIdColumn}, ${sqlColumn(document)}`;
    const rows = database
      .statement(`SELECT ${columns} FROM ${sqlTable(collection)} ORDER BY ${rowIdColumn}`, {
        returnArrays: true,
      })
      .iterate();
    for (const [number, text] of rows)
      addDocumentEntries(database, table, Number(number), textType.sql.decode(String(text)));
  });
}
