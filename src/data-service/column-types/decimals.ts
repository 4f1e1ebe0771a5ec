// The decimal type: numbers of any scale, kept to the last digit; equal numbers are one value.
import type { JsonText, JsonValue } from '../../foundation/json/json-value.js';
import { type ColumnType, ValueMismatch } from './column-type.js';
import { driverInteger, isObjectWith, unexpected } from './driver-values.js';
import { expectNumber } from './expect-json.js';
import { endWithoutZeros, maxWrittenDigits, readNumberLiteral } from './number-literal.js';
import { ordinaryTraits } from './ordinary-traits.js';
import { twosComplement } from './varint-bytes.js';

/** `unscaled` × 10^-`scale`; `unscaled` does not end in zero, and zero has scale 0. */
export interface Decimal {
  readonly unscaled: bigint;
  readonly scale: number;
}

export const decimal: ColumnType<Decimal> = {
  name: 'decimal',
  help: 'a decimal number of up to 200,000 digits; a JSON number',
  input: { kind: 'decimal' },
  parse,
  serialize,
  compare,
  sql: {
    columnType: 'BLOB',
    readsBigInt: false,
    encode: encodeOrdered,
    decode: (stored) => decodeOrdered(stored as Uint8Array), // what encode returned
    serializeStored,
  },
  // 1.0 and 1.00 are equal.
  cql: { type: 'decimal', encode: encodeWire, fromDriver, hasSeveralForms: true },
  traits: ordinaryTraits,
  examples: {
    accepts: [
      ...['-1e199999', '-123456789012345678901234567890.5', '-100003', '-1e5', '-100', '-12.3', '-12.00003'],
      ...['-12', '-1.5', '-1', '-0.1', '-1e-50', '-1e-199999', '-0.0', '1e-199999', '1e-50', '0.00012'],
      ...[
        '0.1',
        '0.10000000000000000000000001',
        '1',
        '1.0000000000000000000000000000000000001',
        '1.10',
        '1.2',
      ],
      ...['12', '12.00003', '12.3', '1E+2', '100003', '12345678901234567890.1', '1e120000', '1e199999'],
    ],
    rejects: [
      ...[
        '1e200000',
        '-1e200000',
        '1.5e200000',
        '1e-200000',
        '1e99999999999999999999',
        '1e-99999999999999999999',
      ],
      ...['"1.5"', '"NaN"', 'true', '[]', '{}'],
    ],
  },
};

function parse(json: JsonValue): Decimal {
  const text = expectNumber(json);
  const { negative, digits, exponent } = readNumberLiteral(text);
  if (writtenDigits(digits.length, -exponent) > maxWrittenDigits) throw tooLong(text);
  const magnitude = BigInt(digits);
  return { unscaled: negative ? -magnitude : magnitude, scale: exponent === 0 ? 0 : -exponent };
}

/**
 * Writes all digits without an exponent, which clients with plain numbers and with big numbers read in the same way.
 */
function serialize({ unscaled, scale }: Decimal): JsonText {
  const { sign, digits } = signAndDigits(unscaled);
  return sign + writeDigits(digits, scale);
}

function writeDigits(digits: string, scale: number): JsonText {
  if (writtenDigits(digits.length, scale) > maxWrittenDigits) throw tooLong('the stored number');
  if (scale <= 0) return digits + '0'.repeat(-scale);
  const padded = digits.padStart(scale + 1, '0');
  return `${padded.slice(0, -scale)}.${padded.slice(-scale)}`;
}

function writtenDigits(digitCount: number, scale: number): number {
  return scale <= 0 ? digitCount - scale : Math.max(digitCount, scale + 1);
}

function tooLong(subject: string): ValueMismatch {
  return new ValueMismatch(`${subject} has more than ${maxWrittenDigits} digits when written out`, 'limit');
}

function compare(left: Decimal, right: Decimal): number {
  if (left.scale === right.scale) return order(left.unscaled, right.unscaled);
  const negative = left.unscaled < 0n;
  if (left.unscaled === 0n || right.unscaled === 0n || negative !== right.unscaled < 0n) {
    return order(left.unscaled, right.unscaled);
  }
  // Digits without trailing zeros, aligned at the first digit, compare like words.
  const leftDigits = signAndDigits(left.unscaled).digits;
  const rightDigits = signAndDigits(right.unscaled).digits;
  const leftPoint = leftDigits.length - left.scale;
  const rightPoint = rightDigits.length - right.scale;
  const magnitude = leftPoint === rightPoint ? order(leftDigits, rightDigits) : leftPoint - rightPoint;
  return negative ? -magnitude : magnitude;
}

