// The operators of updates: what each accepts, and what it does to a document.
import {
  isJsonArray,
  isJsonObject,
  JsonNumber,
  type JsonObject,
  type JsonValue,
} from '../../../foundation/json/json-value.js';
import { showJson } from '../../errors/request-problems.js';
import { documentLimits } from '../document-limits.js';
import { type Path, writePath } from '../path.js';
import { compareValues, sameJsonText } from '../values.js';
import { addNumbers, multiplyNumbers } from './arithmetic.js';
import type { EditedDocument } from './edited-document.js';
import {
  invalidModifier,
  invalidParameter,
  invalidPath,
  invalidTarget,
  parseUpdatePath,
} from './update-problems.js';

/** In the order in which they are applied. */
export const operatorNames = [
  '$addToSet',
  '$currentDate',
  '$inc',
  '$max',
  '$min',
  '$mul',
  '$pop',
  '$push',
  '$rename',
  '$set',
  '$setOnInsert',
  '$unset',
] as const;
/** The name of an update operator. */
export type OperatorName = (typeof operatorNames)[number];

/** Changes a document. @throws ApiError scope UPDATE */
export type Apply = (
  edited: EditedDocument,
  path: Path,
  operand: JsonValue,
  context: { readonly now: number },
) => void;

interface Operator {
  /** @throws ApiError for an operand that it does not take */
  readonly check: (path: Path, operand: JsonValue) => void;
  readonly apply: Apply;
}

const anything = () => undefined;

/** By name. */
export const operators: Readonly<Record<OperatorName, Operator>> = {
  $addToSet: { check: (path, operand) => void addedValues('$addToSet', path, operand), apply: addToSet },
  $currentDate: { check: checkCurrentDate, apply: setCurrentDate },
  $inc: { check: (path, operand) => void numberOperand('$inc', path, operand), apply: increment },
  $max: { check: anything, apply: (edited, path, operand) => setIf(edited, path, operand, 1) },
  $min: { check: anything, apply: (edited, path, operand) => setIf(edited, path, operand, -1) },
  $mul: { check: (path, operand) => void numberOperand('$mul', path, operand), apply: multiply },
  $pop: { check: (path, operand) => void popEnd(path, operand), apply: pop },
  $push: { check: (path, operand) => void addedValues('$push', path, operand), apply: push },
  $rename: { check: (path, operand) => void newPath(path, operand), apply: rename },
  $set: { check: anything, apply: (edited, path, operand) => edited.set(path, operand) },
  $setOnInsert: { check: anything, apply: (edited, path, operand) => edited.set(path, operand) },
  $unset: { check: anything, apply: (edited, path) => edited.remove(path) },
};

function checkCurrentDate(path: Path, operand: JsonValue): void {
  if (operand === true) return;
  const isType =
    operand !== null && isJsonObject(operand) && operand.size === 1 && operand.get('$type') === 'date';
  if (!isType)
    throw invalidParameter(
      `$currentDate of "${writePath(path)}" needs true or {"$type": "date"}, but has ${showJson(operand)}`,
    );
}

function setCurrentDate(
  edited: EditedDocument,
  path: Path,
  _: JsonValue,
  { now }: { readonly now: number },
): void {
  edited.set(path, new Map([['$date', new JsonNumber(String(now))]]), true);
}

function numberOperand(operator: string, path: Path, operand: JsonValue): string {
  if (operand instanceof JsonNumber) return operand.text;
  throw invalidParameter(`${operator} of "${writePath(path)}" needs a number, but has ${showJson(operand)}`);
}

function numberTarget(operator: string, path: Path, value: JsonValue): string {
  if (value instanceof JsonNumber) return value.text;
  throw invalidTarget(`${operator} needs a number at "${writePath(path)}", which has ${showJson(value)}`);
}

function increment(edited: EditedDocument, path: Path, operand: JsonValue): void {
  const by = numberOperand('$inc', path, operand);
  const before = edited.valueAt(path);
  const next = before === undefined ? by : addNumbers(numberTarget('$inc', path, before), by);
  edited.set(path, new JsonNumber(next));
}

function multiply(edited: EditedDocument, path: Path, operand: JsonValue): void {
  const by = numberOperand('$mul', path, operand);
  const before = edited.valueAt(path);
  const next = before === undefined ? '0' : multiplyNumbers(numberTarget('$mul', path, before), by);
  edited.set(path, new JsonNumber(next));
}

/** `sign`: of the comparison with the present value. */
function setIf(edited: EditedDocument, path: Path, operand: JsonValue, sign: 1 | -1): void {
  const before = edited.valueAt(path);
  if (before === undefined || Math.sign(compareValues(operand, before)) === sign) edited.set(path, operand);
}

interface AddedValues {
  readonly values: readonly JsonValue[];
  readonly position: number | undefined;
}

