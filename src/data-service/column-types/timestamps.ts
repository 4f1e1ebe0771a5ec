// The timestamp type: an instant to the millisecond.
import { isJsonObject, JsonNumber, type JsonText, type JsonValue } from '../../foundation/json/json-value.js';
import { formatClock, formatDate, readClock, readDate, twoDigitsAt } from './civil-time.js';
import { type ColumnType, ValueMismatch } from './column-type.js';
import { driverLong, unexpected } from './driver-values.js';
import { quoted, wrongKind } from './expect-json.js';
import { decodeInteger64, encodeInteger64 } from './integers.js';
import { ordinaryTraits } from './ordinary-traits.js';
import { maxInteger64, minInteger64, parseWhole64 } from './whole-numbers.js';

/** Values are milliseconds since 1970-01-01T00:00:00Z, 64 bits signed. */
export const timestamp: ColumnType<bigint> = {
  name: 'timestamp',
  help: 'an instant to the millisecond, RFC 3339 with Z or an offset, as a string, or {"$date": <milliseconds>}',
  input: { kind: 'timestamp', example: '2024-12-31T23:59:59Z' },
  parse,
  extendedLiteral,
  serialize,
  compare: (left, right) => (left < right ? -1 : left > right ? 1 : 0),
  sql: {
    columnType: 'INTEGER',
    readsBigInt: true,
    encode: (value) => value,
    decode: decodeInteger64,
    serializeStored,
  },
  cql: { type: 'timestamp', encode: encodeInteger64, fromDriver },
  traits: ordinaryTraits,
  examples: {
    accepts: [
      ...['{"$date":-9223372036854775808}', '"-271821-04-19T23:59:59.999Z"', '"-271821-04-20T00:00:00Z"'],
      ...[
        '"-0001-12-31T23:59:59.999Z"',
        '"0000-01-01T00:00:00Z"',
        '"1969-12-31T23:59:59.999Z"',
        '{"$date":-0}',
      ],
      ...['"1970-01-01T00:00:00.001Z"', '"1970-01-01T00:00:00.01Z"', '"1970-01-01T00:00:00.1Z"'],
      ...['"1970-01-01T01:00:00+00:00"', '"1970-01-01T01:00:00-01:30"', '"2021-11-21T15:34:44.123000+00:00"'],
      ...['{"$date":1.7e12}', '"2024-02-29T23:59:59.999-00:00"', '"9999-12-31T23:59:59.999Z"'],
      ...['"+10000-01-01T00:00:00Z"', '"+275760-09-13T00:00:00Z"', '"+275760-09-13T00:00:00.001Z"'],
      '"+292278994-08-17T07:12:55.807Z"',
    ],
    rejects: [
      ...[
        '"-292275055-05-16T16:47:04.191Z"',
        '"+292278994-08-17T07:12:55.808Z"',
        '{"$date":9223372036854775808}',
      ],
      ...[
        '{"$date":-9223372036854775809}',
        '{"$date":1.5}',
        '{"$date":"2024-01-01T00:00:00Z"}',
        '{"$date":null}',
      ],
      ...['{"$date":0,"x":0}', '{}', '"2024-01-01"', '"2024-01-01T00:00:00"', '"2024-01-01T00:00Z"'],
      ...[
        '"2024-01-01t00:00:00Z"',
        '"2024-01-01T00:00:00z"',
        '"2024-01-01 00:00:00Z"',
        '"2023-02-29T00:00:00Z"',
      ],
      ...[
        '"2024-01-01T24:00:00Z"',
        '"2024-01-01T00:00:60Z"',
        '"2024-01-01T00:60:00Z"',
        '"2024-01-01T00:00:00.Z"',
      ],
      ...['"2024-01-01T00:00:00.1234Z"', '"2024-01-01T00:00:00.123001Z"', '"2024-01-01T00:00:00,123Z"'],
      ...['"2024-01-01T00:00:00+0100"', '"2024-01-01T00:00:00+01"', '"2024-01-01T00:00:00+24:00"'],
      ...['"2024-01-01T00:00:00+01:60"', '"2024-01-01T00:00:00Z "', '"2024-01-01T00:00:00+01:00Z"'],
      ...['"+2024-01-01T00:00:00Z"', '"10000-01-01T00:00:00Z"', '"-0000-01-01T00:00:00Z"', '""'],
      ...['1704067200000', 'true', '[]'],
    ],
  },
};

function parse(json: JsonValue): bigint {
  if (typeof json === 'string') return parseText(json);
  if (!isJsonObject(json)) throw wrongKind(json, 'a timestamp as a string');
  const milliseconds = json.get('$date');
  if (milliseconds === undefined || milliseconds === null || json.size > 1) {
    throw new ValueMismatch('expected a timestamp as a string, or an object with only the member "$date"');
  }
  return parseWhole64(milliseconds);
}

