// The three errors about fields of a command: wrong type, wrong value, unknown field.

import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  jsonKind,
  stringifyJson,
} from '../../foundation/json/json-value.js';
import { shortened } from '../../foundation/text/shorten-text.js';
import { type ApiError, apiError } from './api-error.js';
import { counted } from './error-entry.js';

const shownLength = 1000;

/**
 * The JSON value has the wrong type for the field. `at` is a path such as `command.options`, `example` a valid value.
 */
export function structureMismatch(
  at: string,
  expected: string,
  found: JsonValue | undefined,
  example: string,
): ApiError {
  return apiError('request', 'REQUEST_STRUCTURE_MISMATCH', { at, expected, found: showJson(found), example });
}

/** The JSON value has the right type, but the field does not allow the value. */
export function invalidFieldValue(field: string, found: JsonValue | undefined, problem: string): ApiError {
  return apiError('request', 'COMMAND_FIELD_VALUE_INVALID', { field, value: showJson(found), problem });
}

/** @throws ApiError COMMAND_FIELD_UNKNOWN for the first member that is not known */
export function refuseUnknownMembers(json: JsonObject, at: string, known: readonly string[]): void {
  for (const field of json.keys()) {
    if (!known.includes(field)) throw apiError('request', 'COMMAND_FIELD_UNKNOWN', { field, at, known });
  }
}

/** A value in the form of messages: scalars as JSON, other values by their size. */
export function showJson(found: JsonValue | undefined): string {
  if (found === undefined) return 'absent';
  if (isJsonArray(found)) return `an array of ${counted(found.length, 'element')}`;
  if (isJsonObject(found)) return `an object of ${counted(found.size, 'member')}`;
  const text = stringifyJson(found);
  const shown = shortened(text, shownLength);
  return found === null ? shown : `the ${jsonKind(found)} ${shown}`;
}
