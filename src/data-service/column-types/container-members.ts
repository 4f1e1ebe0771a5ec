// Members of lists, sets and maps: parses, compares and sorts them.
import { isJsonArray, type JsonArray, type JsonValue } from '../../foundation/json/json-value.js';
import { type ColumnType, ValueMismatch } from './column-type.js';

/** A key with its value. */
export type MapEntry = readonly [key: unknown, value: unknown];

/**
 * Reads an element, key or value; `place` names it in messages.
 * @throws ValueMismatch
 */
export function parsePart(type: ColumnType, json: JsonValue, place: string, container: string): unknown {
  if (json === null) throw new ValueMismatch(`${place}: null is not allowed in a ${container}`);
  try {
    return type.parse(json);
  } catch (error) {
    if (!(error instanceof ValueMismatch)) throw error;
    throw new ValueMismatch(`${place}: ${error.message}`, error.kind);
  }
}

/** Reads elements in their order. */
export function parseElements(element: ColumnType, json: JsonArray, container: string): readonly unknown[] {
  return json.map((part, at) => parsePart(element, part, `element ${at + 1}`, container));
}

/** Reads `[key, value]` pairs in their order. */
export function parsePairs(key: ColumnType, value: ColumnType, json: JsonArray): readonly MapEntry[] {
  return json.map((pair, at) => {
    const place = `pair ${at + 1}`;
    if (!isJsonArray(pair) || pair.length !== 2)
      throw new ValueMismatch(`${place}: expected an array of a key and a value`);
    const [name = null, part = null] = pair;
    return [
      parsePart(key, name, `the key of ${place}`, 'map'),
      parsePart(value, part, `the value of ${place}`, 'map'),
    ];
  });
}

/** Different elements, ascending. */
export function sortedElements(element: Comparing, elements: readonly unknown[]): readonly unknown[] {
  const sorted = elements.toSorted((left, right) => element.compare(left, right));
  return sorted.filter((part, at) => at === 0 || element.compare(sorted[at - 1], part) !== 0);
}

/** Entries with different keys, ascending; if several have the same key, the last one is kept. */
export function entriesOf(key: ColumnType, entries: readonly MapEntry[]): readonly MapEntry[] {
  const sorted = entries.toSorted(([left], [right]) => key.compare(left, right));
  return sorted.filter(([name], at) => {
    const next = sorted[at + 1];
    return next === undefined || key.compare(name, next[0]) !== 0;
  });
}

/** Whether a value equals one of `names`. */
export function isNamedBy(type: Comparing, names: readonly unknown[]): (value: unknown) => boolean {
  const sorted = sortedElements(type, names);
  return (value) => placeIn(type, sorted, value) >= 0;
}

/** Whether each of `names` equals one of the members. */
export function areAllIn(type: Comparing, names: readonly unknown[], members: readonly unknown[]): boolean {
  const sorted = sortedElements(type, names);
  const missing = new Set(sorted.keys());
  for (const member of members) {
    missing.delete(placeIn(type, sorted, member));
    if (missing.size === 0) return true;
  }
  return missing.size === 0;
}

type Comparing = Pick<ColumnType, 'compare'>;

/** The place of a value among ascending ones; negative if it is not there. */
function placeIn(type: Comparing, sorted: readonly unknown[], value: unknown): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const order = type.compare(sorted[middle], value);
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return -1;
}

/** Compares member by member; a prefix comes before the longer value. */
export function compareMembers<Member>(
  left: readonly Member[],
  right: readonly Member[],
  compare: (left: Member, right: Member) => number,
): number {
  for (const [at, member] of left.entries()) {
    if (at >= right.length) return 1;
    // The index is inside both arrays.
    const difference = compare(member, right[at] as Member);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}
