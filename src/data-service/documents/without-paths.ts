// A value without the members at some paths.
import { isJsonArray, isJsonObject, type JsonValue } from '../../foundation/json/json-value.js';
import { isArrayIndex, type Path } from './path.js';

/** The value without what is at the paths, which begin at the value. Elements of arrays stay; their members may not. */
export function withoutPaths(value: JsonValue, paths: readonly Path[]): JsonValue {
  return paths.reduce((rest: JsonValue, path) => withoutPath(rest, path, 0), value);
}

function withoutPath(value: JsonValue, path: Path, at: number): JsonValue {
  const part = path[at];
  if (part === undefined) return value;
  const isLast = at === path.length - 1;
  if (isJsonArray(value)) {
    const inside = isArrayIndex(part) ? value[Number(part)] : undefined;
    return inside === undefined || isLast
      ? value
      : value.with(Number(part), withoutPath(inside, path, at + 1));
  }
  if (!isJsonObject(value)) return value;
  const inside = value.get(part);
  if (inside === undefined) return value;
  const rest = new Map(value);
  if (isLast) rest.delete(part);
  else rest.set(part, withoutPath(inside, path, at + 1));
  return rest;
}
