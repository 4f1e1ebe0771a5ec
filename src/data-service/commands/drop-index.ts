// dropIndex (wire: dropIndex).
import { apiError } from '../errors/api-error.js';
import type { SchemaChange } from '../schema/schema-change.js';
import { keyspaceCommand } from './command.js';
import { okReply } from './reply.js';
import { flag, nonEmptyText, object, options } from './shape.js';

export const dropIndex = keyspaceCommand({
  name: 'dropIndex',
  help: 'Drops an index.',
  kind: 'schema',
  shape: object({ name: nonEmptyText, options: options({ ifExists: flag }) }),
  plan: ({ name, options: { ifExists } }, { keyspace }): SchemaChange | null => {
    const tables = [...keyspace.tables.values()];
    for (const table of tables) {
      const index = table.indexes.find((each) => each.name === name);
      if (index !== undefined) return { kind: 'dropIndex', table, index };
    }
    if (ifExists) return null;
    const existing = tables.flatMap(({ indexes }) => indexes.map((index) => index.name));
    throw apiError('schema', 'CANNOT_DROP_UNKNOWN_INDEX', { keyspace: keyspace.name, name, existing });
  },
  execute: async (plan, engine) => {
    if (plan !== null) await engine.changeSchema(plan);
  },
  respond: () => okReply,
});
