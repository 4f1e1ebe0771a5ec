// The commands that insert, change and delete one row or document.
import { isObject, type Json, type JsonObject, memberAt, writeJson } from '../json/exact-json.js';
import type { Command, Target } from './command.js';
import { type Item, keyOf } from './schema.js';

/** What identifies a row or a document. */
export function identityOf(item: Item, row: JsonObject): JsonObject {
  if (item.kind === 'collection') return { _id: row['_id'] };
  const { partition, clustering } = keyOf(item.definition);
  return Object.fromEntries([...partition, ...clustering].map((name) => [name, row[name]]));
}

/** Reads one: of a document all of it, with what replies leave out. */
export function findOneCommand(item: Item, target: Target, row: JsonObject): Command {
  const projection = item.kind === 'collection' ? { projection: { '*': true } } : {};
  return { target, name: 'findOne', body: { filter: identityOf(item, row), ...projection } };
}

/** Inserts one, or each of a list: the reply then says which of them are stored. */
export function insertCommand(target: Target, documents: readonly Json[]): Command {
  const options = documents.length > 1 ? { options: { returnDocumentResponses: true } } : {};
  return { target, name: 'insertMany', body: { documents, ...options } };
}

export function deleteCommand(item: Item, target: Target, row: JsonObject): Command {
  return { target, name: 'deleteOne', body: { filter: identityOf(item, row) } };
}

/** Changes one into another, or says why it cannot be changed so. */
export function changeCommand(
  item: Item,
  target: Target,
  before: JsonObject,
  after: JsonObject,
): Command | string {
  const filter = identityOf(item, before);
  const thing = item.kind === 'table' ? 'row' : 'document';
  if (writeJson(identityOf(item, after)) !== writeJson(filter))
    return `${Object.keys(filter).join(', ')} identifies the ${thing} and cannot be changed.`;
  if (item.kind === 'collection') {
    if (writeJson(before) === writeJson(after)) return 'Nothing is changed yet.';
    // Without `upsert` nothing would be kept of a document that is gone by now; `doubtOf` asks before.
    const body = { filter, replacement: after, options: { upsert: true } };
    return { target, name: 'findOneAndReplace', body };
  }
  const $set: Record<string, Json> = {};
  const $unset: Record<string, Json> = {};
  for (const [name, value] of Object.entries(after)) {
    if (value === undefined || Object.hasOwn(filter, name) || name === '$similarity') continue;
    if (writeJson(value) !== writeJson(memberAt(before, name))) $set[name] = value;
  }
  for (const name of Object.keys(before))
    if (!Object.hasOwn(after, name) && name !== '$similarity') $unset[name] = '';
  const update = {
    ...(Object.keys($set).length === 0 ? {} : { $set }),
    ...(Object.keys($unset).length === 0 ? {} : { $unset }),
  };
  if (Object.keys(update).length === 0) return 'Nothing is changed yet.';
  return { target, name: 'updateOne', body: { filter, update } };
}

/** A row or document as it is edited: without what the server adds to it. */
export function editedOf(row: JsonObject): JsonObject {
  const { $similarity: _, $vector, ...rest } = row;
  // The vector of a text is made again with the text; sending both is refused.
  return $vector === undefined || rest['$vectorize'] !== undefined ? rest : { ...rest, $vector };
}

/** A value as a document to insert. */
export function isDocument(value: Json): value is JsonObject {
  return isObject(value);
}
