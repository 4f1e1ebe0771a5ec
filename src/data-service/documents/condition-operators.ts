// The operators that compare the value at a path of a document with a value or a list: one entry each.
import { isJsonArray, type JsonArray, type JsonValue } from '../../foundation/json/json-value.js';
import { type ListOperator, mostSearched, type ValueOperator } from './document-filter.js';
import { canonicalText } from './entries.js';
import { type OperandPlace, readBound, readElements, readList, readValue } from './filter-operand.js';
import { isOneOf, isScalar, rangeTest, type ValueTest } from './value-tests.js';

/** All facts about an operator, except how an engine finds its documents by entries. */
interface ConditionOperator<Name, Operand> {
  /** The operator that matches exactly the other documents. */
  readonly negation: Name;
  /** Checks the operand of a command; `isId` if the path is that of the id. @throws ApiError */
  read(json: JsonValue, place: OperandPlace, isId: boolean): Operand;
  /** Prepares the test of values, undefined for a missing one. */
  test(operand: Operand): ValueTest;
}

export const valueOperators: Readonly<Record<ValueOperator, ConditionOperator<ValueOperator, JsonValue>>> = {
  $eq: { negation: '$ne', read: readValue, test: equalsOrContains },
  $ne: { negation: '$eq', read: readValue, test: inverted(equalsOrContains) },
  $gt: { negation: '$lte', read: readBound, test: inOrder((order) => order > 0) },
  $gte: { negation: '$lt', read: readBound, test: inOrder((order) => order >= 0) },
  $lt: { negation: '$gte', read: readBound, test: inOrder((order) => order < 0) },
  $lte: { negation: '$gt', read: readBound, test: inOrder((order) => order <= 0) },
};

/** The operators with a list. No command names `notAll`: it replaces `$all` under `$not`. */
export const listOperators: Readonly<Record<ListOperator, ConditionOperator<ListOperator, JsonArray>>> = {
  $in: { negation: '$nin', read: readList, test: equalsAny },
  $nin: { negation: '$in', read: readList, test: inverted(equalsAny) },
  $all: { negation: 'notAll', read: readElements, test: hasAll },
  notAll: { negation: '$all', read: readElements, test: inverted(hasAll) },
};

function inverted<Operand>(prepare: (operand: Operand) => ValueTest): (operand: Operand) => ValueTest {
  return (operand) => {
    const test = prepare(operand);
    return (value) => !test(value);
  };
}

function inOrder(accepts: (order: number) => boolean): (operand: JsonValue) => ValueTest {
  return (operand) => rangeTest(operand, accepts);
}

/** Scalars except null also equal the elements of arrays; arrays and objects only the whole value. */
function equalsOrContains(operand: JsonValue): ValueTest {
  return equalsAny([operand]);
}

function equalsAny(operands: readonly JsonValue[]): ValueTest {
  const isWhole = isOneOf(operands);
  const isElement = isOneOf(operands.filter(isFoundInArrays));
  return (value) => {
    if (value === undefined) return false;
    if (isWhole(value)) return true;
    return isJsonArray(value) && value.some(isElement);
  };
}

function isFoundInArrays(operand: JsonValue): boolean {
  return operand !== null && isScalar(operand);
}

/** An array with all values as elements; a scalar that equals all of them. */
function hasAll(operands: readonly JsonValue[]): ValueTest {
  const byText = new Map(operands.map((operand) => [canonicalText(operand), operand] as const));
  const [first, ...others] = [...byText.values()].map((operand) => isOneOf([operand]));
  return (value) => {
    if (value === undefined || first === undefined) return false;
    if (!isJsonArray(value)) return others.length === 0 && isScalar(value) && first(value);
    if (value.length < byText.size) return false;
    if (byText.size > mostSearched) return hasTexts(value, byText);
    return value.some(first) && others.every((test) => value.some(test));
  };
}

/** Whether each text is that of an element: elements are read once, however many texts there are. */
function hasTexts(elements: JsonArray, texts: ReadonlyMap<string, JsonValue>): boolean {
  const found = new Set<string>();
  for (const element of elements) {
    const text = canonicalText(element);
    if (texts.has(text)) found.add(text);
    if (found.size === texts.size) return true;
  }
  return false;
}