/** Lower case, and fractions of milliseconds, which are cut. */
function extendedLiteral(json: JsonValue): JsonValue {
  if (typeof json === 'string')
    return json.toUpperCase().replace(/(T\d\d:\d\d:\d\d\.\d{3})\d{1,6}(?=[Z+-])/, '$1');
  if (!isJsonObject(json) || json.size !== 1) return json;
  const milliseconds = json.get('$date');
  if (!(milliseconds instanceof JsonNumber)) return json;
  const whole = Math.trunc(Number(milliseconds.text));
  // Numbers beyond 2^53 have no fraction that a double could represent, and all their digits count.
  return Number.isSafeInteger(whole) ? new Map([['$date', new JsonNumber(String(whole))]]) : json;
}

const millisecondsPerDay = 86_400_000;
/** From here on the product with `millisecondsPerDay` may exceed 2^53. */
const maxExactDay = 1e8;

function parseText(text: string): bigint {
  const date = readDate(text);
  const ofDay = readTimeBehind(date, text);
  if (date === undefined || Number.isNaN(ofDay)) {
    throw new ValueMismatch(`${quoted(text)} ${problemOf(text)}`);
  }
  if (Math.abs(date.day) < maxExactDay) return BigInt(date.day * millisecondsPerDay + ofDay);
  const value = BigInt(date.day) * BigInt(millisecondsPerDay) + BigInt(ofDay);
  if (value >= minInteger64 && value <= maxInteger64) return value;
  throw new ValueMismatch(
    `${quoted(text)} is outside the range ${serialize(minInteger64)} to ${serialize(maxInteger64)}`,
  );
}

/** The problem of a text that is not a timestamp; microseconds have a separate message. */
function problemOf(text: string): string {
  const cut = text.replace(/(\.\d{3})\d+/, '$1');
  return cut === text || Number.isNaN(readTimeBehind(readDate(cut), cut))
    ? 'is not a timestamp of the form YYYY-MM-DDTHH:MM:SS[.nnn]Z, or with an offset ±HH:MM instead of Z'
    : 'is more precise than a millisecond: the fraction can have at most three digits';
}

/** @returns milliseconds of the day in UTC, or NaN */
function readTimeBehind(date: ReturnType<typeof readDate>, text: string): number {
  return date && text[date.end] === 'T' ? readMillisecondsOfDay(text, date.end + 1) : Number.NaN;
}

/** Reads `HH:MM:SS[.n…]` and the offset, up to the end of the text. @returns milliseconds in UTC, or NaN */
function readMillisecondsOfDay(text: string, start: number): number {
  const seconds = readClock(text, start);
  let at = start + 8;
  let milliseconds = 0;
  if (text[at] === '.') {
    const first = at + 1;
    at = first;
    for (let digit = text.charCodeAt(at) - 48; digit >= 0 && digit <= 9; digit = text.charCodeAt(at) - 48) {
      if (at - first < 3) milliseconds += digit * 10 ** (2 - (at - first));
      else if (digit !== 0) return Number.NaN;
      at += 1;
    }
    if (at === first) return Number.NaN;
  }
  return seconds * 1000 + milliseconds - readOffsetMinutes(text, at) * 60_000;
}

/** RFC 3339: `Z`, or hours to 23 and minutes to 59. */
function readOffsetMinutes(text: string, at: number): number {
  const sign = text[at];
  if (sign === 'Z') return text.length === at + 1 ? 0 : Number.NaN;
  const hours = twoDigitsAt(text, at + 1);
  const minutes = twoDigitsAt(text, at + 4);
  const isOffset =
    (sign === '+' || sign === '-') &&
    hours <= 23 &&
    minutes <= 59 &&
    text[at + 3] === ':' &&
    text.length === at + 6;
  if (!isOffset) return Number.NaN;
  return sign === '-' ? -(hours * 60 + minutes) : hours * 60 + minutes;
}

function serialize(value: bigint): JsonText {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return serializeNumber(number);
  const length = BigInt(millisecondsPerDay);
  const ofDay = ((value % length) + length) % length;
  return writeInstant(Number((value - ofDay) / length), Number(ofDay));
}

/** Almost every instant is a safe integer. */
function serializeStored(digits: string): JsonText {
  const number = Number(digits);
  return Number.isSafeInteger(number) ? serializeNumber(number) : serialize(BigInt(digits));
}

function serializeNumber(milliseconds: number): JsonText {
  const day = Math.floor(milliseconds / millisecondsPerDay);
  return writeInstant(day, milliseconds - day * millisecondsPerDay);
}

function writeInstant(day: number, ofDay: number): JsonText {
  // Three digits with leading zeros, without the cost of padding.
  const fraction = String(1000 + (ofDay % 1000)).slice(1);
  return `"${formatDate(day)}T${formatClock(Math.floor(ofDay / 1000))}.${fraction}Z"`;
}

/** Reads a `Date`, or the 64-bit number of an instant outside the range of Date. */
function fromDriver(value: unknown): bigint {
  if (!(value instanceof Date)) return driverLong(value);
  const milliseconds = value.getTime();
  if (Number.isNaN(milliseconds)) throw unexpected('a Date', value);
  return BigInt(milliseconds);
}
