// Reads arrays of column names.
import { isJsonArray, type JsonValue } from '../../foundation/json/json-value.js';
import { structureMismatch } from '../errors/request-problems.js';

/** The different names of an array; `path` is its place in the command.
 * @throws ApiError REQUEST_STRUCTURE_MISMATCH */
export function readNames(json: JsonValue, path: string): readonly string[] {
  if (!isJsonArray(json)) throw structureMismatch(path, 'an array of column names', json, '["age"]');
  const names = json.map((name) => {
    if (typeof name !== 'string') throw structureMismatch(path, 'an array of column names', name, '["age"]');
    return name;
  });
  return [...new Set(names)];
}
