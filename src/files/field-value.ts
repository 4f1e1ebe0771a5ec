// Writes a field of a CSV file as the JSON value of a column or a member of a document, and a value as a field.
import {
  isJsonObject,
  JsonNumber,
  type JsonText,
  type JsonValue,
  stringifyJson,
} from '../foundation/json/json-value.js';
import { type GuessedType, timestampText } from './guess-type.js';
import { readJson } from './read-json.js';

/** The JSON of a field; undefined if the field cannot be a value of the type. */
export type WriteField = (field: string) => JsonText | undefined;

const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const noNumber = /^(?:NaN|-?Infinity)$/;
const truths: ReadonlyMap<string, JsonText> = new Map([
  ...['true', 't', 'yes', '1'].map((text) => [text, 'true'] as const),
  ...['false', 'f', 'no', '0'].map((text) => [text, 'false'] as const),
]);

const writeNumber: WriteField = (field) => (number.test(field) ? field : undefined);
const writeFloat: WriteField = (field) => (noNumber.test(field) ? `"${field}"` : writeNumber(field));
const writeText: WriteField = (field) => JSON.stringify(field);
const writeBoolean: WriteField = (field) => truths.get(field.toLowerCase());
const writeTimestamp: WriteField = (field) => {
  const text = timestampText(field);
  return text === undefined ? undefined : `"${text}"`;
};
const writeBinary: WriteField = (field) => `{"$binary":${JSON.stringify(field)}}`;
/** An object or array, as of a list or of a document. */
const writeJson: WriteField = (field) =>
  readJson(field) === undefined ? undefined : field.replace(/[\r\n]/g, ' ');

const writers: Readonly<Record<string, WriteField>> = {
  ...Object.fromEntries(
    ['tinyint', 'smallint', 'int', 'bigint', 'varint', 'decimal'].map((type) => [type, writeNumber]),
  ),
  float: writeFloat,
  double: writeFloat,
  boolean: writeBoolean,
  timestamp: writeTimestamp,
  blob: writeBinary,
  list: writeJson,
  set: writeJson,
  map: writeJson,
  userDefined: writeJson,
  // Or a text to embed.
  vector: (field) => (field.startsWith('[') ? writeJson(field) : writeText(field)),
};

/** The writer for a column with this type of the data service. */
export function columnWriter(type: string): WriteField {
  return writers[type] ?? writeText;
}

const memberWriters: Readonly<Partial<Record<GuessedType, WriteField>>> = {
  timestamp: (field) => {
    const text = timestampText(field);
    return text === undefined ? undefined : `{"$date":${Date.parse(text)}}`;
  },
  uuid: (field) => `{"$uuid":${JSON.stringify(field)}}`,
  date: writeText,
  json: writeJson,
};

/** The writer for a member of documents. */
export function memberWriter(type: GuessedType): WriteField {
  return memberWriters[type] ?? columnWriter(type);
}

/** A value as a field, without quotes; null for none. Dates of other years than 0 to 9999 are JSON. */
export function fieldText(value: JsonValue | undefined): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value;
  if (value instanceof JsonNumber) return value.text;
  if (!isJsonObject(value) || value.size !== 1) return stringifyJson(value);
  const [[name, inner] = ['', null]] = value;
  if (name === '$date' && inner instanceof JsonNumber)
    return dateText(Number(inner.text)) ?? stringifyJson(value);
  if (plainObjects.has(name) && typeof inner === 'string') return inner;
  return stringifyJson(value);
}

/** RFC 3339; undefined for years that it does not have. */
function dateText(ms: number): string | undefined {
  return ms >= firstDateMs && ms <= lastDateMs ? new Date(ms).toISOString() : undefined;
}

const firstDateMs = Date.parse('0000-01-01T00:00:00.000Z');
const lastDateMs = Date.parse('9999-12-31T23:59:59.999Z');
const plainObjects: ReadonlySet<string> = new Set(['$binary', '$uuid', '$objectId']);
