// Operands of filters on documents: checks them before they are compared.
import {
  isJsonArray,
  isJsonObject,
  type JsonArray,
  JsonNumber,
  type JsonValue,
} from '../../foundation/json/json-value.js';
import { readNumberLiteral } from '../column-types/number-literal.js';
import { apiError } from '../errors/api-error.js';
import { showJson } from '../errors/request-problems.js';
import { extendedName, whyNotExtended } from './extended-values.js';
import { invalidExpression } from './filter-problems.js';

/** The maximum number of values of `$in` and `$nin`. */
const maxListValues = 100;

/** Where an operand is, for messages. */
export interface OperandPlace {
  readonly operator: string;
  /** The path as it was sent. */
  readonly pathText: string;
}

/**
 * The operand of an equality.
 * @throws ApiError SHRED_BAD_EJSON_VALUE for an extended value, FILTER_INVALID_EXPRESSION for one inside of the operand
 */
export function readValue(json: JsonValue, place: OperandPlace): JsonValue {
  const name = json !== null && isJsonObject(json) ? extendedName(json) : undefined;
  if (name === undefined || json === null || !isJsonObject(json)) return checkInside(json, place);
  const problem = whyNotExtended(name, json.get(name) ?? null);
  if (problem !== undefined)
    throw apiError('document', 'SHRED_BAD_EJSON_VALUE', {
      problem: `${problem} (in the filter on ${shown(place)})`,
    });
  return json;
}

/**
 * The operand of a range: a scalar that has an order.
 * @throws ApiError as `readValue`, and FILTER_INVALID_EXPRESSION for other values
 */
export function readBound(json: JsonValue, place: OperandPlace, isId: boolean): JsonValue {
  const isPlain = typeof json === 'string' || typeof json === 'boolean' || json instanceof JsonNumber;
  if (isPlain) return json;
  const name = json !== null && isJsonObject(json) ? extendedName(json) : undefined;
  if (name === '$date' || (isId && (name === '$uuid' || name === '$objectId'))) return readValue(json, place);
  const idForms = isId ? ', {"$uuid": "…"}, {"$objectId": "…"}' : '';
  throw invalidExpression(
    `${shown(place)} needs a string, a number, a boolean, {"$date": …}${idForms}, but has ${showJson(json)}`,
  );
}

/**
 * The operand of `$in` and `$nin`.
 * @throws ApiError FILTER_INVALID_EXPRESSION
 */
export function readList(json: JsonValue, place: OperandPlace): JsonArray {
  const list = readArray(json, place);
  if (list.length > maxListValues) {
    throw invalidExpression(
      `${shown(place)} has ${list.length} values; at most ${maxListValues} are allowed`,
    );
  }
  return list;
}

/**
 * The operand of `$all`.
 * @throws ApiError FILTER_INVALID_EXPRESSION
 */
export function readElements(json: JsonValue, place: OperandPlace): JsonArray {
  const list = readArray(json, place);
  if (list.length === 0) throw invalidExpression(`${shown(place)} needs at least one value`);
  return list;
}

function readArray(json: JsonValue, place: OperandPlace): JsonArray {
  if (!isJsonArray(json))
    throw invalidExpression(`${shown(place)} needs an array, but has ${showJson(json)}`);
  for (const element of json) checkInside(element, place);
  return json;
}

/** @throws ApiError FILTER_INVALID_EXPRESSION */
export function readBoolean(json: JsonValue, place: OperandPlace): boolean {
  if (typeof json === 'boolean') return json;
  throw invalidExpression(`${shown(place)} needs true or false, but has ${showJson(json)}`);
}

/**
 * A number of elements; no array has more than the greatest result.
 * @throws ApiError FILTER_INVALID_EXPRESSION
 */
export function readSize(json: JsonValue, place: OperandPlace): number {
  if (json instanceof JsonNumber) {
    const { negative, digits, exponent } = readNumberLiteral(json.text);
    if (exponent >= 0 && (!negative || digits === '0'))
      return Math.min(Math.abs(Number(json.text)), Number.MAX_SAFE_INTEGER);
  }
  throw invalidExpression(`${shown(place)} needs an integer of at least 0, but has ${showJson(json)}`);
}

function checkInside(json: JsonValue, place: OperandPlace): JsonValue {
  if (json === null || typeof json !== 'object' || json instanceof JsonNumber) return json;
  if (isJsonArray(json)) {
    for (const element of json) checkInside(element, place);
    return json;
  }
  const name = extendedName(json);
  if (name !== undefined) {
    const problem = whyNotExtended(name, json.get(name) ?? null);
    if (problem !== undefined)
      throw invalidExpression(`${shown(place)} has a value that is not valid: ${problem}`);
    return json;
  }
  for (const [member, content] of json) {
    if (member.startsWith('$')) {
      throw invalidExpression(
        `${shown(place)} compares with an object with the member "${member}"; operators are only possible directly under a path: {"a.b": {"$gt": 1}}`,
      );
    }
    checkInside(content, place);
  }
  return json;
}

/** `$in on "tags"`. */
export function shown({ operator, pathText }: OperandPlace): string {
  return `${operator} on "${pathText}"`;
}
