// Writes values as JSON text in which some numbers must keep their own text, such as 60.0.
import { JsonNumber, type JsonText } from './json-value.js';

/** Writes data as `JSON.stringify` does (undefined members are omitted), and every `JsonNumber` as its text. */
export function writeJson(value: unknown): JsonText {
  if (value instanceof JsonNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map((element) => writeJson(element ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null || hasOwnForm(value)) return JSON.stringify(value ?? null);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${JSON.stringify(name)}:${writeJson(member)}`);
  return `{${members.join(',')}}`;
}

/** A number that is written with a decimal point even when it is whole: 60 as `60.0`. Finite numbers only. */
export function decimalNumber(value: number): JsonNumber {
  const text = JSON.stringify(value);
  return new JsonNumber(/^-?\d+$/.test(text) ? `${text}.0` : text);
}

function hasOwnForm(value: object): boolean {
  return 'toJSON' in value && typeof value.toJSON === 'function';
}
