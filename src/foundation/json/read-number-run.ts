// Reads a long array of numbers at once: vectors have thousands of digits, which are faster to read as bytes.
import { type JsonArray, JsonNumber } from './json-value.js';

/** An array of numbers, and where it ends. */
export interface NumberRun {
  /** With `roughNumbers`. */
  readonly numbers: JsonArray;
  /** The offset of the closing bracket. */
  readonly end: number;
}

/** The maximum relative error of `JsonArray.roughNumbers`. */
export const roughError = 2 ** -49;

/** For shorter texts the copy costs more than it saves; longer ones would take too much memory for it. */
const lengths = { from: 128, to: 1 << 20 } as const;
/** Powers of ten that doubles represent exactly. */
const exactPowers = Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));
/** The range in which doubles have full precision, with a margin. */
const certain = { from: 1e-290, to: 1e290 } as const;

const encoder = new TextEncoder();
let scratch = scratchOf(1 << 14);

function scratchOf(length: number): { readonly bytes: Uint8Array; readonly view: DataView } {
  const bytes = new Uint8Array(length);
  return { bytes, view: new DataView(bytes.buffer) };
}

/** Whether a number begins here; otherwise there is no run. */
export function beginsNumber(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit === minus || (unit >= zero && unit <= nine);
}

/**
 * The numbers between two offsets: after an opening bracket, and at the next closing bracket. Undefined if they are few
 * or if there is anything except plain numbers: then the caller must parse them.
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
  // Characters outside ASCII would take more bytes.
  if (written !== length) return undefined;
  scratch.bytes[length] = 0; // a terminator, so that no loop checks for the end
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

/** The result of `readNumber`. */
const lastRead = new Float64Array(1);
/** More digits than doubles hold. */
const mostDigits = 18;

/**
 * Returns where a number ends, and puts its approximate value into `lastRead`; -1 if there is none, or one with a long
 * exponent. Reads four digits at a time after the point.
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

/** The number of four digits, the first one in the lowest byte; -1 if one of them is not a digit. */
function fourDigits(characters: number): number {
  const digits = characters ^ 0x30303030;
  // A byte above nine has bits in its upper half, either already or after six is added.
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
