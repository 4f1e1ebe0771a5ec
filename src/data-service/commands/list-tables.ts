// listTables (wire: listTables).
import { plainTables } from '../schema/collection.js';
import { describeTable } from '../schema/describe-columns.js';
import { keyspaceCommand } from './command.js';
import { listText } from './reply.js';
import { flag, object, options } from './shape.js';

export const listTables = keyspaceCommand({
  name: 'listTables',
  help: 'Lists the tables of a keyspace; with `explain` also their definitions.',
  kind: 'list',
  shape: object({ options: options({ explain: flag }) }),
  plan: ({ options: { explain } }, { keyspace }) => ({ explain, tables: plainTables(keyspace) }),
  execute: async (plan) => plan,
  respond: ({ explain, tables }) => {
    const listed = explain ? tables.map(describeTable) : tables.map(({ name }) => JSON.stringify(name));
    return { status: [['tables', listText(listed)]] };
  },
});
