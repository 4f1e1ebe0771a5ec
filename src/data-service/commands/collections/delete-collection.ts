// deleteCollection and findCollections (wire: deleteCollection, findCollections).
import { apiError } from '../../errors/api-error.js';
import { collectionsOf, isCollection, namesOf } from '../../schema/collection.js';
import { describeCollection } from '../../schema/describe-collection.js';
import { refuseReserved } from '../../schema/keyspace.js';
import type { SchemaChange } from '../../schema/schema-change.js';
import { changesSchema, keyspaceCommand } from '../command.js';
import { listInTurns } from '../reply.js';
import { flag, nonEmptyText, noOptions, object, options } from '../shape.js';

export const deleteCollection = keyspaceCommand({
  name: 'deleteCollection',
  help: 'Deletes a collection with its documents. It need not exist.',
  ...changesSchema,
  removes: true,
  needs: 'documents',
  changes: 'document collections',
  shape: object({ name: nonEmptyText, options: noOptions('deleteCollection') }),
  plan: ({ name }, { keyspace }): SchemaChange | null => {
    refuseReserved(keyspace, name);
    const table = keyspace.tables.get(name) ?? keyspace.unfinished?.get(name);
    if (table === undefined) return null;
    if (isCollection(table)) return { kind: 'dropTable', table };
    // The public API would drop a table of this name.
    throw apiError('schema', 'UNKNOWN_COLLECTION_OR_TABLE', {
      keyspace: keyspace.name,
      table: name,
      existing: namesOf(keyspace),
      hasCollections: true,
      isToDelete: true,
    });
  },
});

export const findCollections = keyspaceCommand({
  name: 'findCollections',
  help: 'Lists the collections of a keyspace; with `explain` also their options.',
  kind: 'list',
  shape: object({ options: options({ explain: flag }) }),
  plan: ({ options: { explain } }, { keyspace }) => ({ explain, collections: collectionsOf(keyspace) }),
  execute: ({ explain, collections }) =>
    listInTurns(collections, explain ? describeCollection : ({ name }) => JSON.stringify(name)),
  respond: (listed) => ({ status: [['collections', listed]] }),
});
