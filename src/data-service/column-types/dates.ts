// The date type: a day of the proleptic Gregorian calendar.
import { formatDate, maxDay, minDay, readDate } from './civil-time.js';
import { type ColumnType, ValueMismatch } from './column-type.js';
import { unexpected } from './driver-values.js';
import { expectString, quoted } from './expect-json.js';
import { ordinaryTraits } from './ordinary-traits.js';

/** Values are days since 1970-01-01, 32 bits signed. */
export const date: ColumnType<number> = {
  name: 'date',
  help: 'a day from -5877641-06-23 to +5881580-07-11; YYYY-MM-DD, as a string',
  input: { kind: 'date', example: '2024-12-31' },
  parse(json) {
    const text = expectString(json, 'a date as a string');
    const read = readDate(text);
    if (read === undefined || read.end !== text.length) {
      throw new ValueMismatch(`${quoted(text)} is not a date of the form YYYY-MM-DD`);
    }
    if (read.day >= minDay && read.day <= maxDay) return read.day;
    throw new ValueMismatch(`${text} is outside the range ${formatDate(minDay)} to ${formatDate(maxDay)}`);
  },
  serialize: (value) => `"${formatDate(value)}"`,
  compare: (left, right) => left - right,
  sql: { columnType: 'INTEGER', readsBigInt: false, encode: (value) => value, decode: Number },
  cql: { type: 'date', encode, fromDriver },
  traits: ordinaryTraits,
  examples: {
    accepts: [
      ...[
        '"-5877641-06-23"',
        '"-10000-12-31"',
        '"-9999-01-01"',
        '"-0001-12-31"',
        '"0000-01-01"',
        '"0000-02-29"',
      ],
      ...['"0000-03-01"', '"0001-01-01"', '"1582-10-10"', '"1900-02-28"', '"1900-03-01"', '"1969-12-31"'],
      ...['"1970-01-01"', '"2000-02-29"', '"2024-02-29"', '"2024-12-31"', '"9999-12-31"', '"+10000-01-01"'],
      ...['"+012345-06-07"', '"+5881580-07-11"'],
    ],
    rejects: [
      ...[
        '"-5877641-06-22"',
        '"+5881580-07-12"',
        '"+9999999999-01-01"',
        '"+99999999999-01-01"',
        '"2023-02-29"',
      ],
      ...['"1900-02-29"', '"2024-02-30"', '"2024-04-31"', '"2024-13-01"', '"2024-00-01"', '"2024-01-00"'],
      ...['"2024-01-32"', '"-0000-01-01"', '"-00000-01-01"', '"+2000-01-01"', '"10000-01-01"', '"999-01-01"'],
      ...[
        '"-999-01-01"',
        '"2024-1-01"',
        '"2024-01-1"',
        '"20240101"',
        '"2024-01-01T00:00:00Z"',
        '"2024/01/01"',
      ],
      ...[
        '" 2024-01-01"',
        '"2024-01-01 "',
        '"2024-01-0a"',
        '"٢٠٢٤-01-01"',
        '""',
        '20240101',
        '0',
        'true',
        '[]',
        '{}',
      ],
    ],
  },
};

const wireOffset = 2 ** 31;

function encode(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(value + wireOffset);
  return bytes;
}

/** Reads the driver's `LocalDate`. Its text has no `+`, and outside the range of Date it is the number of days. */
function fromDriver(value: unknown): number {
  if (typeof value !== 'object' || value === null) throw unexpected('a LocalDate', value);
  const text = String(value);
  if (/^-?\d+$/.test(text)) return Number(text);
  const read = readDate(/^\d{5}/.test(text) ? `+${text}` : text);
  if (read === undefined) throw unexpected('a LocalDate', value);
  return read.day;
}
