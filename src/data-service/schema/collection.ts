// Collections: tables whose rows are the documents. A table of this layout is created for each collection.

import { blob } from '../column-types/blob.js';
import { text } from '../column-types/text.js';
import { vectorOf } from '../column-types/vector.js';
import { isIndexed } from '../documents/indexing.js';
import type { NamesOfKeyspace } from '../errors/error-entry.js';
import { analyzerOf } from '../text-analysis/parse-analyzer.js';
import type { CollectionSettings } from './collection-settings.js';
import type { Keyspace } from './keyspace.js';
import type { Column, NewTableIndex, Table, TableDefinition } from './table.js';

/** A table that contains documents. */
export interface Collection extends Table {
  readonly collection: CollectionSettings;
}

/** The names of the columns of every collection. */
const names = {
  /** The key of the id, see `document-id.ts`. */
  key: '_id',
  /** The JSON text of the document without the reserved members. */
  document: 'document',
  /** The reserved members, see `document-columns.ts`. */
  reserved: 'reserved',
  /** Absent if the collection has no vectors. */
  vector: '$vector',
  /** Absent if `$lexical` is not enabled. */
  lexical: '$lexical',
} as const;

export interface CollectionColumns {
  readonly key: Column;
  readonly document: Column;
  readonly reserved: Column;
  readonly vector: Column | undefined;
  readonly lexical: Column | undefined;
}

/** Whether the table contains documents. */
export function isCollection(table: Table): table is Collection {
  return table.collection !== undefined;
}

/** The tables that are not collections, in order of creation. */
export function plainTables({ tables }: Pick<Keyspace, 'tables'>): readonly Table[] {
  return [...tables.values()].filter((table) => !isCollection(table));
}

/** The collections, in order of creation. */
export function collectionsOf({ tables }: Pick<Keyspace, 'tables'>): readonly Collection[] {
  return [...tables.values()].filter(isCollection);
}

/** The names of both, for messages. */
export function namesOf(keyspace: Pick<Keyspace, 'tables'>): NamesOfKeyspace {
  const names = (tables: readonly Table[]) => tables.map(({ name }) => name);
  return { tables: names(plainTables(keyspace)), collections: names(collectionsOf(keyspace)) };
}

const columnsOfTables = new WeakMap<Collection, CollectionColumns>();

/** The columns of a collection by what they contain. */
export function collectionColumns(collection: Collection): CollectionColumns {
  let columns = columnsOfTables.get(collection);
  if (columns === undefined) {
    const { columnsByName } = collection;
    const columnNamed = (name: string): Column => {
      const column = columnsByName.get(name);
      if (column === undefined)
        throw new TypeError(`the collection ${collection.name} has no column ${name}`);
      return column;
    };
    columns = {
      key: columnNamed(names.key),
      document: columnNamed(names.document),
      reserved: columnNamed(names.reserved),
      vector: columnsByName.get(names.vector),
      lexical: columnsByName.get(names.lexical),
    };
    columnsOfTables.set(collection, columns);
  }
  return columns;
}

/** The definition of the table of a new collection. */
export function collectionTable(name: string, collection: CollectionSettings): TableDefinition {
  const { vector, lexical, indexing } = collection;
  const indexes: NewTableIndex[] = [];
  if (vector !== undefined && isIndexed(indexing, ['$vector']))
    indexes.push({
      kind: 'vector',
      name: indexName(name, 'vector'),
      column: names.vector,
      metric: vector.metric,
      sourceModel: vector.sourceModel,
    });
  if (lexical !== undefined)
    indexes.push({
      kind: 'text',
      name: indexName(name, 'lexical'),
      column: names.lexical,
      analyzer: analyzerOf(lexical.analyzer),
    });
  const service = vector?.service;
  return {
    name,
    columns: [
      { name: names.key, type: blob },
      { name: names.document, type: text },
      { name: names.reserved, type: text },
      ...(vector === undefined
        ? []
        : [
            {
              name: names.vector,
              type: vectorOf(vector.dimension),
              ...(service === undefined ? {} : { service: { ...service, isEnabled: true } }),
            },
          ]),
      ...(lexical === undefined ? [] : [{ name: names.lexical, type: text }]),
    ],
    partitionKey: [names.key],
    clustering: [],
    collection,
    indexes,
  };
}

/** The name of an index of a collection, as in the public API. */
export function indexName(collection: string, kind: 'vector' | 'lexical'): string {
  return `${collection}_query_${kind}_value`;
}

/** The settings as they are stored. */
export function packSettings(settings: CollectionSettings): string {
  return JSON.stringify(settings);
}

/** The settings that were packed. */
export function unpackSettings(packed: string): CollectionSettings {
  return JSON.parse(packed) as CollectionSettings; // what `packSettings` returned
}
