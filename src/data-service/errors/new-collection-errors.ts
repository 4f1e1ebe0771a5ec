// Errors about collections: their creation, and commands that they do not have.
import { entry, listed } from './error-entry.js';

/** Family REQUEST, no scope. */
export const newCollectionRequestErrors = {
  INVALID_CREATE_COLLECTION_FIELD: entry({
    title: 'Option of createCollection unknown',
    when: 'createCollection has an unknown member in its options.',
    message: (p: { unknown: string; place: string; known: readonly string[] }) =>
      `The member "${p.unknown}" in ${p.place} of createCollection is not known.\nKnown members: ${listed(p.known)}.`,
  }),
  UNSUPPORTED_COLLECTION_COMMAND: entry({
    title: 'Command not supported on collections',
    when: 'A command for tables was sent to a collection.',
    message: (p: {
      command: string;
      keyspace: string;
      collection: string;
      collectionCommands: readonly string[];
    }) =>
      `The command ${p.command} does not exist for collections; ${p.keyspace}.${p.collection} is a collection.\n` +
      `Commands for collections: ${listed([...p.collectionCommands].sort())}.`,
  }),
} as const;

/** Whose table it is: the public server stores a collection in it, or this server the settings of tables. */
export type ReservedFor = 'publicCollection' | 'settings';

/** Family REQUEST, scope SCHEMA. */
export const newCollectionSchemaErrors = {
  CANNOT_DROP_KEYSPACE_WITH_PUBLIC_COLLECTIONS: entry({
    title: 'Keyspace has collections of the public server',
    when: 'dropKeyspace names a keyspace in which the public Data API server stores collections.',
    message: (p: { keyspace: string; collections: readonly string[] }) =>
      `The keyspace ${p.keyspace} has collections of the public Data API server, which this server does not show: ` +
      `${listed(p.collections)}.\nDrop the keyspace with a native query if you do not need them.`,
  }),
  EXISTING_COLLECTION_DIFFERENT_SETTINGS: entry({
    title: 'Collection exists with other options',
    when: 'createCollection names a collection that exists with other options.',
    message: (p: { collection: string }) =>
      `The collection ${p.collection} exists with other options.\nThe command findCollections with "explain" shows them. Use another name, or delete the collection first.`,
  }),
  EXISTING_INDEX_FOR_COLLECTION: entry({
    title: 'Name of an index taken',
    when: 'createCollection needs an index whose name an index of a table has.',
    message: (p: { keyspace: string; table: string; index: string }) =>
      `The collection ${p.table} needs an index with the name ${p.index}, which exists in ${p.keyspace}.\nUse another name, or drop that index first.`,
  }),
  EXISTING_TABLE_NOT_DATA_API_COLLECTION: entry({
    title: 'A table has this name',
    when: 'createCollection names a table.',
    message: (p: { table: string }) =>
      `${p.table} is a table; collections and tables have one name space.\nUse another name.`,
  }),
  INVALID_USAGE_OF_VECTORIZE: entry({
    title: 'Both $vector and $vectorize',
    when: 'A document or an update has both `$vector` and `$vectorize`.',
    message: (p: { extraDesc: string }) =>
      `$vector and $vectorize cannot be used together: ${p.extraDesc}.\nSend one of them.`,
  }),
  TABLE_RESERVED: entry({
    title: 'Table not available to commands',
    when: 'A command names a table of a Cassandra cluster in which the public Data API server stores a collection, or a table of the name under which this server stores settings there.',
    message: (p: { keyspace: string; table: string; reservedFor: ReservedFor }) => {
      switch (p.reservedFor) {
        case 'publicCollection':
          return (
            `${p.keyspace}.${p.table} is a collection in the layout of the public Data API server, which this server ` +
            'neither reads nor changes.\nMove it into another keyspace with ' +
            `colonnade import --from-public URL --from-keyspace ${p.keyspace} --tables ${p.table} --to-keyspace NAME.`
          );
        case 'settings':
          return `${p.keyspace}.${p.table} is a table for settings of the tables of ${p.keyspace}.\nUse another name.`;
      }
    },
  }),
  VECTOR_SEARCH_TOO_BIG_VALUE: entry({
    title: 'Vector dimension too large',
    when: 'createCollection has a dimension of more than 4,096.',
    message: (p: { length: number; maxLength: number }) =>
      `The dimension of $vector is ${p.length}; at most ${p.maxLength} is allowed.`,
  }),
} as const;

/** Family SERVER, scope DATABASE. */
export const newCollectionDatabaseErrors = {
  FAILED_CONCURRENT_OPERATIONS: entry({
    title: 'Other commands changed the documents',
    when: 'Other commands changed each document that a command was about to change.',
    message: (p: { keyspace: string; table: string }) =>
      `Other commands changed the documents of ${p.keyspace}.${p.table} that this command found, again and again.\nNothing was changed. Send the command again.`,
  }),
} as const;
