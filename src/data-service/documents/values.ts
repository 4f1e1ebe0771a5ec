// The kinds of values in documents, and their equality and order. `{"$uuid": …}`, `{"$objectId": …}` and
// `{"$binary": …}` count as their texts, `{"$date": …}` is a kind of its own.
import {
  isJsonArray,
  isJsonObject,
  type JsonArray,
  JsonNumber,
  type JsonObject,
  type JsonValue,
} from '../../foundation/json/json-value.js';
import { text as textType } from '../column-types/text.js';
import { canonicalNumber, compareNumbers } from './numbers.js';
import { isArrayIndex } from './path.js';

/** The kinds, in their order in sorts; a missing value is before all of them. */
const valueKinds = ['null', 'number', 'string', 'object', 'array', 'boolean', 'date'] as const;
export type ValueKind = (typeof valueKinds)[number];

/** A value in the form that is compared. */
export type ComparedValue =
  | { readonly kind: 'null' }
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'string'; readonly text: string }
  | { readonly kind: 'object'; readonly members: JsonObject }
  | { readonly kind: 'array'; readonly elements: JsonArray }
  | { readonly kind: 'boolean'; readonly value: boolean }
  /** Milliseconds since 1970, in digits. */
  | { readonly kind: 'date'; readonly text: string };

/** The compared form of a value: extended values count as what they contain. */
export function comparedValue(value: JsonValue): ComparedValue {
  if (value === null) return { kind: 'null' };
  if (typeof value === 'string') return { kind: 'string', text: value };
  if (typeof value === 'boolean') return { kind: 'boolean', value };
  if (value instanceof JsonNumber) return { kind: 'number', text: value.text };
  if (isJsonArray(value)) return { kind: 'array', elements: value };
  return (value.size === 1 ? extendedValue(value) : undefined) ?? { kind: 'object', members: value };
}

function extendedValue(members: JsonObject): ComparedValue | undefined {
  for (const [name, content] of members) {
    if (name === '$date' && content instanceof JsonNumber) return { kind: 'date', text: content.text };
    if (typeof content !== 'string') return undefined;
    if (name === '$uuid' || name === '$objectId') return { kind: 'string', text: content.toLowerCase() };
    if (name === '$binary') return { kind: 'string', text: content };
  }
  return undefined;
}

export function valueKind(value: JsonValue): ValueKind {
  return comparedValue(value).kind;
}

/** Whether two values are equal: numbers by value; the members of objects in the same order. */
export function equalValues(left: JsonValue, right: JsonValue): boolean {
  return compareValues(left, right) === 0;
}

/**
 * Whether two values are written the same, except for the form of numbers, as updates compare them: `{"$uuid": "a"}`
 * and "a" are equal in filters, but not the same JSON.
 */
export function isSameJson(left: JsonValue, right: JsonValue): boolean {
  if (left === right) return true;
  if (left === null || typeof left !== 'object' || right === null || typeof right !== 'object') return false;
  if (left instanceof JsonNumber || right instanceof JsonNumber)
    return (
      left instanceof JsonNumber && right instanceof JsonNumber && compareNumbers(left.text, right.text) === 0
    );
  if (isJsonArray(left) || isJsonArray(right)) {
    if (!isJsonArray(left) || !isJsonArray(right) || left.length !== right.length) return false;
    return left.every((each, at) => isSameJson(each, right[at] ?? null));
  }
  if (left.size !== right.size) return false;
  const others = right.entries();
  for (const [name, member] of left) {
    const [otherName, otherMember] = others.next().value ?? ['', null];
    if (name !== otherName || !isSameJson(member, otherMember)) return false;
  }
  return true;
}

/** A text that is the same for values that are the same by `isSameJson`, and for no others. */
export function sameJsonText(value: JsonValue): string {
  if (value instanceof JsonNumber) return canonicalNumber(value.text);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (isJsonArray(value)) return `[${value.map(sameJsonText).join()}]`;
  const members = [...value].map(([name, member]) => `${JSON.stringify(name)}:${sameJsonText(member)}`);
  return `{${members.join()}}`;
}

/**
 * The order of sorts, `$min` and `$max`; `undefined` is a missing value. Texts by code points; arrays element by
 * element, then by length; objects member by member (name, then value), then by size.
 */
export function compareValues(left: JsonValue | undefined, right: JsonValue | undefined): number {
  if (left === undefined || right === undefined)
    return Number(left !== undefined) - Number(right !== undefined);
  const [one, other] = [comparedValue(left), comparedValue(right)];
  if (one.kind === 'number' && other.kind === 'number') return compareNumbers(one.text, other.text);
  if (one.kind === 'string' && other.kind === 'string') return textType.compare(one.text, other.text);
  if (one.kind === 'boolean' && other.kind === 'boolean') return Number(one.value) - Number(other.value);
  if (one.kind === 'date' && other.kind === 'date') return compareNumbers(one.text, other.text);
  if (one.kind === 'array' && other.kind === 'array') return compareArrays(one.elements, other.elements);
  if (one.kind === 'object' && other.kind === 'object') return compareObjects(one.members, other.members);
  return valueKinds.indexOf(one.kind) - valueKinds.indexOf(other.kind);
}

function compareArrays(left: JsonArray, right: JsonArray): number {
  const shared = Math.min(left.length, right.length);
  for (let at = 0; at < shared; at += 1) {
    const order = compareValues(left[at], right[at]);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function compareObjects(left: JsonObject, right: JsonObject): number {
  const others = right.entries();
  for (const [name, value] of left) {
    const next = others.next();
    if (next.done === true) return 1;
    const [otherName, otherValue] = next.value;
    const order = textType.compare(name, otherName) || compareValues(value, otherValue);
    if (order !== 0) return order;
  }
  return left.size - right.size;
}

/** The value at a path: through objects by name, into arrays by index; undefined if there is none. */
export function valueAt(document: JsonValue, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = document;
  for (const part of path) {
    if (value === undefined || value === null || typeof value !== 'object') return undefined;
    if (isJsonArray(value)) value = isArrayIndex(part) ? value[Number(part)] : undefined;
    else if (isJsonObject(value)) value = value.get(part);
    else return undefined;
  }
  return value;
}

/** Whether a member of the root is stored beside the document, and shown only if a projection asks for it. */
export function isReservedName(name: string): boolean {
  return name === '$vector' || name === '$vectorize' || name === '$lexical';
}
