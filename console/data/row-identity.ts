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
  const key = namesOf(item);
  const names = key.join(', ');
  const value = parsed(text);
  if (!isObject(value)) return `The address has no JSON object where the key belongs: ${names}.`;
  const given = Object.keys(value);
  if (given.length !== key.length || !key.every((name) => given.includes(name)))
    return `The address has another key than that of ${item.name}: ${names}.`;
  const filters = key.filter((name) => isFilter(memberAt(value, name)));
  return filters.length === 0
    ? value
    : `The address has an operator of filters in place of a value: ${filters.join(', ')}.`;
}

function namesOf(item: Item): readonly string[] {
  if (item.kind === 'collection') return ['_id'];
  const { partition, clustering } = keyOf(item.definition);
  return [...partition, ...clustering];
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
