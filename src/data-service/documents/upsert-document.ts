// The document that an upsert begins with: the equalities of its filter.
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../foundation/json/json-value.js';
import { extendedName } from './extended-values.js';
import { parsePath } from './path.js';
import { EditedDocument } from './updates/edited-document.js';

/**
 * The members that the filter requires to equal values, nested by their paths. The filter was parsed before.
 * @throws ApiError UNSUPPORTED_UPDATE_OPERATION_PATH if one path leads through the value of another one
 */
export function documentFromFilter(filter: JsonObject | undefined): JsonObject {
  const equalities = filter === undefined ? [] : equalitiesOf(filter);
  const ids = equalities.filter(([path]) => path === '_id');
  const edited = new EditedDocument(new Map());
  for (const [path, value] of [...ids, ...equalities.filter(([name]) => name !== '_id')])
    edited.set(parsePath(path), value);
  return edited.document;
}

function equalitiesOf(filter: JsonObject): readonly (readonly [path: string, value: JsonValue])[] {
  return [...filter].flatMap(([name, condition]) => {
    if (name === '$and')
      return isArray(condition)
        ? condition.flatMap((part) => (isObject(part) ? equalitiesOf(part) : []))
        : [];
    if (name.startsWith('$')) return [];
    const value = requiredValue(name, condition);
    return value === undefined ? [] : [[name, value] as const];
  });
}

function requiredValue(name: string, condition: JsonValue): JsonValue | undefined {
  if (!isObject(condition) || extendedName(condition) !== undefined || !hasOperators(condition))
    return condition;
  const equal = condition.get('$eq');
  if (equal !== undefined || name !== '_id') return equal;
  const ids = condition.get('$in');
  return ids !== undefined && isArray(ids) && ids.length === 1 ? ids[0] : undefined;
}

function hasOperators(condition: JsonObject): boolean {
  for (const name of condition.keys()) return name.startsWith('$');
  return false;
}

function isObject(value: JsonValue): value is JsonObject {
  return value !== null && typeof value === 'object' && isJsonObject(value);
}

function isArray(value: JsonValue): value is readonly JsonValue[] {
  return value !== null && typeof value === 'object' && isJsonArray(value);
}
