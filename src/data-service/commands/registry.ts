// Every command, in reading order.

import type { Dialect } from '../column-types/dialect.js';
import { alterTable } from './alter-table.js';
import { alterType } from './alter-type.js';
import type { Command, Target } from './command.js';
import { createIndex } from './create-index.js';
import { createKeyspace, createNamespace } from './create-keyspace.js';
import { createTable } from './create-table.js';
import { createTextIndex } from './create-text-index.js';
import { createType } from './create-type.js';
import { createVectorIndex } from './create-vector-index.js';
import { deleteMany } from './delete-many.js';
import { deleteOne } from './delete-one.js';
import { dropIndex } from './drop-index.js';
import { dropKeyspace, dropNamespace } from './drop-keyspace.js';
import { dropTable } from './drop-table.js';
import { dropType } from './drop-type.js';
import { findCollections } from './features-off.js';
import { find } from './find.js';
import { findEmbeddingProviders } from './find-embedding-providers.js';
import { findKeyspaces, findNamespaces } from './find-keyspaces.js';
import { findOne } from './find-one.js';
import { findRerankingProviders } from './find-reranking-providers.js';
import { insertMany } from './insert-many.js';
import { insertOne } from './insert-one.js';
import { listIndexes } from './list-indexes.js';
import { listTables } from './list-tables.js';
import { listTypes } from './list-types.js';
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
  createType,
  alterType,
  dropType,
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

type CommandsByTarget = Readonly<Record<Target, ReadonlyMap<string, Command>>>;

const byTarget: Readonly<Record<Dialect, CommandsByTarget>> = {
  strict: commandsOf('strict'),
  extended: commandsOf('extended'),
};

/** The commands of a target in a dialect, by name. */
export function commandsFor(target: Target, dialect: Dialect): ReadonlyMap<string, Command> {
  return byTarget[dialect][target];
}

function commandsOf(dialect: Dialect): CommandsByTarget {
  const namesFor = (target: Target) => {
    const own = commands.filter((each) => each.target === target && (each.dialect ?? dialect) === dialect);
    return new Map(own.map((command) => [command.name, command]));
  };
  return { database: namesFor('database'), keyspace: namesFor('keyspace'), table: namesFor('table') };
}
