// dropType (specification of the extended dialect: dropType).
import { EngineError } from '../engine/engine-error.js';
import { apiError } from '../errors/api-error.js';
import { tablesWithUserType } from '../schema/keyspace.js';
import type { SchemaChange } from '../schema/schema-change.js';
import { changesSchema, keyspaceCommand } from './command.js';
import { flag, nonEmptyText, object, options } from './shape.js';

export const dropType = keyspaceCommand({
  name: 'dropType',
  help: 'Drops a user-defined type that no table uses.',
  ...changesSchema,
  removes: true,
  dialect: 'extended',
  changes: 'user-defined types',
  shape: object({ name: nonEmptyText, options: options({ ifExists: flag }) }),
  plan: ({ name, options: { ifExists } }, { keyspace }): SchemaChange | null => {
    const type = keyspace.userTypes.get(name);
    if (type === undefined) {
      if (ifExists) return null;
      const existing = [...keyspace.userTypes.keys()];
      throw apiError('schema', 'CANNOT_DROP_UNKNOWN_TYPE', { keyspace: keyspace.name, type: name, existing });
    }
    const using = tablesWithUserType(keyspace, name);
    if (using.length === 0) return { kind: 'dropType', type };
    throw apiError('schema', 'CANNOT_DROP_TYPE_USED_BY_TABLE', {
      type: name,
      tables: using.map((table) => table.name),
    });
  },
  execute: async (plan, engine) => {
    if (plan?.kind !== 'dropType') return;
    await engine.changeSchema(plan).catch((error: unknown) => {
      // Columns and types that only native queries make can use it, too.
      if (!(error instanceof EngineError) || error.kind !== 'refused') throw error;
      const problem = error.message.replace(/\.$/, '');
      throw apiError('schema', 'CANNOT_DROP_TYPE_USED_BY_TABLE', { type: plan.type.name, problem }, error);
    });
  },
});
