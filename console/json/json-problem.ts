// What is wrong with a text that should be JSON, and at which line and column.
import { parseJson } from './exact-json.js';

/** The mistake in a text, as `Line 3, column 7: Comma ',' expected after value but got '1'`; undefined for JSON. */
export function jsonProblem(text: string): string | undefined {
  try {
    parseJson(text);
    return undefined;
  } catch (error) {
    return problemAt(text, error instanceof Error ? error.message : String(error));
  }
}

/** The message with line and column in place of the position, which says nothing to those who look at the text. */
function problemAt(text: string, message: string): string {
  const found = / (?:encountered )?at position (\d+)$/.exec(message);
  if (found === null) return message;
  const before = text.slice(0, Number(found[1])).split('\n');
  const column = (before.at(-1)?.length ?? 0) + 1;
  return `Line ${before.length}, column ${column}: ${message.slice(0, found.index)}`;
}
