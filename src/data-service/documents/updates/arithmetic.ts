// Exact sums and products of the numbers of documents.
import { readNumberLiteral } from '../../column-types/number-literal.js';
import { documentLimits } from '../document-limits.js';
import { plainNumber } from '../numbers.js';
import { invalidParameter } from './update-problems.js';

/** Operands whose exponents differ by more have no sum of an allowed length. */
const mostSpread = 400;

/** @throws ApiError UNSUPPORTED_UPDATE_OPERATION_PARAM for a result of too many digits */
export function addNumbers(left: string, right: string): string {
  const sum = Number(left) + Number(right);
  if (isSafe(left) && isSafe(right) && Number.isSafeInteger(sum)) return String(sum);
  const [one, other] = [decimalOf(left), decimalOf(right)];
  if (one.unscaled === 0n) return plainNumber(right);
  if (other.unscaled === 0n) return plainNumber(left);
  const exponent = Math.min(one.exponent, other.exponent);
  if (Math.max(one.exponent, other.exponent) - exponent > mostSpread) throw tooLong();
  const scaled = (each: Decimal) => each.unscaled * 10n ** BigInt(each.exponent - exponent);
  return written(scaled(one) + scaled(other), exponent);
}

/** The product of two numbers, in the form of sums. */
export function multiplyNumbers(left: string, right: string): string {
  const product = Number(left) * Number(right);
  if (isSafe(left) && isSafe(right) && Number.isSafeInteger(product) && product !== 0) return String(product);
  const [one, other] = [decimalOf(left), decimalOf(right)];
  return written(one.unscaled * other.unscaled, one.exponent + other.exponent);
}

function isSafe(text: string): boolean {
  return /^-?\d{1,15}$/.test(text);
}

interface Decimal {
  readonly unscaled: bigint;
  readonly exponent: number;
}

function decimalOf(text: string): Decimal {
  const { negative, digits, exponent } = readNumberLiteral(text);
  return { unscaled: negative ? -BigInt(digits) : BigInt(digits), exponent };
}

function written(unscaled: bigint, exponent: number): string {
  const text = plainNumber(`${unscaled}e${exponent}`);
  if (text.length > documentLimits.numberLength) throw tooLong();
  return text;
}

function tooLong(): Error {
  return invalidParameter(`the result would have more than ${documentLimits.numberLength} characters`);
}
