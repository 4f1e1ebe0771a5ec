// The sort and the limits of findAndRerank.
import {
  isJsonObject,
  JsonNumber,
  type JsonObject,
  type JsonValue,
} from '../../../foundation/json/json-value.js';
import { apiError } from '../../errors/api-error.js';
import { invalidFieldValue, refuseUnknownMembers, structureMismatch } from '../../errors/request-problems.js';

/** What is searched for; absent parts are not searched. */
export interface HybridSort {
  /** The text to embed. */
  readonly vectorize: string | undefined;
  /** The value of `$vector`. */
  readonly vector: JsonValue | undefined;
  readonly lexical: string | undefined;
}

/** How many documents each search finds. */
export interface HybridLimits {
  readonly vector: number;
  readonly lexical: number;
}

const at = 'command.sort.$hybrid';
const usualLimit = 50;
const mostFound = 100;

/**
 * Reads `{"$hybrid": "text"}` or an object with `$vectorize`, `$vector` and `$lexical`.
 * @throws ApiError SORT_CLAUSE_INVALID, REQUEST_STRUCTURE_MISMATCH
 */
export function parseHybridSort(json: JsonValue | undefined): HybridSort {
  const hybrid = json === undefined || json === null ? undefined : memberOf(json);
  if (hybrid === undefined || hybrid === null)
    return { vectorize: undefined, vector: undefined, lexical: undefined };
  if (typeof hybrid === 'string')
    return { vectorize: given(hybrid), vector: undefined, lexical: given(hybrid) };
  if (!isJsonObject(hybrid))
    throw structureMismatch(at, 'a string or an object', hybrid, '{"$vectorize": "…", "$lexical": "…"}');
  const known = ['$vectorize', '$vector', '$lexical'];
  if ([...hybrid.keys()].some((name) => !known.includes(name)))
    throw structureMismatch(at, `an object of ${known.join(', ')}`, hybrid, '{"$vectorize": "…"}');
  return {
    vectorize: textOf(hybrid, '$vectorize'),
    vector: hybrid.get('$vector') ?? undefined,
    lexical: textOf(hybrid, '$lexical'),
  };
}

function memberOf(json: JsonValue): JsonValue | undefined {
  if (json === null || !isJsonObject(json))
    throw structureMismatch('command.sort', 'an object', json, '{"$hybrid": "…"}');
  if (json.size === 0) return undefined;
  const hybrid = json.get('$hybrid');
  if (hybrid === undefined || json.size > 1)
    throw apiError('sort', 'SORT_CLAUSE_INVALID', { problem: 'findAndRerank sorts by "$hybrid" alone' });
  return hybrid;
}

/** Blank texts are not used. */
function given(text: string): string | undefined {
  return text.trim() === '' ? undefined : text;
}

function textOf(json: JsonObject, name: string): string | undefined {
  const value = json.get(name) ?? null;
  if (value === null) return undefined;
  if (typeof value !== 'string') throw structureMismatch(`${at}.${name}`, 'a string', value, '"…"');
  return given(value);
}

/** Reads `hybridLimits`. @throws ApiError COMMAND_FIELD_VALUE_INVALID, REQUEST_STRUCTURE_MISMATCH */
export function parseHybridLimits(json: JsonValue | undefined): HybridLimits {
  const place = 'command.options.hybridLimits';
  if (json === undefined || json === null) return { vector: usualLimit, lexical: usualLimit };
  if (json instanceof JsonNumber) {
    const limit = limitOf(json, place);
    return { vector: limit, lexical: limit };
  }
  if (!isJsonObject(json))
    throw structureMismatch(place, 'a number or an object', json, '{"$vector": 50, "$lexical": 50}');
  refuseUnknownMembers(json, place, ['$vector', '$lexical']);
  return {
    vector: limitOf(json.get('$vector'), `${place}.$vector`),
    lexical: limitOf(json.get('$lexical'), `${place}.$lexical`),
  };
}

function limitOf(json: JsonValue | undefined, place: string): number {
  const limit = json instanceof JsonNumber ? Number(json.text) : Number.NaN;
  if (Number.isInteger(limit) && limit >= 1 && limit <= mostFound) return limit;
  throw invalidFieldValue(place, json ?? null, `it must be a whole number from 1 to ${mostFound}`);
}
