// The document after a replacement.
import {
  isJsonObject,
  type JsonObject,
  type JsonText,
  type JsonValue,
} from '../../foundation/json/json-value.js';
import { parseJson } from '../../foundation/json/parse-json.js';

/** The document with its `_id` and the content of the replacement, which has no `_id`. */
export function replacedDocument(before: JsonObject, replacement: JsonText): JsonObject {
  const content = parseJson(replacement, { maxDepth: 100, maxNumberLength: 1_000 });
  if (!isJsonObject(content)) throw new TypeError('a replacement is an object');
  const next = new Map<string, JsonValue>();
  const id = before.get('_id');
  if (id !== undefined) next.set('_id', id);
  for (const [name, value] of content) next.set(name, value);
  return next;
}
