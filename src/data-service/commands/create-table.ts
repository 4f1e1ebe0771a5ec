// createTable (specification: Column definition shapes; wire: createTable).
import { refuseDifferentEmbeddingServices } from '../embedding/table-embedding-services.js';
import { apiError } from '../errors/api-error.js';
import { namesOf } from '../schema/collection.js';
import { checkNewName } from '../schema/identifier.js';
import { refuseReserved } from '../schema/keyspace.js';
import { parseTableDefinition } from '../schema/parse-table-definition.js';
import type { SchemaChange } from '../schema/schema-change.js';
import { changesSchema, keyspaceCommand } from './command.js';
import { clause, flag, nonEmptyText, object, options } from './shape.js';

export const createTable = keyspaceCommand({
  name: 'createTable',
  help: 'Creates a table with typed columns and a primary key.',
  ...changesSchema,
  shape: object({
    name: nonEmptyText,
    definition: clause('{"columns": {"id": "uuid"}, "primaryKey": "id"}'),
    options: options({ ifNotExists: flag }),
  }),
  plan: ({ name, definition, options: { ifNotExists } }, context): SchemaChange | null => {
    const { keyspace, dialect } = context;
    checkNewName('table', name);
    refuseReserved(keyspace, name);
    const parsed = parseTableDefinition(name, definition, context);
    if (dialect === 'strict') refuseDifferentEmbeddingServices(name, parsed.columns);
    if (!keyspace.tables.has(name))
      return { kind: 'createTable', keyspace: keyspace.name, definition: parsed };
    if (ifNotExists) return null;
    const existing = namesOf(keyspace);
    throw apiError('schema', 'CANNOT_ADD_EXISTING_TABLE', { keyspace: keyspace.name, table: name, existing });
  },
});
