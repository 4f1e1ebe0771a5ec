// dropKeyspace, and its deprecated name dropNamespace (wire: General level).
import type { SchemaChange } from '../schema/schema-change.js';
import { databaseCommand } from './command.js';
import { okReply } from './reply.js';
import { nonEmptyText, noOptions, object } from './shape.js';

function makeCommand(name: string, help: string, replacement?: string) {
  return databaseCommand({
    name,
    help,
    ...(replacement !== undefined && { replacement }),
    kind: 'schema',
    removes: true,
    shape: object({ name: nonEmptyText, options: noOptions(name) }),
    plan: (request): SchemaChange => ({ kind: 'dropKeyspace', name: request.name }),
    execute: (plan, engine) => engine.changeSchema(plan),
    respond: () => okReply,
  });
}

export const dropKeyspace = makeCommand(
  'dropKeyspace',
  'Drops a keyspace with everything in it, if it exists.',
);
export const dropNamespace = makeCommand('dropNamespace', 'Deprecated name of dropKeyspace.', 'dropKeyspace');
