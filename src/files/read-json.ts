// Reads JSON in fields and lines of files.
import type { JsonValue } from '../foundation/json/json-value.js';
import { parseJson } from '../foundation/json/parse-json.js';

/** The JSON of a text; undefined if it is not JSON. */
export function readJson(text: string): JsonValue | undefined {
  try {
    return parseJson(text, { maxDepth: 100, maxNumberLength: Number.POSITIVE_INFINITY });
  } catch {
    return undefined;
  }
}
