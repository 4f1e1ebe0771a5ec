// Paths of fields that clauses can name: ordinary ones, and the reserved members of the root.
import { InvalidPath, type Path, parsePath } from './path.js';
import { isReservedName } from './values.js';

/**
 * Reads the path of a field.
 * @throws InvalidPath as `parsePath`, and for other parts that begin with `$`, which no field does
 */
export function parseFieldPath(text: string): Path {
  const path = parsePath(text);
  if (isReservedName(text)) return path;
  const part = path.find((name) => name.startsWith('$'));
  if (part !== undefined)
    throw new InvalidPath(
      `no field has the name "${part}"; the only names that begin with "$" are $lexical, $vector and $vectorize`,
    );
  return path;
}
