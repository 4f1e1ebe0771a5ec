// JSON whose numbers keep every digit: they stay texts from the reply to the screen and back into a request.
import { isLosslessNumber, LosslessNumber, parse, stringify } from 'lossless-json';

/** A JSON value as the server wrote it; numbers are `ExactNumber`. */
export type Json = null | boolean | string | ExactNumber | number | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: Json | undefined;
}

/** A number as its text in JSON. */
export type ExactNumber = LosslessNumber;

/** Parses JSON. @throws SyntaxError that names the position */
export function parseJson(text: string): Json {
  // The library types its result as unknown; what it makes of JSON is this type.
  return parse(text) as Json;
}

/** The object of a text; undefined for other JSON, and for texts that are not JSON. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Writes JSON; `indent` spaces for each level, or one line. */
export function writeJson(value: Json | undefined, indent = 0): string {
  return stringify(value, undefined, indent === 0 ? undefined : indent) ?? 'null';
}

/** Makes a number of its text, as `12345678901234567890`. @throws Error when the text is not a number of JSON */
export function exactNumber(text: string): ExactNumber {
  return new LosslessNumber(text);
}

/** Whether a value is a number. */
export function isNumber(value: unknown): value is ExactNumber | number {
  return typeof value === 'number' || isLosslessNumber(value);
}

/** Whether a value is an object of JSON: no list, no number. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);
}

/** Whether a value is a list. */
export function isList(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}

/** The member of an object at a path of names; undefined where there is none. */
export function memberAt(value: Json | undefined, ...names: readonly string[]): Json | undefined {
  let found = value;
  for (const name of names) {
    if (!isObject(found) || !Object.hasOwn(found, name)) return undefined;
    found = found[name];
  }
  return found;
}

/** The text of a value as people read it: texts without quotes, everything else as JSON. */
export function plainText(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : writeJson(value);
}

/** A small number of a reply, as a count; undefined when the value is something else. */
export function toCount(value: Json | undefined): number | undefined {
  return isNumber(value) ? Number(String(value)) : undefined;
}
