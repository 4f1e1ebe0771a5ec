// Filters as the model of collections understands them: written from the contract, without code of the product.
import {
  isJsonArray,
  isJsonObject,
  JsonNumber,
  type JsonObject,
  type JsonValue,
} from '../../src/foundation/json/json-value.js';
import { refuse } from './model-problem.js';
import { find, isEqual, isScalar, kindOf, type Members, order, partsOf } from './model-value.js';

/** The option `indexing`: paths, or all of them. */
export interface ModelIndexing {
  readonly kind: 'allow' | 'deny';
  readonly paths: readonly string[];
}

/** What is around a part of a filter. */
interface Around {
  readonly isNegated: boolean;
  readonly isInOr: boolean;
}

type Test = (document: Members) => boolean;

/** What is known of a filter while it is read. */
interface Reading {
  readonly indexing: ModelIndexing | undefined;
  /** Paths with the operators at them; checked at the end. */
  readonly found: { path: string; operator: string; operand: JsonValue }[];
}

/** The test of a filter. @throws Refusal */
export function filterTest(filter: JsonObject | undefined, indexing: ModelIndexing | undefined): Test {
  if (filter === undefined) return () => true;
  const reading: Reading = { indexing, found: [] };
  const test = groupTest(filter, { isNegated: false, isInOr: false }, reading) ?? (() => true);
  checkFound(reading);
  return test;
}

function groupTest(filter: JsonObject, around: Around, reading: Reading): Test | undefined {
  const tests = [...filter].map(([name, value]) => memberTest(name, value, around, reading));
  return combined(around.isNegated ? 'some' : 'every', tests);
}

function combined(how: 'some' | 'every', tests: readonly (Test | undefined)[]): Test | undefined {
  const known = tests.filter((test) => test !== undefined);
  if (known.length === 0) return undefined;
  return how === 'some'
    ? (document) => known.some((test) => test(document))
    : (document) => known.every((test) => test(document));
}

function memberTest(name: string, value: JsonValue, around: Around, reading: Reading): Test | undefined {
  const { isNegated, isInOr } = around;
  if (name === '$and' || name === '$or') {
    if (value === null || !isJsonArray(value)) return refuse('FILTER_INVALID_EXPRESSION');
    const parts = value.map((part) =>
      part !== null && isJsonObject(part)
        ? groupTest(part, { isNegated, isInOr: isInOr || name === '$or' }, reading)
        : refuse('FILTER_INVALID_EXPRESSION'),
    );
    return combined((name === '$and') === isNegated ? 'some' : 'every', parts);
  }
  if (name === '$not') {
    if (value === null || !isJsonObject(value)) return refuse('FILTER_INVALID_EXPRESSION');
    return groupTest(value, { isNegated: !isNegated, isInOr }, reading);
  }
  if (isJsonArray(value)) return refuse('FILTER_INVALID_EXPRESSION');
  const isOperators =
    value !== null && kindOf(value) === 'object' && [...(value as Members).keys()].some(isOperatorName);
  const operators: Members = isOperators ? (value as Members) : new Map([['$eq', value]]);
  const tests = [...operators].map(([operator, operand]) => {
    reading.found.push({ path: name, operator: isNegated ? negated(operator) : operator, operand });
    return conditionTest({ path: name, operator, operand }, isNegated, reading.indexing);
  });
  if (isInOr && name === '_id') return refuse('FILTER_INVALID_EXPRESSION');
  return combined(isNegated ? 'some' : 'every', tests);
}

function isOperatorName(name: string): boolean {
  return name.startsWith('$');
}

function negated(operator: string): string {
  const pairs: Readonly<Record<string, string>> = { $eq: '$ne', $ne: '$eq', $in: '$nin', $nin: '$in' };
  return pairs[operator] ?? operator;
}

const ranges: Readonly<Record<string, (found: number) => boolean>> = {
  $gt: (found) => found > 0,
  $gte: (found) => found >= 0,
  $lt: (found) => found < 0,
  $lte: (found) => found <= 0,
};
const opposites: Readonly<Record<string, string>> = { $gt: '$lte', $gte: '$lt', $lt: '$gte', $lte: '$gt' };

interface Condition {
  readonly path: string;
  readonly operator: string;
  readonly operand: JsonValue;
}

function conditionTest(
  { path, operator, operand }: Condition,
  isNegated: boolean,
  indexing: ModelIndexing | undefined,
): Test {
  const parts = partsOf(path);
  const range = ranges[isNegated ? (opposites[operator] ?? '') : operator];
  if (range !== undefined) {
    const kind = kindOf(operand);
    if (kind === 'null' || kind === 'array' || kind === 'object') return refuse('FILTER_INVALID_EXPRESSION');
    return (document) => {
      const value = find(document, parts);
      return value !== undefined && kindOf(value) === kind && range(order(value, operand));
    };
  }
  const test = valueTest(path, operator, operand);
  const isContent = path.startsWith('$') && operator !== '$exists' && operator !== '$match';
  return (document) => {
    // The contents of reserved members are never equal to anything.
    const found = isContent ? undefined : find(document, parts);
    const value = found === undefined ? undefined : visible(found, parts, operator, operand, indexing);
    return test(value) !== isNegated;
  };
}

