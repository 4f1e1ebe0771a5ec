// Reads a long array of numbers in one go: vectors are thousands of digits, which are faster looked at as bytes.
import { type JsonArray, JsonNumber } from './json-value.js';

/** An array of numbers, and where it ends. */
export interface NumberRun {
  /** With `roughNumbers`. */
  readonly numbers: JsonArray;
  /** The place behind the last number and the space after it: that of the closing bracket. */
  readonly end: number;
}

/** More than `JsonArray.roughNumbers` are wrong by, as a share of a number. */
export const roughError = 2 ** -49;

/** Shorter ones are not worth a copy, longer ones not the memory of one. */
const lengths = { from: 128, to: 1 << 20 } as const;
/** Powers of ten that doubles hold exactly. */
const exactPowers = Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));
/** Where doubles have all their digits, with room to spare. */
const certain = { from: 1e-290, to: 1e290 } as const;

const encoder = new TextEncoder();
let scratch = scratchOf(1 << 14);

function scratchOf(length: number): { readonly bytes: Uint8Array; readonly view: DataView } {
  const bytes = new Uint8Array(length);
  return { bytes, view: new DataView(bytes.buffer) };
}

/** Whether a number begins here, which is what a run of them needs first. */
export function beginsNumber(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit === minus || (unit >= zero && unit <= nine);
}

/**
 * The numbers from one place, behind an opening bracket, to another, that of the next closing bracket. Undefined where
 * they are few or where anything except plain numbers is in between: then the caller must parse them.
 */
export function readNumberRun(
  text: string,
  from: number,
  end: number,
  maxNumberLength: number,
): NumberRun | undefined {
  const length = end - from;
  if (length < lengths.from || length > lengths.to) return undefined;
  if (scratch.bytes.length < length + 4) scratch = scratchOf(length * 2);
  const { written } = encoder.encodeInto(text.slice(from, end), scratch.bytes);
  // Other characters than those of ASCII would take more bytes.
  if (written !== length) return undefined;
  scratch.bytes[length] = 0; // so that nothing has to look whether there is more
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
  const { bytes, view } = scratch;
  const numbers: JsonNumber[] = [];
  const roughNumbers: number[] = [];
  let at = 0;
  for (;;) {
    const end = readNumber(bytes, view, at);
    if (end < 0 || end - at > maxNumberLength) return undefined;
    numbers.push(new JsonNumber(text.slice(from + at, from + end)));
    roughNumbers.push(lastRead[0] ?? 0);
    at = endOfSpace(bytes, end);
    if (at === length) return { numbers: Object.assign(numbers, { roughNumbers }), end: from + at };
    if (bytes[at] !== comma) return undefined;
    at = endOfSpace(bytes, at + 1);
  }
}

function endOfSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  for (let unit = bytes[at]; unit === 32 || unit === 10 || unit === 13 || unit === 9; ) unit = bytes[++at];
  return at;
}

/** What `readNumber` read. */
const lastRead = new Float64Array(1);
/** More than doubles hold. */
const mostDigits = 18;

/**
 * Gives where a number ends, its rough value in `lastRead`; -1 where there is none, or one with a long exponent. Behind
 * the point four digits are read at a time.
 */
function readNumber(bytes: Uint8Array, view: DataView, from: number): number {
  const isNegative = bytes[from] === minus;
  const first = isNegative ? from + 1 : from;
  let at = first;
  let mantissa = 0;
  let digits = 0;
  for (let digit = digitAt(bytes, at); isDigit(digit); digit = digitAt(bytes, ++at)) {
    if (digits < mostDigits) mantissa = mantissa * 10 + digit;
    if (mantissa > 0) digits += 1;
  }
  const whole = at - first;
  if (whole === 0 || (whole > 1 && bytes[first] === zero)) return -1;
  let scale = Math.max(0, digits - mostDigits);
  if (bytes[at] === dot) {
    const begin = ++at;
    if (mantissa === 0) while (bytes[at] === zero) at += 1;
    const end = at + Math.max(0, mostDigits - digits);
    while (at + 4 <= end) {
      const four = fourDigits(view.getUint32(at, true));
      if (four < 0) break;
      mantissa = mantissa * 10_000 + four;
      at += 4;
    }
    let digit = digitAt(bytes, at);
    for (; at < end && isDigit(digit); digit = digitAt(bytes, ++at)) mantissa = mantissa * 10 + digit;
    scale -= at - begin;
    while (isDigit(digit)) digit = digitAt(bytes, ++at);
    if (at === begin) return -1;
  }
  if (bytes[at] === 101 || bytes[at] === 69) {
    const end = endOfExponent(bytes, at + 1);
    if (end < 0) return -1;
    scale += exponentOf(bytes, at + 1, end);
    at = end;
  }
  const value = scaled(mantissa, scale);
  lastRead[0] = isNegative ? -value : value;
  return at;
}

function digitAt(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) - zero;
}

function isDigit(digit: number): boolean {
  return digit >= 0 && digit <= 9;
}

/** The number that four characters make, the first one in the lowest byte; -1 if one of them is not a digit. */
function fourDigits(characters: number): number {
  const digits = characters ^ 0x30303030;
  // More than nine in a byte shows in its upper half, at the latest when six more are added.
  if (((digits | (digits + 0x06060606)) & 0xf0f0f0f0) !== 0) return -1;
  const pairs = Math.imul(digits, 10) + (digits >>> 8); // in every other byte
  return (pairs & 0xff) * 100 + ((pairs >>> 16) & 0xff);
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
