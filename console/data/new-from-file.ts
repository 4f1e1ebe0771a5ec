// A table or collection that is created for a file: what is chosen, and the command that creates it.
import { isObject, parseJson } from '../json/exact-json.js';
import { serverFacts } from '../net/server-facts.js';
import { type CollectionForm, collectionBody, newCollection } from './collection-form.js';
import type { Command } from './command.js';
import { nameOfFile } from './name-of-file.js';
import type { PlannedFile, RowChoices } from './planned-file.js';
import type { Item } from './schema.js';
import type { InspectedFile } from './source-file.js';

/** What is chosen for a file. */
export interface NewFromFile extends RowChoices {
  /** If it is undefined, CSV goes into a table and JSON into a collection. */
  readonly kind: Item['kind'] | undefined;
  /** If it is undefined, the name is made of that of the file. */
  readonly name: string | undefined;
  readonly collection: CollectionForm;
}

/** The choices to begin with. */
export const nothingChosen: NewFromFile = {
  ...{ kind: undefined, name: undefined, types: new Map(), primaryKey: undefined, idFrom: '' },
  collection: { ...newCollection, vectors: 'none' },
};

/** The choices, with those that were not made. */
export interface CompleteChoices extends RowChoices {
  readonly kind: Item['kind'];
  readonly name: string;
  /** The columns of the primary key, of which each is a column of the file; none if there is none to begin with. */
  readonly keys: readonly string[];
}

/** Completes the choices for a file; undefined while it is not known. `taken`: the names of the keyspace. */
export function completeChoices(
  inspected: InspectedFile | undefined,
  chosen: NewFromFile,
  taken: ReadonlySet<string>,
): CompleteChoices {
  const { types, primaryKey, idFrom } = chosen;
  const columns = inspected === undefined ? [] : [...inspected.columns.keys()];
  const kind = inspected === undefined ? 'table' : kindOf(inspected, chosen);
  const keys = (primaryKey ?? ['id']).filter((name) => columns.includes(name));
  return {
    ...{ kind, keys, idFrom: kind === 'collection' ? idFrom : '' },
    name: chosen.name ?? (inspected === undefined ? '' : nameOfFile(inspected.name, taken)),
    // Only documents have objects and arrays.
    types: kind === 'table' ? new Map([...types].filter(([, type]) => type !== 'json')) : types,
    // Without a key the rows are shown as they would be with one.
    primaryKey: kind === 'collection' ? undefined : keys.length > 0 ? keys : columns.slice(0, 1),
  };
}

/** The types of the columns of a table are those of CSV, so JSON is always for a collection. */
function kindOf({ format }: InspectedFile, { kind }: NewFromFile): Item['kind'] {
  if (format === 'ndjson') return 'collection';
  return serverFacts.value?.hasCollections === false ? 'table' : (kind ?? 'table');
}

/** The command that creates it, or what is missing. */
export function createCommand(
  keyspace: string,
  planned: PlannedFile,
  { kind, name, keys }: CompleteChoices,
  collection: CollectionForm,
): Command | string {
  if (kind === 'collection' && serverFacts.value?.hasCollections === false)
    return 'This server has no collections. Create a table for the JSON first, then insert the file there.';
  if (name === '') return 'Type a name.';
  if (planned.rows === 0) return 'The file has no rows.';
  const target = { keyspace };
  if (kind === 'collection') {
    const options = collectionBody(collection);
    if (typeof options === 'string') return options;
    return { target, name: 'createCollection', body: { name, options } };
  }
  if (keys.length === 0) return 'Choose the column of the partition key.';
  const definition = parseJson(planned.plan.definition ?? '{}');
  return { target, name: 'createTable', body: { name, definition: isObject(definition) ? definition : {} } };
}
