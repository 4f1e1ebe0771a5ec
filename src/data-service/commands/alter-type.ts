// alterType (specification of the extended dialect: alterType). Renames are made before additions.
import { apiError } from '../errors/api-error.js';
import {
  changedUserType,
  parseFields,
  parseRenames,
  refuseTooManyFields,
} from '../schema/parse-user-type.js';
import type { SchemaChange } from '../schema/schema-change.js';
import { changesSchema, keyspaceCommand } from './command.js';
import { anything, nonEmptyText, object, options } from './shape.js';

export const alterType = keyspaceCommand({
  name: 'alterType',
  help: 'Renames fields of a user-defined type, and adds fields. Stored values keep their fields.',
  ...changesSchema,
  dialect: 'extended',
  changes: 'user-defined types',
  shape: object({
    name: nonEmptyText,
    rename: options({ fields: anything('an object of present and new names') }),
    add: options({ fields: anything('an object of names and types') }),
  }),
  plan: ({ name, rename, add }, context): SchemaChange => {
    const { keyspace } = context;
    const renames = parseRenames(rename.fields, 'command.rename.fields');
    const added = parseFields(add.fields, 'command.add.fields', context);
    if (renames.length + added.length === 0)
      throw apiError('schema', 'MISSING_ALTER_TYPE_OPERATIONS', { type: name });
    const before = keyspace.userTypes.get(name);
    if (before === undefined) {
      const existing = [...keyspace.userTypes.keys()];
      throw apiError('schema', 'UNKNOWN_USER_DEFINED_TYPE', {
        keyspace: keyspace.name,
        type: name,
        existing,
      });
    }
    const after = changedUserType(before, renames, added);
    refuseTooManyFields('command.add.fields', after.fields);
    return { kind: 'alterType', before, after };
  },
});
