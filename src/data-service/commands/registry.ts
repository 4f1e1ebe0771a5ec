// Every command, in reading order.

import { alterTable } from './alter-table.js';
import type { Command, Target } from './command.js';
import { createIndex } from './create-index.js';
import { createKeyspace, createNamespace } from './create-keyspace.js';
import { createTable } from './create-table.js';
import { createTextIndex } from './create-text-index.js';
import { createVectorIndex } from './create-vector-index.js';
import { deleteMany } from './delete-many.js';
import { deleteOne } from './delete-one.js';
import { dropIndex } from './drop-index.js';
import { dropKeyspace, dropNamespace } from './drop-keyspace.js';
import { dropTable } from './drop-table.js';
import { findCollections, findRerankingProviders, listTypes } from './features-off.js';
import { find } from './find.js';
import { findEmbeddingProviders } from './find-embedding-providers.js';
import { findKeyspaces, findNamespaces } from './find-keyspaces.js';
import { findOne } from './find-one.js';
import { insertMany } from './insert-many.js';
import { insertOne } from './insert-one.js';
import { listIndexes } from './list-indexes.js';
import { listTables } from './list-tables.js';
import { updateOne } from './update-one.js';

/** Every command, in the order of the reference. */
export const commands: readonly Command[] = [
  // The database
  createKeyspace,
  dropKeyspace,
  findKeyspaces,
  createNamespace,
  dropNamespace,
  findNamespaces,
  findEmbeddingProviders,
  findRerankingProviders,
  // A keyspace
  createTable,
  dropTable,
  listTables,
  dropIndex,
  findCollections,
  listTypes,
  // A table
  alterTable,
  createIndex,
  createVectorIndex,
  createTextIndex,
  listIndexes,
  insertOne,
  insertMany,
  find,
  findOne,
  updateOne,
  deleteOne,
  deleteMany,
];

/** Commands of the public API for document collections, refused by name on a table. */
export const documentCommands: readonly string[] = [
  'countDocuments',
  'estimatedDocumentCount',
  'updateMany',
  'findOneAndDelete',
  'findOneAndReplace',
  'findOneAndUpdate',
  'findAndRerank',
];

/** Commands of the public API that create, change or drop something other than tables, each with what it is. */
export const commandsNotOffered: ReadonlyMap<string, string> = new Map([
  ['createCollection', 'document collections'],
  ['deleteCollection', 'document collections'],
  ['createType', 'user-defined types'],
  ['alterType', 'user-defined types'],
  ['dropType', 'user-defined types'],
]);

const byTarget: Readonly<Record<Target, ReadonlyMap<string, Command>>> = {
  database: namesFor('database'),
  keyspace: namesFor('keyspace'),
  table: namesFor('table'),
};

/** The commands of a target, by name. */
export function commandsFor(target: Target): ReadonlyMap<string, Command> {
  return byTarget[target];
}

function namesFor(target: Target): ReadonlyMap<string, Command> {
  const own = commands.filter((command) => command.target === target);
  return new Map(own.map((command) => [command.name, command]));
}
