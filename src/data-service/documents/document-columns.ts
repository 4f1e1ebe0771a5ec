// The columns in which a document is stored. The reserved members are not in its text, so that a reply without them
// needs no parsing.
import {
  isJsonObject,
  type JsonObject,
  type JsonText,
  type JsonValue,
  stringifyJson,
} from '../../foundation/json/json-value.js';
import { parseJson } from '../../foundation/json/parse-json.js';
import { isReservedName } from './values.js';

/** A document in the form of its columns. */
export interface DocumentColumns {
  /** The JSON text without the reserved members. */
  readonly text: JsonText;
  /**
   * The reserved members as JSON; null if there are none. `true` is a value that another column contains: a vector
   * that was sent as `$binary`, the text of `$lexical`.
   */
  readonly reserved: JsonText | null;
  readonly vector: Float32Array | null;
  readonly lexical: string | null;
}

/** Stored texts were checked when they were written. */
const limits = { maxDepth: 100, maxNumberLength: 1_000 };

/** The columns of a whole document with its vector. */
export function toColumns(whole: JsonObject, vector: Float32Array | null): DocumentColumns {
  let reserved: Map<string, JsonValue> | undefined;
  let lexical: string | null = null;
  for (const [name, value] of whole) {
    if (!isReservedName(name)) continue;
    reserved ??= new Map();
    const isElsewhere =
      name === '$vector'
        ? vector !== null && isBinary(value)
        : name === '$lexical' && typeof value === 'string';
    if (name === '$lexical' && typeof value === 'string') lexical = value;
    reserved.set(name, isElsewhere ? true : value);
  }
  if (reserved === undefined) return { text: stringifyJson(whole), reserved: null, vector, lexical };
  const shown = new Map([...whole].filter(([name]) => !isReservedName(name)));
  return { text: stringifyJson(shown), reserved: stringifyJson(reserved), vector, lexical };
}

function isBinary(value: JsonValue): boolean {
  return value !== null && isJsonObject(value) && value.has('$binary');
}

/** What is read of the columns of a document. */
export interface ReadColumns extends Omit<DocumentColumns, 'vector'> {
  /** Undefined if the column was not read: then `true` is in place of a vector that was sent as `$binary`. */
  readonly vector: Float32Array | null | undefined;
}

/** The whole document of its columns. */
export function fromColumns({ text, reserved, vector, lexical }: ReadColumns): JsonObject {
  const document = parsedObject(text);
  if (reserved === null) return document;
  const whole = new Map(document);
  for (const [name, value] of parsedObject(reserved)) {
    if (value !== true) whole.set(name, value);
    else if (name === '$lexical') whole.set(name, lexical);
    else if (vector === undefined) whole.set(name, value);
    else if (vector !== null) whole.set(name, new Map([['$binary', toBinary(vector)]]));
  }
  return whole;
}

/**
 * Parses the text of a document that is stored.
 * @throws TypeError, JsonSyntaxError for a text that is damaged
 */
export function parsedObject(text: JsonText): JsonObject {
  const json = parseJson(text, limits);
  if (!isJsonObject(json)) throw new TypeError('a stored document is not an object');
  return json;
}

/** Base64 of the floats, most significant byte first. */
function toBinary(vector: Float32Array): string {
  const bytes = Buffer.allocUnsafe(vector.length * Float32Array.BYTES_PER_ELEMENT);
  for (const [at, element] of vector.entries())
    bytes.writeFloatBE(element, at * Float32Array.BYTES_PER_ELEMENT);
  return bytes.toString('base64');
}
