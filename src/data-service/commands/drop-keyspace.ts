// dropKeyspace, and its deprecated name dropNamespace (wire: General level).
import { apiError } from '../errors/api-error.js';
import type { Schema } from '../schema/keyspace.js';
import type { SchemaChange } from '../schema/schema-change.js';
import { changesSchema, databaseCommand } from './command.js';
import { nonEmptyText, noOptions, object } from './shape.js';

function makeCommand(name: string, help: string, replacement?: string) {
  return databaseCommand({
    name,
    help,
    ...(replacement !== undefined && { replacement }),
    ...changesSchema,
    removes: true,
    shape: object({ name: nonEmptyText, options: noOptions(name) }),
    plan: (request, { schema }): SchemaChange => {
      refusePublicCollections(schema, request.name);
      return { kind: 'dropKeyspace', name: request.name };
    },
  });
}

/** Nobody can see here that they would be lost. */
function refusePublicCollections({ keyspaces }: Schema, keyspace: string): void {
  const reserved = keyspaces.get(keyspace)?.reserved ?? [];
  const collections = [...reserved].flatMap(([name, what]) => (what === 'publicCollection' ? [name] : []));
  if (collections.length > 0)
    throw apiError('schema', 'CANNOT_DROP_KEYSPACE_WITH_PUBLIC_COLLECTIONS', { keyspace, collections });
}

export const dropKeyspace = makeCommand(
  'dropKeyspace',
  'Drops a keyspace with everything in it, if it exists.',
);
export const dropNamespace = makeCommand('dropNamespace', 'Deprecated name of dropKeyspace.', 'dropKeyspace');
