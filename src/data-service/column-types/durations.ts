// The duration type: months, days and nanoseconds, which are not converted into each other.
import type { ColumnType } from './column-type.js';
import { driverLong, driverNumber, isObjectWith, unexpected } from './driver-values.js';
import { type Duration, formatDuration, isoDurationOf, parseDuration } from './duration-text.js';
import { expectString } from './expect-json.js';
import { ordinaryTraits } from './ordinary-traits.js';

export const duration: ColumnType<Duration> = {
  name: 'duration',
  help: 'a duration like P1Y2M3DT4H5M6.7S or 1y2mo3d4h5m6s7ms, as a string',
  input: { kind: 'word', example: '1y2mo3d4h5m6s' },
  parse: (json) => parseDuration(expectString(json, 'a duration as a string')),
  serialize: (value) => `"${formatDuration(value)}"`,
  extendedLiteral: (json) => (typeof json === 'string' ? isoDurationOf(json) : json),
  compare,
  sql: {
    columnType: 'BLOB',
    readsBigInt: false,
    encode: encodeOrdered,
    decode: (stored) => decodeOrdered(stored as Uint8Array), // what encode returned
  },
  cql: { type: 'duration', encode: encodeWire, fromDriver },
  // A month is longer or shorter than 30 days, so the order of durations is only for equality and sets, not for ranges.
  traits: { ...ordinaryTraits, key: false, range: false, index: 'none' },
  examples: {
    accepts: [
      ...['"-P178956970Y8M"', '"-P1Y2M3DT4H5M6.7S"', '"-1mo"', '"-2147483648d"', '"-P1D"'],
      ...[
        '"-PT2562047H47M16.854775808S"',
        '"-8h10m"',
        '"-1ns"',
        '"-0s"',
        '"1ns"',
        '"PT0.000000010S"',
        '"1\\u00b5s"',
      ],
      ...[
        '"2\\u03bcS"',
        '"3us"',
        '"1MS"',
        '"PT1.5S"',
        '"1m"',
        '"22h1ms"',
        '"PT2562047H47M16.854775807S"',
        '"P1D"',
      ],
      ...[
        '"1d24h"',
        '"1w"',
        '"P8D"',
        '"2147483647d"',
        '"1Mo"',
        '"P1Y"',
        '"12mo30d"',
        '"1Y2MO3W4D5H6M7S8MS9US10NS"',
      ],
      ...['"15mo10d"', '"P178956970Y7M2147483647DT2562047H47M16.854775807S"'],
    ],
    rejects: [
      ...[
        '"P"',
        '"PT"',
        '"P1DT"',
        '"-P"',
        '"-"',
        '""',
        '"1"',
        '"s"',
        '"P1W"',
        '"P1M1Y"',
        '"P1D1M"',
        '"P1Y1Y"',
      ],
      ...['"PT1M1H"', '"PT1H1H"', '"P1H"', '"PT1D"', '"P1.5D"', '"PT1.5H"', '"PT.5S"', '"PT1.S"', '"PT1,5S"'],
      ...['"PT0.0000000001S"', '"P-1D"', '"PT-1S"', '"+P1D"', '"p1d"', '"P1d"', '"P2024-01-01T00:00:00"'],
      ...[
        '"1h1d"',
        '"1h1h"',
        '"1ms1s"',
        '"1ns1us"',
        '"1.5h"',
        '"1h 2m"',
        '" 1h"',
        '"1h "',
        '"--1h"',
        '"1h-2m"',
      ],
      ...[
        '"1x"',
        '"+1h"',
        '"2147483648d"',
        '"2147483648mo"',
        '"178956971y"',
        '"-2147483649d"',
        '"306783379w"',
      ],
      ...[
        '"9223372036854775808ns"',
        '"-9223372036854775809ns"',
        '"2562048h"',
        '"99999999999999999999999999y"',
      ],
      ...['1', 'true', '[]', '{}'],
    ],
  },
};

/** By months, then days, then nanoseconds. */
function compare(left: Duration, right: Duration): number {
  if (left.months !== right.months) return left.months - right.months;
  if (left.days !== right.days) return left.days - right.days;
  if (left.nanoseconds === right.nanoseconds) return 0;
  return left.nanoseconds < right.nanoseconds ? -1 : 1;
}

/** Big-endian, each part moved up by half its range. */
function encodeOrdered({ months, days, nanoseconds }: Duration): Buffer {
  const bytes = Buffer.allocUnsafe(16);
  bytes.writeUInt32BE(months + 2 ** 31, 0);
  bytes.writeUInt32BE(days + 2 ** 31, 4);
  bytes.writeBigUInt64BE(nanoseconds + 2n ** 63n, 8);
  return bytes;
}

function decodeOrdered(stored: Uint8Array): Duration {
  const bytes = new DataView(stored.buffer, stored.byteOffset, stored.byteLength);
  return {
    months: bytes.getUint32(0) - 2 ** 31,
    days: bytes.getUint32(4) - 2 ** 31,
    nanoseconds: bytes.getBigUint64(8) - 2n ** 63n,
  };
}

function encodeWire({ months, days, nanoseconds }: Duration): Buffer {
  return Buffer.concat([BigInt(months), BigInt(days), nanoseconds].map(variableLength));
}

/** Cassandra's vint: zigzag, then as many leading ones in the first byte as bytes follow it. */
function variableLength(value: bigint): Buffer {
  let rest = BigInt.asUintN(64, (value << 1n) ^ (value >> 63n));
  let following = 0;
  while (following < 8 && rest >= 1n << BigInt(7 * (following + 1))) following += 1;
  const bytes = Buffer.alloc(following + 1);
  for (let at = following; at >= 0; at -= 1) {
    bytes[at] = Number(rest & 0xffn);
    rest >>= 8n;
  }
  bytes[0] = (bytes[0] ?? 0) | (0xff00 >> following);
  return bytes;
}

/** Reads the members of the driver's `Duration`, because its text rounds 23 months up to two years. */
function fromDriver(value: unknown): Duration {
  if (!isObjectWith(value, 'months') || !isObjectWith(value, 'days') || !isObjectWith(value, 'nanoseconds')) {
    throw unexpected('a Duration', value);
  }
  return {
    months: driverNumber(value.months),
    days: driverNumber(value.days),
    nanoseconds: driverLong(value.nanoseconds),
  };
}
