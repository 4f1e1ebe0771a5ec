// Converts between 32-bit floats and text: parses with correct rounding, writes the shortest text.
import { roughError } from '../../foundation/json/read-number-run.js';
import { type NumberLiteral, readNumberLiteral } from './number-literal.js';

/** The midpoint between the greatest float and 2^128: from here on, numbers round to infinity. */
const overflowThreshold = 2 ** 128 - 2 ** 103;
const minNormalFloat = 2 ** -126;

/**
 * The float nearest to the number literal, ties to even; ±Infinity beyond the greatest float. `rough` is its value with
 * the relative error `roughError`, if the caller knows it, else NaN.
 */
export function nearestFloat(text: string, rough = Number.NaN): number {
  const nearest = Math.fround(rough);
  // The error of the rough value cannot change the result.
  const isSure =
    Math.fround(rough * (1 + roughError)) === nearest && Math.fround(rough * (1 - roughError)) === nearest;
  return isSure ? nearest : exactlyNearestFloat(text);
}

/** Rounding first to a double and then to a float would give a neighbouring float for some literals. */
function exactlyNearestFloat(text: string): number {
  const double = Number(text);
  const float = Math.fround(double);
  if (float === double) return float;
  if (Math.abs(double) === overflowThreshold) {
    const magnitude = compareMagnitudes(readNumberLiteral(text), overflowThreshold);
    return magnitude < 0 ? Math.sign(double) * (2 ** 128 - 2 ** 104) : float;
  }
  // Only if the double is the midpoint of two floats, it does not show on which side of it the literal is.
  const neighbour = float + 2 * (double - float);
  if (Math.fround(neighbour) !== neighbour) return float;
  const magnitude = compareMagnitudes(readNumberLiteral(text), Math.abs(double));
  if (magnitude === 0) return float;
  return magnitude > 0 === Math.abs(neighbour) > Math.abs(float) ? neighbour : float;
}

/**
 * A finite number in the form of replies: `text` is its shortest literal, to which `.0` is added if it is whole. Typed
 * clients read a number without a point as an integer.
 */
export function writtenFloat(value: number, text: string): string {
  return Number.isInteger(value) && /^-?\d+$/.test(text) ? `${text}.0` : text;
}

/** The shortest literal that `nearestFloat` reads as this float. The float is finite. */
export function shortestFloatText(float: number): string {
  if (float === 0) return Object.is(float, -0) ? '-0.0' : '0';
  const magnitude = Math.abs(float);
  if (magnitude < quickRange.from || magnitude >= quickRange.to) return searchedFloatText(float);
  // Six to nine digits: as integers, and divided again, they are exact enough that doubles round in the same way.
  const exponent = Math.floor(Math.log10(magnitude));
  for (let decimals = 5 - exponent; decimals <= 8 - exponent; decimals += 1) {
    const scale = powersOfTen[decimals] ?? 1;
    const rounded = Math.round(magnitude * scale) / scale;
    if (Math.fround(rounded) === magnitude) return String(float < 0 ? -rounded : rounded);
  }
  return searchedFloatText(float);
}

/**
 * The range in which a float's 24 bits times the power of ten for nine digits fit into a double; most elements of
 * vectors are in it.
 */
const quickRange = { from: 1e-4, to: 1e6 } as const;
/** Precomputed, because computing them each time would take longer than everything else. */
const powersOfTen = Array.from({ length: 13 }, (_, exponent) => 10 ** exponent);

/** For any float; four times slower than the method above. */
function searchedFloatText(float: number): string {
  // Six digits always distinguish normal floats, so no shorter text is possible; nine are always enough.
  const first = Math.abs(float) < minNormalFloat ? 1 : 6;
  for (let digits = first; digits < 9; digits += 1) {
    const rounded = Number(float.toPrecision(digits));
    if (Math.fround(rounded) === float) return String(rounded);
  }
  return String(eightDigitsAbove(float) ?? Number(float.toPrecision(9)));
}

/**
 * Below a power of two, floats are twice as close as above it: for six of them the nearest text of eight digits, which
 * is below, is parsed as the next lower float, but the next text of eight digits above is parsed as the float itself.
 */
function eightDigitsAbove(float: number): number | undefined {
  const [mantissa, exponent] = float.toExponential(7).split('e');
  const above = Number(`${(Number(mantissa) + Math.sign(float) * 1e-7).toFixed(7)}e${exponent}`);
  return Math.fround(above) === float ? above : undefined;
}

/** The exact order of the magnitudes of a literal and a positive double. */
function compareMagnitudes(literal: NumberLiteral, double: number): number {
  let mantissa = double;
  let binaryExponent = 0;
  for (; !Number.isInteger(mantissa); binaryExponent -= 1) mantissa *= 2;
  const left = BigInt(literal.digits) * scaled(10n, literal.exponent) * scaled(2n, -binaryExponent);
  const right = BigInt(mantissa) * scaled(10n, -literal.exponent);
  return left < right ? -1 : left > right ? 1 : 0;
}

function scaled(factor: bigint, exponent: number): bigint {
  return exponent > 0 ? factor ** BigInt(exponent) : 1n;
}
