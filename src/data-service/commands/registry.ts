// Every command, in reading order.

import { getOrMake } from '../../foundation/get-or-make.js';
import type { Dialect } from '../column-types/dialect.js';
import { alterTable } from './alter-table.js';
import { alterType } from './alter-type.js';
import { countDocuments, estimatedDocumentCount } from './collections/count.js';
import { createCollection } from './collections/create-collection.js';
import { deleteManyDocuments, deleteOneDocument } from './collections/delete.js';
import { deleteCollection, findCollections } from './collections/delete-collection.js';
import { findDocuments, findOneDocument } from './collections/find.js';
import { findAndRerank } from './collections/find-and-rerank.js';
import { findOneAndDelete, findOneAndReplace, findOneAndUpdate } from './collections/find-one-and.js';
import { insertManyDocuments, insertOneDocument } from './collections/insert.js';
import { updateManyDocuments, updateOneDocument } from './collections/update.js';
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
import { estimatedRowCount } from './estimated-row-count.js';
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
  createCollection,
  deleteCollection,
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
  // A collection
  insertOneDocument,
  insertManyDocuments,
  findDocuments,
  findOneDocument,
  findAndRerank,
  countDocuments,
  estimatedDocumentCount,
  updateOneDocument,
  updateManyDocuments,
  findOneAndUpdate,
  findOneAndReplace,
  findOneAndDelete,
  deleteOneDocument,
  deleteManyDocuments,
];

/** Commands of the operations port only, which the public API does not have. No message lists them. */
export const operatorCommands: readonly Command[] = [estimatedRowCount];

/** The names of commands for collections only, refused by name on a table. */
export const documentCommands: readonly string[] = namesOnlyOf('collection', 'table');

/** The names of commands for tables only, refused by name on a collection. */
export const tableCommands: readonly string[] = namesOnlyOf('table', 'collection');

/** The names of the commands of a target that another target does not have. */
function namesOnlyOf(target: Target, other: Target): readonly string[] {
  const others = new Set(commands.flatMap((each) => (each.target === other ? [each.name] : [])));
  return commands.flatMap(({ name, target: own }) => (own === target && !others.has(name) ? [name] : []));
}

/** What a command of any offer changes if it is not tables; undefined for other commands and names. */
export function thingsOf(name: string): string | undefined {
  return commands.find((each) => each.name === name)?.changes;
}

type CommandsByTarget = Readonly<Record<Target, ReadonlyMap<string, Command>>>;

/** What decides which commands there are. */
export interface CommandOffer {
  readonly dialect: Dialect;
  /** Whether there are collections. */
  readonly hasCollections: boolean;
  /** Whether the commands of the operations port are among them. Absent: no. */
  readonly isForOperators?: boolean;
}

/** The commands of each offer; they are made when they are first used. */
const byOffer = new Map<string, CommandsByTarget>();

/** The commands of a target, by name. */
export function commandsFor(target: Target, offer: CommandOffer): ReadonlyMap<string, Command> {
  const { dialect, hasCollections, isForOperators = false } = offer;
  const key = `${dialect}${hasCollections ? 1 : 0}${isForOperators ? 1 : 0}`;
  return getOrMake(byOffer, key, () => commandsOf(offer))[target];
}

function commandsOf({ dialect, hasCollections, isForOperators = false }: CommandOffer): CommandsByTarget {
  const offered = [...commands, ...(isForOperators ? operatorCommands : [])].filter(
    (each) => (each.dialect ?? dialect) === dialect && (hasCollections || each.needs !== 'documents'),
  );
  const namesFor = (target: Target) =>
    new Map(offered.filter((each) => each.target === target).map((each) => [each.name, each]));
  return {
    database: namesFor('database'),
    keyspace: namesFor('keyspace'),
    table: namesFor('table'),
    collection: namesFor('collection'),
  };
}
