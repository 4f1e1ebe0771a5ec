// Which numbers lose digits as the numbers of JavaScript and as the floats of Python.
import { isList, isNumber, isObject, type Json } from '../json/exact-json.js';

/** Whether the text of a number in JSON has more digits than a double keeps. */
export function isLong(text: string): boolean {
  return digitsOf(text) !== digitsOf(String(Number(text)));
}

/** Whether a text of a number in JSON is that of a whole number without an exponent. */
export function isWhole(text: string): boolean {
  return /^-?\d+$/.test(text);
}

/** The texts of the numbers in a value that a double does not keep. */
export function longNumbersIn(value: Json | undefined): readonly string[] {
  if (isNumber(value)) return isLong(String(value)) ? [String(value)] : [];
  if (isList(value)) return value.flatMap(longNumbersIn);
  return isObject(value) ? Object.values(value).flatMap(longNumbersIn) : [];
}

/** Sign, digits and power of ten in one form, so that equal numbers have equal texts. */
function digitsOf(text: string): string {
  const [, sign = '', whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const all = `${whole}${fraction}`.replace(/^0+/, '');
  const digits = all.replace(/0+$/, '');
  if (digits === '') return '0';
  return `${sign}${digits}e${Number(power) - fraction.length + all.length - digits.length}`;
}
