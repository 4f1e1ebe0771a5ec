// Parses the conditions of a filter at one path.
import {
  isJsonArray,
  isJsonObject,
  JsonNumber,
  type JsonObject,
  type JsonValue,
} from '../../foundation/json/json-value.js';
import { apiError } from '../errors/api-error.js';
import { showJson } from '../errors/request-problems.js';
import { listOperators, valueOperators } from './condition-operators.js';
import type { DocumentCondition, ListOperator, ValueOperator } from './document-filter.js';
import { extendedName } from './extended-values.js';
import { parseFieldPath } from './field-path.js';
import { type OperandPlace, readBoolean, readSize } from './filter-operand.js';
import { invalidExpression, unsupportedType } from './filter-problems.js';
import { InvalidPath, type Path } from './path.js';
import { isReservedName } from './values.js';

/** What one operator at a path is parsed with. */
interface Target extends OperandPlace {
  readonly path: Path;
  readonly isNegated: boolean;
}

type ParseOperator = (operand: JsonValue, target: Target) => DocumentCondition;

/** The operators at a path, by name, in the order of messages. */
const operators: ReadonlyMap<string, ParseOperator> = new Map<string, ParseOperator>([
  ...namesOf(valueOperators).map((name) => [name, parseValueCondition(name)] as const),
  ...namesOf(listOperators)
    .filter((name) => name !== 'notAll')
    .map((name) => [name, parseListCondition(name)] as const),
  [
    '$exists',
    (json, target) => {
      const { path, isNegated } = target;
      return { kind: 'exists', path, isPresent: readBoolean(json, target) !== isNegated };
    },
  ],
  [
    '$size',
    (json, target) => {
      const { path, isNegated } = target;
      return { kind: 'size', path, size: readSize(json, target), isEqual: !isNegated };
    },
  ],
  ['$match', refuseMatch],
]);

function namesOf<Name extends string>(entries: Readonly<Record<Name, unknown>>): readonly Name[] {
  return Object.keys(entries) as Name[]; // all of its keys are names
}

/**
 * The conditions of a member of a filter: of `{"price": {"$gt": 1, "$lt": 5}}` both, each negated if `isNegated`.
 * @throws ApiError scope FILTER, SHRED_BAD_EJSON_VALUE
 */
export function parseConditions(
  pathText: string,
  json: JsonValue,
  isNegated: boolean,
): readonly DocumentCondition[] {
  const path = parseFilterPath(pathText);
  if (path[0] === '$lexical') return parseLexical(json, isNegated);
  const found = namedOperators(pathText, json);
  if (found === undefined && isReservedName(path[0] ?? ''))
    throw invalidExpression(
      `"${pathText}" cannot be compared with a value; use {"${pathText}": {"$exists": true}}`,
    );
  return [...(found ?? new Map([['$eq', json]]))].map(([operator, operand]) => {
    const parse = operators.get(operator);
    if (parse === undefined) throw unknownOperator(operator, pathText);
    return parse(operand, { path, pathText, operator, isNegated });
  });
}

function parseFilterPath(text: string): Path {
  try {
    return parseFieldPath(text);
  } catch (error) {
    if (!(error instanceof InvalidPath)) throw error;
    throw invalidExpression(`the path "${text}" is not valid: ${error.message}`);
  }
}

/** The operators of an object that has operators; undefined for a value to compare with. */
function namedOperators(pathText: string, json: JsonValue): JsonObject | undefined {
  if (json === null) return undefined;
  if (isJsonArray(json))
    throw invalidExpression(
      pathText === '$vector'
        ? 'filters do not compare "$vector"; a search is a sort: {"sort": {"$vector": […]}}'
        : `"${pathText}" is compared with an array, which needs $eq: {"${pathText}": {"$eq": […]}}`,
    );
  if (!isJsonObject(json) || extendedName(json) !== undefined) return undefined;
  const names = [...json.keys()];
  const operatorNames = names.filter((name) => name.startsWith('$'));
  if (operatorNames.length === 0) return undefined;
  if (operatorNames.length < names.length)
    throw invalidExpression(`"${pathText}" has operators beside other members; use either of them`);
  return json;
}

function unknownOperator(operator: string, pathText: string): Error {
  return apiError('filter', 'FILTER_UNSUPPORTED_OPERATOR', {
    operator,
    place: `on the path "${pathText}"`,
    onColumns: [...operators.keys()],
    aroundFilters: ['$and', '$or', '$not'],
  });
}

/** Only words can be found in `$lexical`. */
function parseLexical(json: JsonValue, isNegated: boolean): readonly DocumentCondition[] {
  const found = namedOperators('$lexical', json);
  const text = found?.get('$match');
  if (text === undefined || found?.size !== 1)
    throw invalidExpression(
      '"$lexical" can only be filtered by words: {"$lexical": {"$match": "some words"}}',
    );
  if (typeof text !== 'string') throw invalidExpression(`$match needs a string, but has ${showJson(text)}`);
  if (isNegated) throw invalidExpression('$match cannot stand under $not');
  return [{ kind: 'match', text }];
}

function refuseMatch(_: JsonValue, { pathText }: Target): never {
  throw invalidExpression(`$match is only possible on "$lexical", not on "${pathText}"`);
}

function parseValueCondition(name: ValueOperator): ParseOperator {
  const { read, negation } = valueOperators[name];
  return (json, target) => {
    const { path, isNegated } = target;
    const operand = read(json, target, isId(path));
    const operator = isNegated ? negation : name;
    if (operator === '$ne' && isId(path)) checkIdOperand(operand, target);
    return { kind: 'value', path, operator, operand };
  };
}

function parseListCondition(name: ListOperator): ParseOperator {
  const { read, negation } = listOperators[name];
  return (json, target) => {
    const { path, isNegated } = target;
    const operands = read(json, target, isId(path));
    const operator = isNegated ? negation : name;
    if (operator === '$nin' && isId(path)) for (const operand of operands) checkIdOperand(operand, target);
    return { kind: 'list', path, operator, operands };
  };
}

/** Refuses operands that the public API refuses: only ids of these kinds can be excluded. */
function checkIdOperand(operand: JsonValue, { operator, isNegated }: Target): void {
  if (typeof operand === 'string' || operand instanceof JsonNumber) return;
  throw unsupportedType(
    `${isNegated ? '$not with ' : ''}${operator} on "_id" needs strings or numbers, but has ${showJson(operand)}`,
  );
}

/** Whether it is the path of the id. */
export function isId(path: Path): boolean {
  return path.length === 1 && path[0] === '_id';
}
