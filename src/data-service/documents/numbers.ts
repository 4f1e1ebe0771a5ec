// The numbers of documents: JSON literals, compared and written exactly.
import { readNumberLiteral } from '../column-types/number-literal.js';

/** Literals of this length have so few digits that different ones have different doubles. */
const exactLength = 15;
/** Longer numbers are written with an exponent. */
const plainLength = 40;

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
    leftDouble !== 0 &&
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

/** The literal in the form of stored documents, the same for equal numbers: `1.0` and `1e0` are `1`. */
export function plainNumber(text: string): string {
  if (isPlainInteger(text)) return text;
  const { negative, digits, exponent } = readNumberLiteral(text);
  if (digits === '0') return '0';
  const sign = negative ? '-' : '';
  const point = digits.length + exponent;
  if (exponent >= 0 && point <= plainLength) return sign + digits + '0'.repeat(exponent);
  if (exponent < 0 && point > 0) return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
  if (exponent < 0 && digits.length - point <= plainLength) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  const fraction = digits.length > 1 ? `.${digits.slice(1)}` : '';
  return `${sign}${digits.slice(0, 1)}${fraction}E${point > 0 ? '+' : ''}${point - 1}`;
}

function isPlainInteger(text: string): boolean {
  return text.length <= plainLength && /^(?:0|-?[1-9][0-9]*)$/.test(text);
}
