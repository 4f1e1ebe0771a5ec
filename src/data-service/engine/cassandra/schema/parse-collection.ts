// Collections as all layers see them, made of their settings: their columns in CQL are those of the layout.
import type { Collection } from '../../../schema/collection.js';
import { type Table, withIndexes } from '../../../schema/table.js';
import { collectionNamed, indexStatements, termsIndexName } from '../documents/collection-layout.js';
import { unbuiltTerms, withoutTokens } from './engine-state.js';
import type { IndexRow } from './schema-rows.js';
import type { StoredCollection } from './table-settings.js';

/** A collection, and the statements that make the indexes which it lacks. */
export interface ParsedCollection {
  readonly table: Collection;
  readonly lacking: readonly string[];
}

export function parseCollection(
  identity: Pick<Table, 'id' | 'version' | 'keyspace'>,
  name: string,
  { settings, hasTokenTerms }: StoredCollection,
  rows: readonly IndexRow[],
): ParsedCollection {
  // The mark of an index that is being built makes the next version.
  const collection = collectionNamed({ ...identity, version: identity.version - 1 }, name, settings);
  const present = new Map(rows.map((row) => [row.name, row]));
  const lacking = [...indexStatements(collection)].flatMap(([index, statement]) =>
    present.has(index) ? [] : [statement],
  );
  const table = withBuilds(collection, present);
  const isOlder = !hasTokenTerms && table.engineState === undefined;
  return { table: isOlder ? { ...table, engineState: withoutTokens } : table, lacking };
}

function withBuilds(collection: Collection, present: ReadonlyMap<string, IndexRow>): Collection {
  const indexes = collection.indexes.map((index) =>
    present.get(index.name)?.isBuilding === true ? { ...index, isBuilding: true } : index,
  );
  const isUnbuilt = present.get(termsIndexName(collection.name))?.isBuilding === true;
  const table = { ...withIndexes(collection, indexes), collection: collection.collection };
  return isUnbuilt ? { ...table, engineState: unbuiltTerms } : table;
}
