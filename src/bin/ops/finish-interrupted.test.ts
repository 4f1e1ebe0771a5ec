// Checks that no table with rows of clusters is missing where those of removed clusters are looked for.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openDatabase } from '../../foundation/sqlite/open-database.js';
import { opsMigrations } from './ops-migrations.js';

/** Events stay until they are too old. */
const eventTables = ['alert_events', 'event_counts', 'events'];

it('every table with a column of cluster ids is declared, but those of events', () => {
  const database = openDatabase({ path: ':memory:' });
  for (const { sql } of opsMigrations) database.exec(sql);
  const found = database
    .statement(
      `SELECT tables.name || '.' || columns.name AS place
       FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
       WHERE tables.type = 'table' AND columns.name IN ('cluster', 'cluster_id')`,
    )
    .all()
    .map((row) => String(row['place']))
    .filter((place) => !eventTables.includes(place.split('.')[0] ?? ''));
  const declared = opsMigrations.flatMap(({ clusterTables = {} }) =>
    Object.entries(clusterTables).map(([table, column]) => `${table}.${column}`),
  );
  assert.deepEqual(declared.toSorted(), found.toSorted());
  database.close();
});
