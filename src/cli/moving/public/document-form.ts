// Writes documents in one form, whichever server wrote them.
import {
  isJsonArray,
  JsonNumber,
  type JsonObject,
  type JsonText,
  type JsonValue,
} from '../../../foundation/json/json-value.js';
import { canonicalNumber, exactForm } from '../canonical-number.js';
import { insertableDocument } from '../collection-definition.js';

/**
 * The text of a document, which insertMany accepts: `_id` first, the other members in their order, `$vector` and the
 * like at the end, where servers differ. Equal numbers have the same text.
 */
export function documentInOneForm(document: JsonObject): JsonText {
  const members = [...insertableDocument(document)];
  const placed = [
    ...members.filter(([name]) => name === '_id'),
    ...members.filter(([name]) => name !== '_id' && !isReserved(name)),
    ...members.filter(([name]) => isReserved(name)).sort(([left], [right]) => (left < right ? -1 : 1)),
  ];
  return objectText(placed);
}

function isReserved(name: string): boolean {
  return name.startsWith('$');
}

function objectText(members: Iterable<readonly [name: string, value: JsonValue]>): JsonText {
  return `{${Array.from(members, ([name, value]) => `${JSON.stringify(name)}:${valueText(value)}`).join(',')}}`;
}

function valueText(value: JsonValue): JsonText {
  if (value instanceof JsonNumber) return canonicalNumber(value.text, exactForm);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (isJsonArray(value)) return `[${value.map(valueText).join(',')}]`;
  return objectText(value);
}
