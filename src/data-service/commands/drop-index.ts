// dropIndex (wire: dropIndex).
import { apiError } from '../errors/api-error.js';
import { isCollection, plainTables } from '../schema/collection.js';
import { indexNamed } from '../schema/keyspace.js';
import type { SchemaChange } from '../schema/schema-change.js';
import { changesSchema, keyspaceCommand } from './command.js';
import { flag, nonEmptyText, object, options } from './shape.js';

export const dropIndex = keyspaceCommand({
  name: 'dropIndex',
  help: 'Drops an index.',
  ...changesSchema,
  removes: true,
  shape: object({ name: nonEmptyText, options: options({ ifExists: flag }) }),
  plan: ({ name, options: { ifExists } }, { keyspace }): SchemaChange | null => {
    const named = indexNamed(keyspace, name);
    // Those of collections belong to them.
    const found = named !== undefined && isCollection(named.table) ? undefined : named;
    if (found !== undefined) return { kind: 'dropIndex', ...found };
    if (ifExists) return null;
    const existing = plainTables(keyspace).flatMap(({ indexes }) => indexes.map((index) => index.name));
    throw apiError('schema', 'CANNOT_DROP_UNKNOWN_INDEX', { keyspace: keyspace.name, name, existing });
  },
});
