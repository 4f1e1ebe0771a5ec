// Reads whole numbers from number literals: `5`, `5.00` and `1.2e1` are whole, `1.5` and `"5"` are not.
import type { JsonValue } from '../../foundation/json/json-value.js';
import { ValueMismatch } from './column-type.js';
import { expectNumber } from './expect-json.js';
import { maxWrittenDigits, readNumberLiteral, wholeDigits } from './number-literal.js';

/** The minimum of a 64-bit signed integer. */
export const minInteger64 = -(2n ** 63n);
/** The maximum, 2^63 - 1. */
export const maxInteger64 = 2n ** 63n - 1n;

/**
 * A whole number within bounds that are safe integers.
 * @throws ValueMismatch
 */
export function parseSmallWhole(json: JsonValue, minimum: number, maximum: number): number {
  const text = expectNumber(json);
  const value = smallWholeOf(text) ?? Number(wholeOf(text, 20));
  if (value >= minimum && value <= maximum) return value;
  throw outside(text, minimum, maximum);
}

/**
 * A whole number of 64 bits, signed.
 * @throws ValueMismatch
 */
export function parseWhole64(json: JsonValue): bigint {
  const text = expectNumber(json);
  const small = smallWholeOf(text);
  if (small !== undefined) return BigInt(small);
  const value = wholeOf(text, 20);
  if (value !== undefined && value >= minInteger64 && value <= maxInteger64) return value;
  throw outside(text, minInteger64, maxInteger64);
}

/**
 * A whole number of up to `maxWrittenDigits` digits.
 * @throws ValueMismatch, of kind `limit` for more digits
 */
export function parseBigWhole(json: JsonValue): bigint {
  const text = expectNumber(json);
  const value = wholeOf(text, maxWrittenDigits);
  if (value !== undefined) return value;
  throw new ValueMismatch(`${text} has more than ${maxWrittenDigits} digits`, 'limit');
}

/** The value of a short literal, without parsing its digits; undefined if it must be parsed. */
function smallWholeOf(text: string): number | undefined {
  // A literal of 16 characters has at most 15 digits with a dot or an exponent, so that no fraction is rounded away;
  // zero may be an underflow.
  if (text.length > 16) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) && value !== 0 ? value : undefined;
}

/** @returns undefined beyond `maxDigits` digits */
function wholeOf(text: string, maxDigits: number): bigint | undefined {
  if (text.length <= maxDigits && /^-?\d+$/.test(text)) return BigInt(text);
  const literal = readNumberLiteral(text);
  if (literal.exponent < 0) throw new ValueMismatch(`${text} is not a whole number`);
  if (wholeDigits(literal) > maxDigits) return undefined;
  const magnitude = BigInt(literal.digits + '0'.repeat(literal.exponent));
  return literal.negative ? -magnitude : magnitude;
}

function outside(text: string, minimum: number | bigint, maximum: number | bigint): ValueMismatch {
  return new ValueMismatch(`${text} is outside the range ${minimum} to ${maximum}`);
}
