// Writes replies for assistants: JSON whose size is bounded.

import {
  isJsonArray,
  isJsonObject,
  JsonNumber,
  type JsonObject,
  type JsonText,
  type JsonValue,
  stringifyJson,
} from '../../foundation/json/json-value.js';
import { beginningOf } from '../../foundation/text/shorten-text.js';
import { type DataReply, errorText } from '../data-port.js';
import { elementsOf } from '../operations-port.js';
import { DataPortProblem } from '../port-problems.js';

/** Characters of a reply; more would fill the context of an assistant. */
const mostCharacters = 60_000;
/** Longer texts and lists of numbers are shortened. */
const mostTextLength = 4000;
const mostNumbers = 16;

/** The data and status of a reply. With `isWhole`, values are not shortened. @throws DataPortProblem for its errors */
export function replyText({ data, status, errors }: DataReply, isWhole = false): JsonText {
  if (errors.length > 0) throw new DataPortProblem(errors.map(errorText).join('\n'));
  const shorten = isWhole ? (value: JsonValue) => value : withoutLongParts;
  const facts = new Map<string, JsonValue>([...status].filter(([name]) => !isNoise.has(name)));
  const documents = isJsonArray(data.get('documents') ?? null)
    ? elementsOf(data.get('documents'))
    : undefined;
  const others = new Map([...data].filter(([name]) => name !== 'documents'));
  const shortened = [...others].map(([name, value]) => [name, shorten(value)] as const);
  // A list of numbers in the data is usually a vector; in the status it has the ids of inserted documents.
  const rest = new Map([...shortened, ...facts]);
  if (documents === undefined) return bounded(stringifyJson(rest));
  return documentsText(
    documents.map((document) => stringifyJson(shorten(document))),
    rest,
  );
}

/** Schemas of a reply, which would be repeated in every reply. */
const isNoise: ReadonlySet<string> = new Set(['projectionSchema', 'primaryKeySchema']);

function documentsText(documents: readonly JsonText[], rest: JsonObject): JsonText {
  const shown: JsonText[] = [];
  let length = stringifyJson(rest).length;
  for (const document of documents) {
    length += document.length + 1;
    if (length > mostCharacters && shown.length > 0) break;
    shown.push(document);
  }
  const left = documents.length - shown.length;
  const advice = 'use a smaller limit, a projection, or skip';
  const note =
    left === 0 ? '' : `,"note":"${left} more are left out, because the reply is too large: ${advice}"`;
  // The next page begins after those that are left out.
  const kept = [...rest].filter(([name]) => left === 0 || name !== 'nextPageState');
  const end = kept.length === 0 ? '}' : `,${stringifyJson(new Map(kept)).slice(1)}`;
  return bounded(`{"count":${shown.length},"documents":[${shown.join(',')}]${note}${end}`);
}

function bounded(text: JsonText): JsonText {
  if (text.length <= mostCharacters) return text;
  return `${beginningOf(text, mostCharacters)}… (${text.length - mostCharacters} more characters; use a projection)`;
}

function withoutLongParts(value: JsonValue): JsonValue {
  if (typeof value === 'string')
    return value.length <= mostTextLength
      ? value
      : `${beginningOf(value, mostTextLength)}… (${value.length} characters)`;
  if (isJsonArray(value)) {
    const isVector = value.length > mostNumbers && value.every((element) => element instanceof JsonNumber);
    return isVector ? `(${value.length} numbers)` : value.map(withoutLongParts);
  }
  if (isJsonObject(value))
    return new Map([...value].map(([name, member]) => [name, withoutLongParts(member)]));
  return value;
}

/** An object as compact JSON. */
export function objectText(members: Readonly<Record<string, JsonValue>>): JsonText {
  const object: JsonObject = new Map(Object.entries(members));
  return stringifyJson(object);
}
