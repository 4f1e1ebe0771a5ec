// listTables (wire: listTables).
import { plainTables } from '../schema/collection.js';
import { describeTable } from '../schema/describe-columns.js';
import { keyspaceCommand } from './command.js';
import { listInTurns } from './reply.js';
import { flag, object, options } from './shape.js';

export const listTables = keyspaceCommand({
  name: 'listTables',
  help: 'Lists the tables of a keyspace; with `explain` also their definitions.',
  kind: 'list',
  shape: object({ options: options({ explain: flag }) }),
  plan: ({ options: { explain } }, { keyspace }) => ({ explain, tables: plainTables(keyspace) }),
  execute: ({ explain, tables }) =>
    explain ? listInTurns(tables, describeTable) : listInTurns(tables, ({ name }) => JSON.stringify(name)),
  respond: (listed) => ({ status: [['tables', listed]] }),
});
