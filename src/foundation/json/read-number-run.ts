// Reads a long array of numbers in one go: vectors are thousands of digits, which are faster looked at as bytes.
import { JsonNumber } from './json-value.js';

/** The elements of an array, and where it ends. */
export interface NumberRun {
  readonly numbers: readonly JsonNumber[];
  /** What each stands for, but for a share of `roughError`; NaN where that is not known. */
  readonly rough: readonly number[];
  /** The place behind the last number and the space after it: that of the closing bracket. */
  readonly end: number;
}

/** More than `NumberRun.rough` errs by, as a share of a number. */
export const roughError = 2 ** -49;

/** Shorter ones are not worth a copy, longer ones not the memory of one. */
const lengths = { from: 128, to: 1 << 20 } as const;
/** Powers of ten that doubles hold exactly. */
const exactPowers = Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));
/** Where doubles have all their digits, with room to spare. */
const certain = { from: 1e-290, to: 1e290 } as const;

const encoder = new TextEncoder();
let scratch = new Uint8Array(1 << 14);

/** Whether a number begins here, which is what a run of them needs first. */
export function beginsNumber(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit === minus || (unit >= zero && unit <= nine);
}

/**
 * The numbers from one place, behind an opening bracket, to another, that of the next closing bracket. Undefined where
 * they are few or where anything but plain numbers stands between: then somebody else has to look.
 */
export function readNumberRun(
  text: string,
  from: number,
  end: number,
  maxNumberLength: number,
): NumberRun | undefined {
  const length = end - from;
  if (length < lengths.from || length > lengths.to) return undefined;
  if (scratch.length <= length) scratch = new Uint8Array(length * 2);
  const { written } = encoder.encodeInto(text.slice(from, end), scratch);
  // Other characters than those of ASCII would take more bytes.
  if (written !== length) return undefined;
  scratch[length] = 0; // so that nothing has to look whether there is more
  return readBytes(text, from, length, maxNumberLength);
}

const plus = 43;
const comma = 44;
const minus = 45;
const dot = 46;
const zero = 48;
const nine = 57;

function readBytes(
  text: string,
  from: number,
  length: number,
  maxNumberLength: number,
): NumberRun | undefined {
  const numbers: JsonNumber[] = [];
  const rough: number[] = [];
  let at = 0;
  for (;;) {
    const end = readNumber(scratch, at);
    if (end < 0 || end - at > maxNumberLength) return undefined;
    numbers.push(new JsonNumber(text.slice(from + at, from + end)));
    rough.push(lastRead[0] ?? 0);
    at = endOfSpace(end);
    if (at === length) return { numbers, rough, end: from + at };
    if (scratch[at] !== comma) return undefined;
    at = endOfSpace(at + 1);
  }
}

function endOfSpace(from: number): number {
  let at = from;
  for (let unit = scratch[at]; unit === 32 || unit === 10 || unit === 13 || unit === 9; )
    unit = scratch[++at];
  return at;
}

/** What `readNumber` read. */
const lastRead = new Float64Array(1);

/** Gives where a number ends, its rough value in `lastRead`; -1 where there is none, or one with a long exponent. */
function readNumber(bytes: Uint8Array, from: number): number {
  const isNegative = bytes[from] === minus;
  const first = isNegative ? from + 1 : from;
  let at = first;
  let point = -1;
  // The first 17 digits: doubles hold no more. As two integers: that is faster.
  let high = 0;
  let low = 0;
  let significant = 0;
  for (; ; at += 1) {
    const digit = (bytes[at] ?? 0) - zero;
    if (digit >= 0 && digit <= 9) {
      if (significant < 9) high = (Math.imul(high, 10) + digit) | 0;
      else if (significant < 17) low = (Math.imul(low, 10) + digit) | 0;
      if (high > 0) significant += 1;
    } else if (digit === dot - zero && point < 0) point = at;
    else break;
  }
  const whole = (point < 0 ? at : point) - first;
  const decimals = point < 0 ? 0 : at - point - 1;
  if (whole === 0 || at === point + 1 || (whole > 1 && bytes[first] === zero)) return -1;
  let scale = Math.max(0, significant - 17) - decimals;
  if (bytes[at] === 101 || bytes[at] === 69) {
    const end = endOfExponent(bytes, at + 1);
    if (end < 0) return -1;
    scale += exponentOf(bytes, at + 1, end);
    at = end;
  }
  const mantissa = significant <= 9 ? high : high * powerOfTen(Math.min(significant, 17) - 9) + low;
  const value = scaled(mantissa, scale);
  lastRead[0] = isNegative ? -value : value;
  return at;
}

function endOfExponent(bytes: Uint8Array, from: number): number {
  const digits = bytes[from] === minus || bytes[from] === plus ? from + 1 : from;
  let at = digits;
  for (let unit = bytes[at] ?? 0; unit >= zero && unit <= nine; ) unit = bytes[++at] ?? 0;
  return at === digits || at > digits + 3 ? -1 : at;
}

function exponentOf(bytes: Uint8Array, from: number, end: number): number {
  const sign = bytes[from];
  let exponent = 0;
  for (let at = sign === minus || sign === plus ? from + 1 : from; at < end; at += 1) {
    exponent = exponent * 10 + (bytes[at] ?? 0) - zero;
  }
  return sign === minus ? -exponent : exponent;
}

function scaled(mantissa: number, scale: number): number {
  if (mantissa === 0) return 0;
  const power = powerOfTen(Math.abs(scale));
  const value = scale < 0 ? mantissa / power : mantissa * power;
  return value > certain.from && value < certain.to ? value : Number.NaN;
}

function powerOfTen(exponent: number): number {
  return exactPowers[exponent] ?? Number.NaN;
}
