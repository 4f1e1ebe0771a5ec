// createType (specification of the extended dialect: createType, in that order of checks).
import { apiError } from '../errors/api-error.js';
import { checkNewName } from '../schema/identifier.js';
import { parseFields, refuseTooManyFields } from '../schema/parse-user-type.js';
import type { SchemaChange } from '../schema/schema-change.js';
import { changesSchema, keyspaceCommand } from './command.js';
import { anything, flag, nonEmptyText, object, options, requiredObject } from './shape.js';

const at = 'command.definition.fields';

export const createType = keyspaceCommand({
  name: 'createType',
  help: 'Creates a user-defined type, a record of named fields.',
  ...changesSchema,
  dialect: 'extended',
  changes: 'user-defined types',
  shape: object({
    name: nonEmptyText,
    definition: requiredObject({ fields: anything('an object of names and types: `{"street": "text"}`') }),
    options: options({ ifNotExists: flag }),
  }),
  plan: ({ name, definition, options: { ifNotExists } }, context): SchemaChange | null => {
    const { keyspace } = context;
    const fields = parseFields(definition.fields, at, context);
    checkNewName('user-defined type', name);
    if (fields.length === 0) throw apiError('schema', 'MISSING_FIELDS_FOR_TYPE_CREATION', { type: name });
    refuseTooManyFields(at, fields);
    if (!keyspace.userTypes.has(name))
      return { kind: 'createType', type: { keyspace: keyspace.name, name, fields } };
    if (ifNotExists) return null;
    const existing = [...keyspace.userTypes.keys()];
    throw apiError('schema', 'CANNOT_ADD_EXISTING_TYPE', { keyspace: keyspace.name, type: name, existing });
  },
});