function order<Value extends bigint | string>(left: Value, right: Value): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function signAndDigits(unscaled: bigint): { sign: '-' | ''; digits: string } {
  return unscaled < 0n
    ? { sign: '-', digits: (-unscaled).toString() }
    : { sign: '', digits: unscaled.toString() };
}

const signByte = { negative: 0, zero: 1, positive: 2 } as const;
/** The sign, then the position of the decimal point relative to the first digit, in six bytes with this offset. */
const headerLength = 7;
const pointOffset = 2 ** 40;
/** Greater than any two digits, so that -12 is above -12.3. */
const endOfNegative = 0xff;

/** Sign, position of the point, two digits per byte; for negative numbers each part is subtracted from its maximum. */
function encodeOrdered({ unscaled, scale }: Decimal): Buffer {
  if (unscaled === 0n) return Buffer.from([signByte.zero]);
  const { sign, digits } = signAndDigits(unscaled);
  const packed = Buffer.from(digits.length % 2 === 0 ? digits : `${digits}0`, 'hex');
  const point = digits.length - scale;
  const bytes = Buffer.allocUnsafe(headerLength + packed.length + (sign === '-' ? 1 : 0));
  bytes[0] = sign === '-' ? signByte.negative : signByte.positive;
  bytes.writeUIntBE(pointOffset + (sign === '-' ? -point : point), 1, 6);
  packed.copy(bytes, headerLength);
  if (sign === '-') {
    ninesComplement(bytes, bytes.length - 1);
    bytes[bytes.length - 1] = endOfNegative;
  }
  return bytes;
}

function decodeOrdered(stored: Uint8Array): Decimal {
  if (stored[0] === signByte.zero) return { unscaled: 0n, scale: 0 };
  const bytes = Buffer.from(stored);
  const negative = bytes[0] === signByte.negative;
  const end = negative ? bytes.length - 1 : bytes.length;
  if (negative) ninesComplement(bytes, end);
  const packed = bytes.toString('hex', headerLength, end);
  const digits = packed.slice(0, endWithoutZeros(packed));
  const point = (bytes.readUIntBE(1, 6) - pointOffset) * (negative ? -1 : 1);
  return { unscaled: negative ? -BigInt(digits) : BigInt(digits), scale: digits.length - point };
}

/** Positive numbers contain their digits unchanged. */
function serializeStored(bytes: string): JsonText {
  if (!bytes.startsWith('02')) return serialize(decodeOrdered(Buffer.from(bytes, 'hex')));
  const headerEnd = headerLength * 2;
  const digits = bytes.slice(headerEnd, endWithoutZeros(bytes));
  const point = Number.parseInt(bytes.slice(2, headerEnd), 16) - pointOffset;
  return writeDigits(digits, digits.length - point);
}

function ninesComplement(bytes: Buffer, end: number): void {
  for (let at = headerLength; at < end; at += 1) bytes[at] = 0x99 - (bytes[at] ?? 0);
}

function encodeWire({ unscaled, scale }: Decimal): Buffer {
  const scaleBytes = Buffer.allocUnsafe(4);
  scaleBytes.writeInt32BE(scale);
  return Buffer.concat([scaleBytes, twosComplement(unscaled)]);
}

/** Reads the members of the driver's `BigDecimal`, because its text would write out a huge exponent. */
function fromDriver(value: unknown): Decimal {
  if (!isObjectWith(value, '_intVal') || !isObjectWith(value, '_scale') || typeof value._scale !== 'number') {
    throw unexpected('a BigDecimal', value);
  }
  const unscaled = driverInteger(value._intVal);
  if (unscaled === 0n) return { unscaled, scale: 0 };
  const digits = unscaled.toString();
  const end = endWithoutZeros(digits);
  const zeros = digits.length - end;
  return zeros === 0
    ? { unscaled, scale: value._scale }
    : { unscaled: BigInt(digits.slice(0, end)), scale: value._scale - zeros };
}