/** A value, or `{"$each": […], "$position": n}`. */
function addedValues(operator: '$push' | '$addToSet', path: Path, operand: JsonValue): AddedValues {
  const isObject = operand !== null && typeof operand === 'object' && isJsonObject(operand);
  if (!isObject || ![...operand.keys()].some(isModifier)) return { values: [operand], position: undefined };
  const known = operator === '$push' ? ['$each', '$position'] : ['$each'];
  const unknown = [...operand.keys()].find((name) => !known.includes(name));
  const place = `${operator} of "${writePath(path)}"`;
  if (unknown !== undefined)
    throw invalidModifier(`${place} has the modifier "${unknown}"; known are ${known.join(', ')}`);
  return { values: eachOf(operand, place), position: positionOf(operand, place) };
}

/** The names of extended values are not modifiers. */
function isModifier(name: string): boolean {
  return name.startsWith('$') && !['$date', '$uuid', '$objectId', '$binary'].includes(name);
}

function eachOf(operand: JsonObject, place: string): readonly JsonValue[] {
  const each = operand.get('$each');
  if (each === undefined) throw invalidParameter(`${place} has modifiers without "$each"`);
  if (each === null || typeof each !== 'object' || !isJsonArray(each))
    throw invalidParameter(`"$each" in ${place} must be an array, but is ${showJson(each)}`);
  return each;
}

function positionOf(operand: JsonObject, place: string): number | undefined {
  const position = operand.get('$position');
  if (position === undefined) return undefined;
  const number = position instanceof JsonNumber ? Number(position.text) : Number.NaN;
  if (!Number.isInteger(number))
    throw invalidParameter(`"$position" in ${place} must be an integer, but is ${showJson(position)}`);
  return number;
}

/** The elements of the array at a path; none if it is missing. */
function elementsAt(edited: EditedDocument, operator: string, path: Path): readonly JsonValue[] | undefined {
  const before = edited.valueAt(path);
  if (before === undefined) return undefined;
  if (before !== null && typeof before === 'object' && isJsonArray(before)) return before;
  throw invalidTarget(`${operator} needs an array at "${writePath(path)}", which has ${showJson(before)}`);
}

function push(edited: EditedDocument, path: Path, operand: JsonValue): void {
  const { values, position } = addedValues('$push', path, operand);
  const elements = [...(elementsAt(edited, '$push', path) ?? [])];
  // `splice` counts a negative position from the end, and clamps.
  if (position === undefined) elements.push(...values);
  else elements.splice(position, 0, ...values);
  edited.set(path, bounded(elements, path), true);
}

function addToSet(edited: EditedDocument, path: Path, operand: JsonValue): void {
  const { values } = addedValues('$addToSet', path, operand);
  const before = elementsAt(edited, '$addToSet', path);
  const elements = [...(before ?? [])];
  // Comparing each value with each element would take seconds for arrays that are not indexed.
  const present = new Set(elements.map(sameJsonText));
  for (const value of values) {
    const text = sameJsonText(value);
    if (present.has(text)) continue;
    present.add(text);
    elements.push(value);
  }
  if (before === undefined || elements.length > before.length)
    edited.set(path, bounded(elements, path), true);
}

/** Far above the limit of indexed arrays; paths that are not indexed have no other limit. */
function bounded(elements: readonly JsonValue[], path: Path): readonly JsonValue[] {
  if (elements.length <= documentLimits.entries) return elements;
  throw invalidParameter(
    `the array at "${writePath(path)}" would have more than ${documentLimits.entries} elements`,
  );
}

function popEnd(path: Path, operand: JsonValue): 'first' | 'last' {
  const number = operand instanceof JsonNumber ? Number(operand.text) : Number.NaN;
  if (number === 1) return 'last';
  if (number === -1) return 'first';
  throw invalidParameter(
    `$pop of "${writePath(path)}" needs 1 (the last element) or -1 (the first one), but has ${showJson(operand)}`,
  );
}

function pop(edited: EditedDocument, path: Path, operand: JsonValue): void {
  const elements = elementsAt(edited, '$pop', path);
  if (elements === undefined || elements.length === 0) return;
  edited.set(path, popEnd(path, operand) === 'last' ? elements.slice(0, -1) : elements.slice(1), true);
}

function newPath(path: Path, operand: JsonValue): Path {
  if (typeof operand !== 'string')
    throw invalidParameter(
      `$rename of "${writePath(path)}" needs a path as a string, but has ${showJson(operand)}`,
    );
  const target = parseUpdatePath('$rename', operand);
  if (writePath(target) === writePath(path))
    throw invalidPath(`$rename of "${operand}" has the same path as its new one`);
  if (target[0] === '_id' || target[0]?.startsWith('$'))
    throw invalidPath(`$rename cannot move a value to "${operand}"`);
  return target;
}

function rename(edited: EditedDocument, path: Path, operand: JsonValue): void {
  const target = newPath(path, operand);
  const value = edited.valueAt(path);
  if (value === undefined) return;
  if (edited.isElement(path) || edited.isElement(target))
    throw invalidPath(
      `$rename of "${writePath(path)}" to "${writePath(target)}": elements of arrays cannot be renamed`,
    );
  edited.remove(path);
  edited.set(target, value, true);
}
