// A JSON value as it was sent: members keep their order, numbers keep their text.

/** An object: members in the order of the text, names unique. A `Map`, so that a name like `__proto__` or `7` is harmless. */
export type JsonObject = ReadonlyMap<string, JsonValue>;
export type JsonArray = readonly JsonValue[];
export type JsonValue = null | boolean | string | JsonNumber | JsonArray | JsonObject;

/** Text that is valid, compact JSON. */
export type JsonText = string;

/** A number literal, uninterpreted: 40 digits, `1e120000` and `-0` survive. */
export class JsonNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type JsonKind = 'null' | 'boolean' | 'string' | 'number' | 'array' | 'object';

/** The kind of a value, as messages name it. */
export function jsonKind(value: JsonValue): JsonKind {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'string') return 'string';
  if (value instanceof JsonNumber) return 'number';
  return isJsonArray(value) ? 'array' : 'object';
}

export function isJsonArray(value: JsonValue): value is JsonArray {
  return Array.isArray(value);
}

export function isJsonObject(value: JsonValue): value is JsonObject {
  return value instanceof Map;
}

/** Writes a value back as compact JSON; numbers keep the text they came with. */
export function stringifyJson(value: JsonValue): JsonText {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value);
  if (value instanceof JsonNumber) return value.text;
  if (isJsonArray(value)) return `[${value.map(stringifyJson).join(',')}]`;
  const members = [...value].map(([name, member]) => `${JSON.stringify(name)}:${stringifyJson(member)}`);
  return `{${members.join(',')}}`;
}
