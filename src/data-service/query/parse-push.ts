// Parses the values that `$push` adds and `$pullAll` removes (wire: updateOne).
import {
  isJsonArray,
  isJsonObject,
  type JsonArray,
  type JsonValue,
} from '../../foundation/json/json-value.js';
import type { ContainerSide } from '../column-types/column-type.js';
import { listOf } from '../column-types/containers.js';
import { type InvalidValue, readValue } from '../schema/parse-row.js';
import type { Column } from '../schema/table.js';
import { type ColumnChange, containerOf } from './write.js';

/** A change, or why the value does not match the column, or the problem of the operand. */
export type ReadChange = { readonly change: ColumnChange } | InvalidValue | { readonly usageProblem: string };

/** Reads the operand of `$push` on a list, set or map. */
export function parsePush(column: Column, operand: JsonValue): ReadChange {
  const container = containerOf(column);
  const members =
    container.holds === 'entries' ? entriesOf(operand, takesPairs(container)) : elementsOf(operand);
  if (typeof members === 'string') return { usageProblem: members };
  const read = readValue(column, () => container.parseMembers(members));
  return 'value' in read ? { change: { kind: 'push', column, value: read.value } } : read;
}

/** Reads the operand of `$pullAll` on a list, set or map. */
export function parsePullAll(column: Column, operand: JsonValue): ReadChange {
  const names = listOf(containerOf(column).namedBy);
  const read = readValue(column, () => names.parse(operand));
  return 'value' in read ? { change: { kind: 'pull', column, names: read.value } } : read;
}

const each = '$each';
const useEach = 'to push several, use {"$each": […]}';

/** One element, or the elements of `$each`; a string is the problem. */
function elementsOf(operand: JsonValue): JsonArray | string {
  if (isJsonArray(operand)) return useEach;
  return eachOf(operand) ?? [operand];
}

/** Whether a value of an entry can be an array: user-defined types are also written as pairs. */
function takesPairs({ members }: ContainerSide<unknown>): boolean {
  return members.some(({ userType }) => userType !== undefined);
}

/** One entry, or the entries of `$each`, as pairs; a string is the problem. */
function entriesOf(operand: JsonValue, mayHoldArrays: boolean): JsonArray | string {
  const entries = eachOf(operand) ?? [operand];
  if (typeof entries === 'string') return entries;
  const pairs: JsonValue[] = [];
  for (const entry of entries) {
    const pair = pairOf(entry, mayHoldArrays);
    if (typeof pair === 'string') return pair;
    pairs.push(pair);
  }
  return pairs;
}

/** Undefined if there is no `$each`. */
function eachOf(operand: JsonValue): JsonArray | string | undefined {
  if (!isJsonObject(operand)) return undefined;
  const members = operand.get(each);
  if (members === undefined) return undefined;
  return operand.size === 1 && isJsonArray(members)
    ? members
    : '"$each" needs an array and allows no other members';
}

function pairOf(entry: JsonValue, mayHoldArrays: boolean): JsonArray | string {
  if (isJsonObject(entry)) {
    const [pair, ...more] = entry;
    return pair === undefined || more.length > 0 ? `an entry must be {"key": value}; ${useEach}` : pair;
  }
  if (!isJsonArray(entry)) return 'an entry of a map must be {"key": value} or ["key", value]';
  // Keys are never arrays.
  const [key = null] = entry;
  if (mayHoldArrays ? isJsonArray(key) : entry.some(isJsonArray)) return useEach;
  return entry.length === 2 ? entry : 'an entry in array form must have a key and a value';
}
