// What identifies a row or a document, as text in the address: the values of its key in the JSON of commands.
import { isObject, type Json, type JsonObject, memberAt, parseJson, writeJson } from '../json/exact-json.js';
import { identityOf } from './row-changes.js';
import { type Item, keyOf } from './schema.js';

/** Values that are objects in JSON; an object with another name that begins with `$` would be a filter. */
const typedValues = ['$binary', '$date', '$objectId', '$uuid'];

/** The identity of a row or document: `{"part":1,"at":"2024-12-31T23:59:59Z"}`, `{"_id":{"$uuid":"…"}}`. */
export function identityTextOf(item: Item, row: JsonObject): string {
  return writeJson(identityOf(item, row));
}

/** Reads an identity, or says what is wrong with it. */
export function readIdentity(item: Item, text: string): JsonObject | string {
  const { needed, optional } = namesOf(item);
  const wanted = `The address should have ${[...needed, ...optional].join(', ')} as JSON.`;
  const value = parsed(text);
  if (!isObject(value)) return `What stands there is not a JSON object. ${wanted}`;
  const names = Object.keys(value);
  const clustering = optional.filter((name) => names.includes(name));
  const isWhole = needed.every((name) => names.includes(name));
  // Only a row that has nothing but static columns is without its clustering columns, and then without all of them.
  const isKey = isWhole && (clustering.length === 0 || clustering.length === optional.length);
  if (!isKey || names.length !== needed.length + clustering.length)
    return `What stands there is not the key of ${item.name}. ${wanted}`;
  const filters = names.filter((name) => isFilter(memberAt(value, name)));
  return filters.length === 0 ? value : `${filters.join(', ')} should be a value. ${wanted}`;
}

/** Whether a row that was found by an identity is the one: the identity of a row of static columns finds others too. */
export function isOfIdentity(item: Item, identity: JsonObject, row: JsonObject): boolean {
  const missing = namesOf(item).optional.filter((name) => memberAt(identity, name) === undefined);
  return missing.every((name) => (memberAt(row, name) ?? null) === null);
}

function namesOf(item: Item): { readonly needed: readonly string[]; readonly optional: readonly string[] } {
  if (item.kind === 'collection') return { needed: ['_id'], optional: [] };
  const { partition, clustering } = keyOf(item.definition);
  return { needed: partition, optional: clustering };
}

function isFilter(value: Json | undefined): boolean {
  return (
    isObject(value) && Object.keys(value).some((name) => name.startsWith('$') && !typedValues.includes(name))
  );
}

function parsed(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
