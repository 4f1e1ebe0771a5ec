// dropTable (wire: dropTable).
import { apiError } from '../errors/api-error.js';
import { isCollection, namesOf } from '../schema/collection.js';
import { refuseReserved } from '../schema/keyspace.js';
import type { SchemaChange } from '../schema/schema-change.js';
import { changesSchema, keyspaceCommand } from './command.js';
import { flag, nonEmptyText, object, options } from './shape.js';

export const dropTable = keyspaceCommand({
  name: 'dropTable',
  help: 'Drops a table with its rows.',
  ...changesSchema,
  removes: true,
  shape: object({ name: nonEmptyText, options: options({ ifExists: flag }) }),
  plan: ({ name, options: { ifExists } }, { keyspace }): SchemaChange | null => {
    refuseReserved(keyspace, name);
    const table = keyspace.tables.get(name);
    if (table !== undefined && !isCollection(table)) return { kind: 'dropTable', table };
    if (ifExists) return null;
    const existing = namesOf(keyspace);
    throw apiError('schema', 'CANNOT_DROP_UNKNOWN_TABLE', { keyspace: keyspace.name, table: name, existing });
  },
});