/** Whole values are compared without what is denied below them. */
function visible(
  value: JsonValue,
  parts: readonly string[],
  operator: string,
  operand: JsonValue,
  indexing: ModelIndexing | undefined,
): JsonValue {
  if (indexing?.kind !== 'deny' || !['$eq', '$ne', '$in', '$nin', '$all'].includes(operator)) return value;
  const operands = operator === '$eq' || operator === '$ne' ? [operand] : (operand as readonly JsonValue[]);
  if (operands.every(isScalar)) return value;
  const denied = indexing.paths.map(partsOf);
  return without(value, parts, denied);
}

function without(value: JsonValue, at: readonly string[], denied: readonly (readonly string[])[]): JsonValue {
  if (value === null || !isJsonObject(value)) return value;
  const kept = [...value].flatMap(([name, member]) => {
    const path = [...at, name].join('\0');
    if (denied.some((each) => each.join('\0') === path)) return [];
    return [[name, without(member, [...at, name], denied)] as const];
  });
  return new Map(kept);
}

type ValueTest = (value: JsonValue | undefined) => boolean;

function valueTest(path: string, operator: string, operand: JsonValue): ValueTest {
  switch (operator) {
    case '$eq':
      return (value) => equalsOrHas(value, operand);
    case '$ne':
      return (value) => !equalsOrHas(value, operand);
    case '$in':
    case '$nin': {
      const list = listOf(operand);
      if (list.length > 100) return refuse('FILTER_INVALID_EXPRESSION');
      return (value) => list.some((each) => equalsOrHas(value, each)) === (operator === '$in');
    }
    case '$all': {
      const list = listOf(operand);
      if (list.length === 0) return refuse('FILTER_INVALID_EXPRESSION');
      return (value) => list.every((each) => hasElement(value, each));
    }
    case '$exists':
      if (typeof operand !== 'boolean') return refuse('FILTER_INVALID_EXPRESSION');
      return (value) => (value !== undefined) === operand;
    case '$size': {
      const size = operand instanceof JsonNumber ? Number(operand.text) : -1;
      if (!Number.isInteger(size) || size < 0) return refuse('FILTER_INVALID_EXPRESSION');
      return (value) => value !== undefined && isJsonArray(value) && value.length === size;
    }
    case '$match':
      if (path !== '$lexical' || typeof operand !== 'string') return refuse('FILTER_INVALID_EXPRESSION');
      return (value) =>
        typeof value === 'string' && words(operand).every((word) => words(value).includes(word));
    default:
      return refuse('FILTER_UNSUPPORTED_OPERATOR');
  }
}

/** The random texts have words that every analyzer leaves as they are. */
function words(text: string): readonly string[] {
  return text.split(' ').filter((word) => word !== '');
}

function listOf(operand: JsonValue): readonly JsonValue[] {
  return operand !== null && isJsonArray(operand) ? operand : refuse('FILTER_INVALID_EXPRESSION');
}

function equalsOrHas(value: JsonValue | undefined, operand: JsonValue): boolean {
  if (value === undefined) return false;
  if (isEqual(value, operand)) return true;
  return (
    operand !== null && isScalar(operand) && isJsonArray(value) && value.some((e) => isEqual(e, operand))
  );
}

function hasElement(value: JsonValue | undefined, operand: JsonValue): boolean {
  if (value === undefined) return false;
  if (isJsonArray(value)) return value.some((element) => isEqual(element, operand));
  return isScalar(value) && isEqual(value, operand);
}

/** Whether filters and sorts can name a path. */
export function isFindable(path: string, indexing: ModelIndexing | undefined): boolean {
  if (indexing === undefined) return true;
  const parts = partsOf(path);
  const isListed = indexing.paths.some(
    (listed) => listed === '*' || partsOf(listed).every((part, at) => part === parts[at]),
  );
  return indexing.kind === 'deny' ? !isListed : isListed || path.startsWith('$');
}

function checkFound({ found, indexing }: Reading): void {
  if (found.length > 64) refuse('FILTER_FIELDS_LIMIT_VIOLATION');
  if (found.filter(({ path }) => path === '_id').length > 1) refuse('FILTER_MULTIPLE_ID_FILTER');
  for (const { path, operator, operand } of found) {
    if (path === '_id') {
      if (!isFindable(path, indexing) && operator !== '$eq' && operator !== '$in')
        refuse('FILTER_ID_NOT_INDEXED');
      continue;
    }
    if (!isFindable(path, indexing)) refuse('FILTER_PATH_UNINDEXED');
    const operands = operator === '$eq' || operator === '$ne' ? [operand] : [];
    const listed = ['$in', '$nin', '$all'].includes(operator) ? listOf(operand) : operands;
    for (const each of listed) checkBelow(path, each, indexing);
  }
}

function checkBelow(path: string, value: JsonValue, indexing: ModelIndexing | undefined): void {
  if (value === null || kindOf(value) !== 'object') return;
  for (const [name, member] of value as Members) {
    const below = `${path}.${name.replaceAll(/[&.]/g, '&$&')}`;
    if (!isFindable(below, indexing)) refuse('FILTER_PATH_UNINDEXED');
    checkBelow(below, member, indexing);
  }
}
