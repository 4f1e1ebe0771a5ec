// The numbers of documents: JSON literals, compared and written exactly.
import { type NumberLiteral, readNumberLiteral } from '../column-types/number-literal.js';
import { documentLimits } from './document-limits.js';

/** Literals of this length have so few digits that different ones have different doubles. */
const exactLength = 15;
/** Below it, doubles have fewer digits. */
const leastNormal = 2 ** -1022;
/** Longer numbers are written with an exponent in the texts of entries, which are stored. */
const canonicalLength = 40;

/** Compares two literals by their values; negative if the left one is smaller. */
export function compareNumbers(left: string, right: string): number {
  if (left === right) return 0;
  const [leftDouble, rightDouble] = [Number(left), Number(right)];
  // Rounding keeps the order.
  if (leftDouble < rightDouble) return -1;
  if (leftDouble > rightDouble) return 1;
  const isExact =
    left.length <= exactLength &&
    right.length <= exactLength &&
    Math.abs(leftDouble) >= leastNormal &&
    Number.isFinite(leftDouble);
  return isExact ? 0 : compareExactly(left, right);
}

function compareExactly(left: string, right: string): number {
  const [one, other] = [readNumberLiteral(left), readNumberLiteral(right)];
  const [oneSign, otherSign] = [signOf(one), signOf(other)];
  if (oneSign !== otherSign || oneSign === 0) return oneSign - otherSign;
  const [onePoint, otherPoint] = [one.digits.length + one.exponent, other.digits.length + other.exponent];
  if (onePoint !== otherPoint) return onePoint < otherPoint ? -oneSign : oneSign;
  // Digits without zeros at their ends, aligned at the first one, compare like words.
  if (one.digits === other.digits) return 0;
  return one.digits < other.digits ? -oneSign : oneSign;
}

function signOf({ negative, digits }: { readonly negative: boolean; readonly digits: string }): number {
  if (digits === '0') return 0;
  return negative ? -1 : 1;
}

/**
 * The literal in the form of stored documents, the same for equal numbers: `1.0` and `1e0` are `1`. It is not longer
 * than a literal of the allowed length, and has an exponent only if it would be longer without.
 */
export function plainNumber(text: string): string {
  if (text.length <= documentLimits.numberLength && isPlainInteger(text)) return text;
  const number = readNumberLiteral(text);
  const plain = withoutExponent(number, documentLimits.numberLength);
  if (plain !== undefined && plain.length <= documentLimits.numberLength) return plain;
  const usual = withExponent(number);
  if (usual.length <= documentLimits.numberLength) return usual;
  const shorter = usual.replace('+', '');
  const shortest = `${number.negative ? '-' : ''}${number.digits}E${number.exponent}`;
  return shorter.length < shortest.length ? shorter : shortest;
}

/** The literal in the form of stored entries, the same for equal numbers. */
export function canonicalNumber(text: string): string {
  if (text.length <= canonicalLength && isPlainInteger(text)) return text;
  const number = readNumberLiteral(text);
  return withoutExponent(number, canonicalLength) ?? withExponent(number);
}

/** Undefined if zeros would make it longer than so many digits. */
function withoutExponent(
  { negative, digits, exponent }: NumberLiteral,
  mostDigits: number,
): string | undefined {
  if (digits === '0') return '0';
  const sign = negative ? '-' : '';
  const point = digits.length + exponent;
  if (exponent >= 0) return point > mostDigits ? undefined : sign + digits + '0'.repeat(exponent);
  if (point > 0) return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
  if (digits.length - point > mostDigits) return undefined;
  return `${sign}0.${'0'.repeat(-point)}${digits}`;
}

/** `1.5E+99`. */
function withExponent({ negative, digits, exponent }: NumberLiteral): string {
  const fraction = digits.length > 1 ? `.${digits.slice(1)}` : '';
  const power = digits.length + exponent - 1;
  return `${negative ? '-' : ''}${digits.slice(0, 1)}${fraction}E${power < 0 ? '' : '+'}${power}`;
}

function isPlainInteger(text: string): boolean {
  return /^(?:0|-?[1-9][0-9]*)$/.test(text);
}
