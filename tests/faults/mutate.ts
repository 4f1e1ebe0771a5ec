// Damages JSON: first as a tree of values, then as bytes.
import {
  isJsonArray,
  isJsonObject,
  JsonNumber,
  type JsonValue,
  stringifyJson,
} from '../../src/foundation/json/json-value.js';
import type { SeededRandom } from '../seeded-random.js';
import { trickyNames } from './fuzz-tables.js';

/** Damages a body; `other` is another body, from which parts are taken. Now and then it stays as it is. */
export function mutateBody(random: SeededRandom, body: JsonValue, other: JsonValue): Buffer {
  let damaged = body;
  for (let times = random.below(4); times > 0; times -= 1) {
    const count = countNodes(damaged);
    if (count > largestTree) break;
    const place = { left: random.below(count) };
    damaged = mutateAt(random, damaged, place, other);
  }
  const text = Buffer.from(stringifyJson(damaged));
  return random.oneIn(3) ? mutateBytes(random, text) : text;
}

/** Depth beyond depth would be too much for this file's own recursion. */
const largestTree = 1_500;

/** Counts down to the node to be changed. */
interface Place {
  left: number;
}

function countNodes(value: JsonValue): number {
  if (isJsonArray(value)) return value.reduce((sum: number, element) => sum + countNodes(element), 1);
  if (isJsonObject(value))
    return [...value.values()].reduce((sum: number, part) => sum + countNodes(part), 1);
  return 1;
}

function mutateAt(random: SeededRandom, value: JsonValue, place: Place, other: JsonValue): JsonValue {
  if (place.left === 0) {
    place.left = -1;
    return mutateNode(random, value, other);
  }
  place.left -= 1;
  if (isJsonArray(value)) return value.map((element) => changed(random, element, place, other));
  if (isJsonObject(value))
    return new Map([...value].map(([name, part]) => [name, changed(random, part, place, other)]));
  return value;
}

function changed(random: SeededRandom, value: JsonValue, place: Place, other: JsonValue): JsonValue {
  return place.left < 0 ? value : mutateAt(random, value, place, other);
}

function mutateNode(random: SeededRandom, value: JsonValue, other: JsonValue): JsonValue {
  switch (random.below(6)) {
    case 0:
      return isJsonArray(value) ? [...value, ...value] : [value];
    case 1:
      return new Map([[random.pick(trickyNames), value]]);
    case 2:
      return partOf(random, other);
    case 3:
      if (isJsonObject(value)) return mutateMembers(random, value);
      return isJsonArray(value) ? [...value].reverse().slice(random.below(2)) : junk(random);
    case 4:
      return typeof value === 'string' ? mutateString(random, value) : junk(random);
    default:
      return junk(random);
  }
}

/** Loses, renames, adds or swaps members. */
function mutateMembers(random: SeededRandom, members: ReadonlyMap<string, JsonValue>): JsonValue {
  const entries = [...members];
  const at = random.below(Math.max(1, entries.length));
  const [name, value] = entries[at] ?? ['', null];
  switch (random.below(4)) {
    case 0:
      entries.splice(at, 1);
      break;
    case 1:
      entries.splice(at, 1, [random.oneIn(3) ? mutateString(random, name) : random.pick(trickyNames), value]);
      break;
    case 2:
      entries.push([random.oneIn(2) ? '' : random.pick(trickyNames), junk(random)]);
      break;
    default: {
      const values = entries.map((entry) => entry[1]).reverse();
      return new Map(entries.map(([own], place) => [own, values[place] ?? null]));
    }
  }
  return new Map(entries);
}

function partOf(random: SeededRandom, value: JsonValue): JsonValue {
  const parts = isJsonArray(value) ? value : isJsonObject(value) ? [...value.values()] : [];
  return parts.length === 0 || random.oneIn(3) ? value : partOf(random, random.pick(parts));
}

const numbers = [
  '-0',
  '1e120000',
  '1e-120000',
  '-1E+400',
  '0.1',
  '9223372036854775808',
  '99999999999999999999999999999999999999999999999999',
  '1.0',
  '1e9999999999',
  `1${'0'.repeat(99)}`,
  `1${'0'.repeat(100)}`,
  '2147483648',
  '1e-9999999999999',
];

const strings = [
  '',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'x\udc00y',
  '\ufffe\uffff',
  '\u{1f600}'.repeat(50),
  'NaN',
  '-Infinity',
  '2024-02-30T25:61:61Z',
  '-292275055-05-16T16:47:04.192Z',
  'P1Y2W',
  '::ffff:999.1.1.1',
  '00000000-0000-0000-0000-00000000000g',
  'x'.repeat(70_000),
  "'); DROP TABLE tables; --",
];

function junk(random: SeededRandom): JsonValue {
  switch (random.below(7)) {
    case 0:
      return null;
    case 1:
      return random.oneIn(2);
    case 2:
      return new JsonNumber(random.pick(numbers));
    case 3:
      return random.pick(strings);
    case 4:
      return random.oneIn(2) ? [] : new Map();
    case 5:
      return nested(random, 1 + random.below(random.oneIn(4) ? 1_100 : 60));
    default: {
      const name = random.pick([
        '$binary',
        '$date',
        '$uuid',
        '$objectId',
        '$eq',
        '$in',
        '$and',
        '$or',
        '$not',
      ]);
      return new Map([[name, random.oneIn(2) ? random.pick(strings) : junk(random)]]);
    }
  }
}

function nested(random: SeededRandom, depth: number): JsonValue {
  const name = random.pick([undefined, 'a', '$not', '$and', '$or', '$in']);
  let value: JsonValue = random.oneIn(2) ? null : new Map();
  const isList = name === '$and' || name === '$or';
  for (let level = 0; level < depth; level += isList ? 2 : 1) {
    if (name === undefined) value = [value];
    else value = new Map([[name, isList ? [value] : value]]);
  }
  return value;
}

function mutateString(random: SeededRandom, text: string): string {
  const at = random.below(text.length + 1);
  switch (random.below(4)) {
    case 0:
      return text.slice(0, at);
    case 1:
      return text + text;
    case 2:
      return text.slice(0, at) + String.fromCharCode(random.below(0x10000)) + text.slice(at);
    default:
      return text.toUpperCase();
  }
}

function mutateBytes(random: SeededRandom, text: Buffer): Buffer {
  const from = random.below(text.length + 1);
  const to = Math.min(text.length, from + 1 + random.below(40));
  const [before, part, after] = [text.subarray(0, from), text.subarray(from, to), text.subarray(to)];
  switch (random.below(6)) {
    case 0:
      return before; // cut off
    case 1:
      return Buffer.concat([before, part, part, after]);
    case 2:
      return Buffer.concat([before, after]);
    case 3:
      return Buffer.concat([before, Buffer.from([random.below(256)]), after]);
    case 4:
      return Buffer.concat([
        before,
        Buffer.from(random.pick(['{', '}', '[', ']', '"', '\\', ',', ':', '\0'])),
        part,
        after,
      ]);
    default:
      return Buffer.concat([text, text]);
  }
}
