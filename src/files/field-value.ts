// Writes a field of a CSV file as the JSON value of a column or a member of a document, and a value as a field.
import { describedType } from '../descriptions/type-description.js';
import {
  isJsonObject,
  JsonNumber,
  type JsonText,
  type JsonValue,
  quoteJson,
  stringifyJson,
} from '../foundation/json/json-value.js';
import type { GuessedType } from './guess-type.js';
import { type NumberFormat, readNumber } from './number-text.js';
import { readJson } from './read-json.js';
import { timestampText } from './timestamp-text.js';

/** The JSON of a field; undefined if the field cannot be a value of the type. */
export type WriteField = (field: string) => JsonText | undefined;

const noNumber = /^(?:NaN|-?Infinity)$/;
const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const date = /^\d{4}-\d\d-\d\d$/;
/** Years with a sign, as the data service writes those that RFC 3339 does not have. */
const otherYear = /^[+-]\d{4,9}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;
const truths: ReadonlyMap<string, JsonText> = new Map([
  ...['true', 't', 'yes', '1'].map((text) => [text, 'true'] as const),
  ...['false', 'f', 'no', '0'].map((text) => [text, 'false'] as const),
]);
const writeText: WriteField = quoteJson;
/** Writes an object or array, such as a list or a document. */
const writeJson: WriteField = (field) =>
  readJson(field) === undefined ? undefined : field.replace(/[\r\n]/g, ' ');

/** Writes decimal numbers of a format. */
function decimalWriter(numbers: NumberFormat): WriteField {
  return (field) => readNumber(field, numbers)?.text;
}

function floatWriter(numbers: NumberFormat): WriteField {
  return (field) => {
    const text = readNumber(field, numbers)?.text;
    if (text !== undefined) return Number.isFinite(Number(text)) ? text : undefined;
    return noNumber.test(field.trim()) ? `"${field.trim()}"` : undefined;
  };
}

/** Writes integers, which have no fraction except zeros. `bits`: their size if they have a range. */
function integerWriter(numbers: NumberFormat, bits: number | undefined): WriteField {
  const integer: WriteField = (field) => {
    const parts = readNumber(field, numbers);
    if (parts === undefined || parts.hasExponent) return parts?.text;
    const text = parts.text.replace(/\.0+$/, '');
    return text.includes('.') ? undefined : text;
  };
  if (bits === undefined) return integer;
  const digits = Math.floor((bits - 1) * 0.301);
  return (field) => {
    const text = integer(field);
    // A number with this few digits is in the range of its type.
    if (text === undefined || text.length <= digits || !/^-?\d+$/.test(text)) return text;
    const value = BigInt(text);
    return BigInt.asIntN(bits, value) === value ? text : undefined;
  };
}

/** The writer for a column with this type of the data service. */
export function columnWriter(type: string, numbers: NumberFormat): WriteField {
  const { kind, bits } = describedType(type);
  switch (kind) {
    case 'text':
      return writeText;
    case 'word':
    case 'date':
      return (field) => writeText(field.trim());
    case 'timestamp':
      return (field) => {
        const text = timestampText(field.trim()) ?? otherYear.exec(field.trim())?.[0];
        return text === undefined ? undefined : `"${text}"`;
      };
    case 'boolean':
      return (field) => truths.get(field.trim().toLowerCase());
    case 'integer':
      return integerWriter(numbers, bits);
    case 'decimal':
      return decimalWriter(numbers);
    case 'float':
      return floatWriter(numbers);
    case 'binary':
      return (field) => `{"$binary":${JSON.stringify(field)}}`;
    case 'json':
      return writeJson;
    case 'vector':
      // A field that is not a list is a text to embed.
      return (field) => (field.startsWith('[') ? writeJson(field) : writeText(field));
  }
}

const memberWriters: Readonly<Partial<Record<GuessedType, WriteField>>> = {
  timestamp: (field) => {
    const text = timestampText(field.trim());
    return text === undefined ? undefined : `{"$date":${Date.parse(text)}}`;
  },
  uuid: (field) => (uuid.test(field.trim()) ? `{"$uuid":${JSON.stringify(field.trim())}}` : undefined),
  date: (field) => {
    const day = field.trim();
    return date.test(day) && timestampText(day) !== undefined ? writeText(day) : undefined;
  },
  json: writeJson,
};

/** The writer for a member of documents. */
export function memberWriter(type: GuessedType, numbers: NumberFormat): WriteField {
  return memberWriters[type] ?? columnWriter(type, numbers);
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
