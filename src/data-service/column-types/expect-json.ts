// Checks that a literal has the JSON kind of its type.

import { JsonNumber, type JsonValue, jsonKind } from '../../foundation/json/json-value.js';
import { shortened } from '../../foundation/text/shorten-text.js';
import { ValueMismatch } from './column-type.js';

/**
 * The string itself.
 * @throws ValueMismatch when the value is not a string; `form` describes the expected string
 */
export function expectString(json: JsonValue, form = 'a string'): string {
  if (typeof json === 'string') return json;
  throw wrongKind(json, form);
}

/**
 * The text of a number literal.
 * @throws ValueMismatch when the value is not a number
 */
export function expectNumber(json: JsonValue, form = 'a number'): string {
  if (json instanceof JsonNumber) return json.text;
  throw wrongKind(json, form);
}

/** The mismatch of a value whose JSON kind is not that of its type. */
export function wrongKind(json: JsonValue, form: string): ValueMismatch {
  const kind = jsonKind(json);
  const found = kind === 'array' || kind === 'object' ? `an ${kind}` : `a ${kind}`;
  return new ValueMismatch(`expected ${form}, found ${kind === 'null' ? kind : found}`);
}

/** A text in the form of messages: as JSON, truncated after 60 characters. */
export function quoted(text: string): string {
  return JSON.stringify(shortened(text, 60));
}
