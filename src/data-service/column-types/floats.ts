// The floating-point types: float (32 bits) and double (64 bits).
import { JsonNumber, type JsonText, type JsonValue } from '../../foundation/json/json-value.js';
import { type ColumnType, ValueMismatch } from './column-type.js';
import { driverNumber } from './driver-values.js';
import { quoted, wrongKind } from './expect-json.js';
import { nearestFloat, shortestFloatText, writtenFloat } from './nearest-float.js';
import { ordinaryTraits } from './ordinary-traits.js';

/** Values are numbers that a 32-bit float holds exactly. */
export const float: ColumnType<number> = {
  name: 'float',
  help: 'a 32-bit floating-point number; a JSON number, or "NaN", "Infinity", "-Infinity"',
  input: { kind: 'float' },
  parse: (json) => parse(json, 'float', nearestFloat),
  serialize: serializeFloat,
  inContainer: {
    write: (value) => storedText(value, shortestFloatText),
    read: (json) => parse(json, 'float', nearestFloat),
    lacksPoints: true,
  },
  compare,
  sql: {
    columnType: 'INTEGER',
    readsBigInt: false,
    encode: orderedFloatBits,
    decode: (stored) => floatOfOrderedBits(Number(stored)),
  },
  cql: {
    type: 'float',
    encode(value) {
      const bytes = Buffer.allocUnsafe(4);
      bytes.writeFloatBE(value);
      return bytes;
    },
    fromDriver: driverNumber,
  },
  traits: ordinaryTraits,
  examples: {
    accepts: [
      ...[
        '"-Infinity"',
        '-3.4028235e38',
        '-1',
        '-1.1754944e-38',
        '-1e-45',
        '-0.0',
        '0',
        '1e-45',
        '1.1754944e-38',
      ],
      ...['0.1', '123.456', '16777216', '16777218', '3.4028234663852886e38', '"Infinity"', '"NaN"'],
    ],
    rejects: [
      ...['3.4028236e38', '-3.4028236e38', '1e39', '1e400', '1e99999999999999999999', '"1"', '"nan"', '""'],
      ...['"+Infinity"', 'true', '[]', '{}'],
    ],
  },
};

export const double: ColumnType<number> = {
  name: 'double',
  help: 'a 64-bit floating-point number; a JSON number, or "NaN", "Infinity", "-Infinity"',
  input: { kind: 'float' },
  parse: (json) => parse(json, 'double', Number),
  serialize: serializeDouble,
  inContainer: {
    write: (value) => storedText(value, String),
    read: (json) => parse(json, 'double', Number),
    lacksPoints: true,
  },
  compare,
  sql: {
    columnType: 'INTEGER',
    readsBigInt: true,
    encode: orderedDoubleBits,
    decode: (stored) => doubleOfOrderedBits(BigInt(stored as bigint | number)), // what encode returned, or as a number
    serializeStored: (digits) => serializeDouble(doubleOfOrderedBits(BigInt(digits))),
  },
  cql: {
    type: 'double',
    encode(value) {
      const bytes = Buffer.allocUnsafe(8);
      bytes.writeDoubleBE(value);
      return bytes;
    },
    fromDriver: driverNumber,
  },
  traits: ordinaryTraits,
  examples: {
    accepts: [
      ...[
        '"-Infinity"',
        '-1.7976931348623157e308',
        '-1e21',
        '-1',
        '-2.2250738585072014e-308',
        '-5e-324',
        '-0.0',
      ],
      ...['1e-400', '5e-324', '2.2250738585072014e-308', '0.1', '1', '9007199254740993', '9007199254740994'],
      ...['1.7976931348623157e308', '"Infinity"', '"NaN"'],
    ],
    rejects: [
      ...[
        '1.7976931348623159e308',
        '-1e309',
        '1e400',
        '1e99999999999999999999',
        '"1"',
        '"nan"',
        '"infinity"',
      ],
      ...['" NaN"', 'false', '[]', '{}'],
    ],
  },
};

function parse(json: JsonValue, name: string, nearest: (text: string) => number): number {
  if (json instanceof JsonNumber) {
    const value = nearest(json.text);
    if (Number.isFinite(value)) return value;
    throw new ValueMismatch(`${json.text} is outside the range of a ${name}`);
  }
  if (typeof json !== 'string') throw wrongKind(json, 'a number or one of "NaN", "Infinity", "-Infinity"');
  if (json === 'NaN') return Number.NaN;
  if (json === 'Infinity') return Number.POSITIVE_INFINITY;
  if (json === '-Infinity') return Number.NEGATIVE_INFINITY;
  throw new ValueMismatch(
    `${quoted(json)} is not "NaN", "Infinity" or "-Infinity"; write all other numbers without quotes`,
  );
}

function serializeFloat(value: number): JsonText {
  return Number.isFinite(value) ? writtenFloat(value, shortestFloatText(value)) : `"${value}"`;
}

function serializeDouble(value: number): JsonText {
  if (!Number.isFinite(value)) return `"${value}"`;
  return Object.is(value, -0) ? '-0.0' : writtenFloat(value, String(value));
}

/** Whole values have no point: data files have this form, and equal members must have equal texts. */
function storedText(value: number, textOf: (finite: number) => string): JsonText {
  if (!Number.isFinite(value)) return `"${value}"`;
  return Object.is(value, -0) ? '-0.0' : textOf(value);
}

/** The order of Java's Double.compare: -0 below 0, NaN greatest and equal to itself. */
function compare(left: number, right: number): number {
  if (left < right) return -1;
  if (left > right) return 1;
  if (left === right) return left === 0 ? Number(Object.is(right, -0)) - Number(Object.is(left, -0)) : 0;
  return Number(Number.isNaN(left)) - Number(Number.isNaN(right));
}

// Two views of the same memory give the bits of a number; synchronous code can share it.
const scratch = new DataView(new ArrayBuffer(8));

/** The bits as a signed integer; those of negative floats inverted, because they grow with the magnitude. */
function orderedFloatBits(value: number): number {
  scratch.setFloat32(0, Number.isNaN(value) ? Number.NaN : value);
  const bits = scratch.getInt32(0);
  return bits < 0 ? bits ^ 0x7fffffff : bits;
}

function floatOfOrderedBits(ordered: number): number {
  scratch.setInt32(0, ordered < 0 ? ordered ^ 0x7fffffff : ordered);
  return scratch.getFloat32(0);
}

/** Orders doubles as floats are ordered. The halves are inverted as numbers, so that only one bigint is created. */
function orderedDoubleBits(value: number): bigint {
  scratch.setFloat64(0, Number.isNaN(value) ? Number.NaN : value);
  turnNegativeOver();
  return scratch.getBigInt64(0);
}

function doubleOfOrderedBits(ordered: bigint): number {
  scratch.setBigInt64(0, ordered);
  turnNegativeOver();
  return scratch.getFloat64(0);
}

function turnNegativeOver(): void {
  const high = scratch.getInt32(0);
  if (high >= 0) return;
  scratch.setInt32(0, high ^ 0x7fffffff);
  scratch.setInt32(4, ~scratch.getInt32(4));
}
