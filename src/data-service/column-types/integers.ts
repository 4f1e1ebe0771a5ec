// The integer types: tinyint, smallint, int, bigint, varint and counter.
import type { SqlValue } from '../../foundation/sqlite/sql-value.js';
import type { ColumnType } from './column-type.js';
import { driverInteger, driverLong, driverNumber } from './driver-values.js';
import { ordinaryTraits } from './ordinary-traits.js';
import { decodeVarint, encodeVarint, twosComplement } from './varint-bytes.js';
import { parseBigWhole, parseSmallWhole, parseWhole64 } from './whole-numbers.js';

export const tinyint = smallInteger('tinyint', 1);
export const smallint = smallInteger('smallint', 2);
export const int = smallInteger('int', 4);

export const bigint: ColumnType<bigint> = integer64('bigint', 'a 64-bit integer');

/** Only the native query language changes counters; commands read them and filter by them. */
export const counter: ColumnType<bigint> = {
  ...integer64('counter', 'a 64-bit counter: read and filtered, never written'),
  traits: { ...ordinaryTraits, key: false, index: 'none', creatable: false },
  apiSupport: { createTable: false, insert: false, read: true, filter: true },
  isBareBesideRows: true,
  // An addition past the greatest number continues at the least, which Cassandra does, too.
  add: (stored, added) => BigInt.asIntN(64, (stored ?? 0n) + added),
};

export const varint: ColumnType<bigint> = {
  name: 'varint',
  help: 'an integer of any size up to 200,000 digits; a JSON number',
  input: { kind: 'integer' },
  parse: parseBigWhole,
  serialize: (value) => value.toString(),
  compare: compareIntegers,
  sql: {
    columnType: 'BLOB',
    readsBigInt: false,
    encode: encodeVarint,
    decode: (stored) => decodeVarint(stored as Uint8Array), // what encode returned
  },
  cql: { type: 'varint', encode: twosComplement, fromDriver: driverInteger },
  traits: ordinaryTraits,
  examples: {
    accepts: [
      '-1e199999',
      '-1234567890123456789012345678901234567890',
      '-9223372036854775809',
      '-65536',
      '-256',
      '-129',
      '-128',
      '-1.0',
      '0e999999',
      '1',
      '127',
      '128',
      '255',
      '256',
      '1.23E+06',
      '9223372036854775808',
      '1234567890123456789012345678901234567890',
      '1e120000',
      '1e199999',
    ],
    rejects: ['1.5', '1e-1', '1e200000', '-1e200000', '1e99999999999999999999', '"1"', 'true', '[]', '{}'],
  },
};

function smallInteger(name: string, sizeBytes: 1 | 2 | 4): ColumnType<number> {
  const maximum = 2 ** (8 * sizeBytes - 1) - 1;
  const minimum = -maximum - 1;
  return {
    name,
    help: `an integer from ${minimum} to ${maximum}; a JSON number`,
    input: { kind: 'integer', bits: 8 * sizeBytes },
    parse: (json) => parseSmallWhole(json, minimum, maximum),
    serialize: (value) => String(value),
    compare: (left, right) => left - right,
    sql: {
      columnType: 'INTEGER',
      readsBigInt: false,
      encode: (value) => value,
      decode: Number,
      serialized: (column) => column,
    },
    cql: {
      type: name,
      encode(value) {
        const bytes = Buffer.allocUnsafe(sizeBytes);
        bytes.writeIntBE(value, 0, sizeBytes);
        return bytes;
      },
      fromDriver: driverNumber,
    },
    traits: ordinaryTraits,
    examples: {
      accepts: [
        `${minimum}`,
        `${minimum + 1}.0`,
        '-2',
        '-1',
        '-0',
        '1',
        '5.00',
        '1.2e1',
        '1.23E+02',
        `${maximum}`,
      ],
      rejects: [
        ...[`${minimum - 1}`, `${maximum + 1}`, '1.5', '1e-1', '1e-400', '1e400', '1e999999999999999999999'],
        ...['1.000000000000000000001', '"5"', 'true', '[]', '{}'],
      ],
    },
  };
}

function integer64(name: string, meaning: string): ColumnType<bigint> {
  return {
    name,
    help: `${meaning}; a JSON number`,
    input: { kind: 'integer', bits: 64 },
    parse: parseWhole64,
    serialize: (value) => value.toString(),
    compare: compareIntegers,
    sql: {
      columnType: 'INTEGER',
      readsBigInt: true,
      encode: (value) => value,
      decode: decodeInteger64,
      serialized: (column) => column,
    },
    cql: { type: name, encode: encodeInteger64, fromDriver: driverLong },
    traits: ordinaryTraits,
    examples: {
      accepts: [
        ...['-9223372036854775808', '-9223372036854775807', '-9007199254740993', '-9007199254740992', '-1'],
        ...['-0.0', '1', '1.23E+02', '9007199254740992', '9007199254740993', '9223372036854775807.000'],
      ],
      rejects: [
        ...['-9223372036854775809', '9223372036854775808', '1e19', '1e400', '0.5', '9007199254740993.5'],
        ...['1e-999999999999999999999', '"1"', 'false', '[1]', '{}'],
      ],
    },
  };
}

function compareIntegers(left: bigint, right: bigint): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Reads a stored INTEGER, which is a number if no column of the row needs bigint. */
export function decodeInteger64(stored: Exclude<SqlValue, null>): bigint {
  return typeof stored === 'bigint' ? stored : BigInt(Number(stored));
}

/** Eight bytes, in Cassandra's form of bigint, counter and timestamp. */
export function encodeInteger64(value: bigint): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigInt64BE(value);
  return bytes;
}
