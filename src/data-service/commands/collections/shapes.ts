// Shapes that the commands on collections share.
import { isJsonObject, type JsonObject, type JsonValue } from '../../../foundation/json/json-value.js';
import { unsupportedType } from '../../documents/filter-problems.js';
import { invalidFieldValue, showJson } from '../../errors/request-problems.js';
import type { Shape } from '../shape.js';

/** A filter: an object; absent and null mean undefined. */
export const filterClause: Shape<JsonObject | undefined> = {
  wanted: 'an object of paths and conditions; optional',
  read(json) {
    if (json === undefined || json === null) return undefined;
    if (isJsonObject(json)) return json;
    throw unsupportedType(`it must be an object of paths and conditions, but is ${showJson(json)}`);
  },
};

/** A filter that must be sent, if only as `{}`. */
export const requiredFilter: Shape<JsonObject | undefined> = {
  wanted: 'an object of paths and conditions',
  read(json, at, problems) {
    if (json === undefined || json === null)
      problems.push(invalidFieldValue(at, json, 'it must not be null'));
    return filterClause.read(json, at, problems);
  },
};

/** Any JSON value, which must be there and not be null. */
export function requiredValue(wanted: string): Shape<JsonValue> {
  return {
    wanted,
    read(json, at, problems) {
      if (json === undefined || json === null)
        problems.push(invalidFieldValue(at, json, 'it must not be null'));
      return json ?? null;
    },
  };
}
