// listTypes (specification of the extended dialect: listTypes).
import { describeUserType } from '../schema/describe-columns.js';
import { keyspaceCommand } from './command.js';
import { listInTurns } from './reply.js';
import { flag, object, options } from './shape.js';

export const listTypes = keyspaceCommand({
  name: 'listTypes',
  help: 'Lists the user-defined types of a keyspace; with `explain` also their fields.',
  kind: 'list',
  shape: object({ options: options({ explain: flag }) }),
  plan: ({ options: { explain } }, { keyspace }) => ({ explain, types: [...keyspace.userTypes.values()] }),
  execute: ({ explain, types }) =>
    explain ? listInTurns(types, describeUserType) : listInTurns(types, ({ name }) => JSON.stringify(name)),
  respond: (listed) => ({ status: [['types', listed]] }),
});
