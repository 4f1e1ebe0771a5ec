// The uuid types: uuid (every version) and timeuuid (version 1), in Cassandra's order, which is not that of the bytes.
import type { JsonText } from '../../foundation/json/json-value.js';
import { type ColumnType, ValueMismatch } from './column-type.js';
import { expectString, quoted } from './expect-json.js';
import { ordinaryTraits } from './ordinary-traits.js';

// Positions of the digits in a uuid with hyphens.
const timeLow = [0, 1, 2, 3, 4, 5, 6, 7];
const timeMid = [9, 10, 11, 12];
const version = 14;
const timeHigh = [15, 16, 17];
const node = [19, 20, 21, 22, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35];

/**
 * Digits from the most to the least significant: the version; then for version 1 the time, for others the digits as
 * written.
 */
const orderByTime = Uint8Array.from([version, ...timeHigh, ...timeMid, ...timeLow, ...node]);
const orderAsWritten = Uint8Array.from([version, ...timeLow, ...timeMid, ...timeHigh, ...node]);
const wireOrder = Uint8Array.from([...timeLow, ...timeMid, version, ...timeHigh, ...node]);

/** Values are lower-case dashed strings. */
export const uuid: ColumnType<string> = uuidType('uuid', {
  help: 'a UUID of any version, with hyphens, as a string',
  input: { kind: 'word', example: '123e4567-e89b-12d3-a456-426614174000' },
  isValid: () => true,
  signBit: 0,
  index: 'equality',
  creatable: true,
  examples: {
    accepts: [
      '"00000000-0000-0000-0000-000000000000"',
      '"ffffffff-ffff-0fff-ffff-ffffffffffff"',
      '"ffffffff-0000-1000-8000-000000000000"',
      '"00000000-0001-1000-0000-000000000000"',
      '"00000000-0000-1001-7f00-000000000000"',
      '"00000000-0000-1001-8000-000000000000"',
      '"00000000-0000-1001-8000-00000000007F"',
      '"00000000-0000-1001-8000-000000000080"',
      '"00000000-0000-4000-8000-000000000000"',
      '"123E4567-e89b-42d3-a456-426614174000"',
      '"123e4567-e89b-42d3-a456-426614174001"',
      '"f0000000-0000-4000-8000-000000000000"',
      '"018f3f3e-7b1a-7c3d-9f00-000000000001"',
      '"ffffffff-ffff-ffff-ffff-ffffffffffff"',
    ],
    rejects: [
      '"123e4567e89b42d3a456426614174000"',
      '"{123e4567-e89b-42d3-a456-426614174000}"',
      '"urn:uuid:123e4567-e89b-42d3-a456-426614174000"',
      '"123e4567-e89b-42d3-a456-42661417400"',
      '"123e4567-e89b-42d3-a456-4266141740000"',
      '"123e4567-e89b-42d3-a456-42661417400g"',
      '"123e4567-e89b42-d3-a456-426614174000"',
      '"123e4567-e89b-42d3-a456-426614174000\\n"',
      ...[
        '"1-1-1-1-1"',
        '""',
        '"not a uuid"',
        '1',
        'true',
        '[]',
        '{"$uuid":"123e4567-e89b-42d3-a456-426614174000"}',
      ],
    ],
  },
});

/** A uuid of version 1; existing columns can have this type. */
export const timeuuid: ColumnType<string> = uuidType('timeuuid', {
  help: 'a UUID of version 1, with hyphens, as a string',
  input: { kind: 'word' },
  isValid: (value) => value[version] === '1',
  // Cassandra compares the last eight bytes of a timeuuid as signed ones.
  signBit: 8,
  index: 'servesRanges',
  creatable: false,
  examples: {
    accepts: [
      '"00000000-0000-1000-8080-808080808080"',
      '"00000000-0000-1000-8080-80808080807F"',
      '"00000000-0000-1000-ff00-000000000000"',
      '"00000000-0000-1000-0000-000000000080"',
      '"00000000-0000-1000-0000-0000000000ff"',
      '"00000000-0000-1000-0000-000000000000"',
      '"00000000-0000-1000-7f7f-7f7f7f7f7f7f"',
      '"ffffffff-0000-1000-8000-000000000000"',
      '"00000000-0001-1000-8000-000000000000"',
      '"00000000-0000-1001-8000-000000000000"',
      '"13814000-1dd2-11b2-8000-000000000000"',
      '"ffffffff-ffff-1fff-7f7f-7f7f7f7f7f7f"',
    ],
    rejects: [
      '"123e4567-e89b-42d3-a456-426614174000"',
      '"00000000-0000-0000-0000-000000000000"',
      '"138140001dd211b28000000000000000"',
      ...['""', '1', 'true', '[]', '{}'],
    ],
  },
});

