// The time type: a time of day to the nanosecond.
import { formatClock, readClock } from './civil-time.js';
import { type ColumnType, ValueMismatch } from './column-type.js';
import { unexpected } from './driver-values.js';
import { expectString, quoted } from './expect-json.js';
import { ordinaryTraits } from './ordinary-traits.js';

/** Values are nanoseconds since midnight: below 8.64 × 10^13, so numbers are exact. */
export const time: ColumnType<number> = {
  name: 'time',
  help: 'a time of day, HH:MM:SS with up to nine digits of fraction, as a string',
  input: { kind: 'word', example: '23:59:59.123' },
  parse(json) {
    const text = expectString(json, 'a time as a string');
    const value = nanosecondsOf(text);
    if (value !== undefined) return value;
    throw new ValueMismatch(`${quoted(text)} is not a time of the form HH:MM:SS[.nnnnnnnnn]`);
  },
  serialize: (value) => `"${format(value)}"`,
  // `HH:MM`, and a point without digits.
  extendedLiteral: (json) =>
    typeof json !== 'string' ? json : json.replace(/^\d\d:\d\d$/, '$&:00').replace(/^([\d:]{8})\.$/, '$1'),
  compare: (left, right) => left - right,
  sql: { columnType: 'INTEGER', readsBigInt: false, encode: (value) => value, decode: Number },
  cql: { type: 'time', encode, fromDriver },
  traits: ordinaryTraits,
  examples: {
    accepts: [
      ...[
        '"00:00:00"',
        '"00:00:00.000000001"',
        '"00:00:00.0000010"',
        '"00:00:00.001"',
        '"00:00:01"',
        '"00:01:00"',
      ],
      ...['"01:00:00"', '"10:15:30.1"', '"10:15:30.1234"', '"10:15:30.12345"', '"12:34:56.700000000"'],
      ...['"23:59:59"', '"23:59:59.999999999"'],
    ],
    rejects: [
      ...[
        '"24:00:00"',
        '"23:60:00"',
        '"23:59:60"',
        '"10:15"',
        '"10"',
        '"1:00:00"',
        '"10:15:3"',
        '"10:15:30."',
      ],
      ...[
        '"10:15:30.1234567890"',
        '"10:15:30.a"',
        '"10:15:30,1"',
        '"10:15:30Z"',
        '"10:15:30+01:00"',
        '"-01:00:00"',
      ],
      ...['"T10:15:30"', '" 10:15:30"', '"10:15:30 "', '"10-15-30"', '""', '36930', 'true', '[]', '{}'],
    ],
  },
};

const nanosecondsPerSecond = 1e9;

function nanosecondsOf(text: string): number | undefined {
  const seconds = readClock(text, 0);
  if (Number.isNaN(seconds)) return undefined;
  if (text.length === 8) return seconds * nanosecondsPerSecond;
  const fraction = text.slice(9);
  if (text[8] !== '.' || !/^\d{1,9}$/.test(fraction)) return undefined;
  return seconds * nanosecondsPerSecond + Number(fraction.padEnd(9, '0'));
}

/** The fraction, if any, in groups of three digits. */
function format(value: number): string {
  const seconds = Math.floor(value / nanosecondsPerSecond);
  const nanoseconds = value - seconds * nanosecondsPerSecond;
  const clock = formatClock(seconds);
  if (nanoseconds === 0) return clock;
  const digits = String(nanoseconds).padStart(9, '0');
  return `${clock}.${digits.slice(0, nanoseconds % 1_000_000 === 0 ? 3 : nanoseconds % 1000 === 0 ? 6 : 9)}`;
}

function encode(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeUInt32BE(Math.floor(value / 2 ** 32), 0);
  bytes.writeUInt32BE(value % 2 ** 32, 4);
  return bytes;
}

/** Reads the driver's `LocalTime`, whose text is a time without trailing zeros. */
function fromDriver(value: unknown): number {
  const nanoseconds = nanosecondsOf(String(value));
  if (nanoseconds === undefined) throw unexpected('a LocalTime', value);
  return nanoseconds;
}