interface UuidTraits extends Pick<ColumnType, 'help' | 'input' | 'examples'> {
  isValid(value: string): boolean;
  /** The bit that is inverted in the first digit of each of the last eight bytes before they are compared. */
  readonly signBit: 0 | 8;
  readonly index: ColumnType['traits']['index'];
  readonly creatable: boolean;
}

const dashed = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function uuidType(
  name: string,
  { help, input, isValid, signBit, index, creatable, examples }: UuidTraits,
): ColumnType<string> {
  return {
    name,
    help,
    input,
    parse(json) {
      const given = expectString(json, 'a UUID as a string');
      if (!dashed.test(given))
        throw new ValueMismatch(`${quoted(given)} is not a UUID in the form with hyphens`);
      const value = given.toLowerCase();
      if (!isValid(value)) throw new ValueMismatch(`${quoted(given)} is not a UUID of version 1`);
      return value;
    },
    serialize: (value) => `"${value}"`,
    compare: (left, right) => compare(left, right, signBit),
    sql: {
      columnType: 'BLOB',
      readsBigInt: false,
      encode: (value) => pack(value, orderOf(value.charCodeAt(version)), signBit),
      decode: (stored) => unpack(stored as Uint8Array, signBit), // what encode returned
      ...(signBit === 0 ? { serializeStored: serializeDigits } : {}),
    },
    cql: { type: name, encode: (value) => pack(value, wireOrder, 0), fromDriver: (value) => String(value) },
    traits: { ...ordinaryTraits, index, creatable },
    ...(creatable ? {} : { apiSupport: { createTable: false, insert: true, read: true, filter: true } }),
    examples,
  };
}

const codeOfOne = 49;

function orderOf(versionCode: number): Uint8Array {
  return versionCode === codeOfOne ? orderByTime : orderAsWritten;
}

function compare(left: string, right: string, signBit: 0 | 8): number {
  if (left === right) return 0;
  const order = orderOf(left.charCodeAt(version));
  for (let at = 0; at < 32; at += 1) {
    const position = order[at] ?? 0;
    const difference = digitAt(left, position) - digitAt(right, position);
    if (difference === 0) continue;
    const isSigned = signBit !== 0 && at >= 16 && at % 2 === 0;
    return isSigned ? (digitAt(left, position) ^ signBit) - (digitAt(right, position) ^ signBit) : difference;
  }
  return 0;
}

/** Two digits per byte, in the given order. */
function pack(value: string, order: Uint8Array, signBit: 0 | 8): Buffer {
  const bytes = Buffer.allocUnsafe(16);
  for (let at = 0; at < 16; at += 1) {
    const high = digitAt(value, order[2 * at] ?? 0);
    const low = digitAt(value, order[2 * at + 1] ?? 0);
    bytes[at] = (at >= 8 ? (high ^ signBit) << 4 : high << 4) | low;
  }
  return bytes;
}

/** Converts packed digits, none of which is inverted, to the form with hyphens. */
function serializeDigits(packed: string): JsonText {
  const digits = packed.toLowerCase();
  const isByTime = digits.startsWith('1');
  const low = isByTime ? digits.slice(8, 16) : digits.slice(1, 9);
  const mid = isByTime ? digits.slice(4, 8) : digits.slice(9, 13);
  const high = isByTime ? digits.slice(1, 4) : digits.slice(13, 16);
  return `"${low}-${mid}-${digits.slice(0, 1)}${high}-${digits.slice(16, 20)}-${digits.slice(20)}"`;
}

const dash = 45;
const digitCodes = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));
/** A buffer for the form with hyphens; every call overwrites it. */
const characters = Buffer.alloc(36, dash);

function unpack(bytes: Uint8Array, signBit: 0 | 8): string {
  const order = orderOf(digitCodes[(bytes[0] ?? 0) >> 4] ?? 0);
  for (let at = 0; at < 16; at += 1) {
    const byte = bytes[at] ?? 0;
    const high = at >= 8 ? (byte >> 4) ^ signBit : byte >> 4;
    characters[order[2 * at] ?? 0] = digitCodes[high] ?? 0;
    characters[order[2 * at + 1] ?? 0] = digitCodes[byte & 15] ?? 0;
  }
  return characters.toString('latin1');
}

/** The value of a lower-case hexadecimal digit. */
function digitAt(text: string, position: number): number {
  const code = text.charCodeAt(position);
  return code <= 57 ? code - 48 : code - 87;
}
