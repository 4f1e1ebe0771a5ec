// The index entries of a document: what a storage keeps in order so that filters find documents by any path. An entry
// is a path and a key. Keys are in the order of values; long texts, arrays and objects have shortened keys, so
// documents that are found by entries must still be compared with the filter.
import {
  type JsonArray,
  type JsonObject,
  type JsonValue,
  quoteJson,
} from '../../foundation/json/json-value.js';
import type { SqlValue } from '../../foundation/sqlite/sql-value.js';
import { text as textType } from '../column-types/text.js';
import { canonicalNumber } from './numbers.js';
import { escapeName, type Path } from './path.js';
import { type ComparedValue, comparedValue } from './values.js';

/** The key of a value in an entry: numbers before texts before bytes, as SQLite orders them. */
export type EntryKey = Exclude<SqlValue, null>;

/** A part of the entries of one path: keys from `low` to `high`, both included. */
export interface EntryRange {
  readonly path: string;
  /** The keys: of one value, of arrays of one size, of every value, or of all values in a range. */
  readonly kind: 'value' | 'size' | 'present' | 'range';
  readonly low: EntryKey;
  readonly high: EntryKey;
  /** Whether every entry of the range is of a document that matches. */
  readonly isExact: boolean;
  /** Whether every entry with another key is exact; absent if that is not known. */
  readonly exactExcept?: EntryKey | undefined;
}

/** The part of a path that stands for all elements of an array. It cannot be the name of a member, see `path.ts`. */
export const anyElement = '&*';

/** The first bytes of keys that are neither numbers nor texts. */
const tag = { null: 1, object: 4, array: 5, boolean: 6, date: 7 } as const;
/** Texts of more UTF-16 units have a shortened key. */
const longestKey = 56;
const prefixLength = 48;
/** No key of a text is behind it, because it is as long as the longest key. */
const highestCharacters = '\u{10ffff}'.repeat(longestKey / 2);

/** Whether documents can be found by a path; undefined: by every path. */
export type IsIndexed = ((path: Path) => boolean) | undefined;

/** Calls `add` for each entry of a document. `_id` and the reserved members have none: they are columns. */
export function addEntries(
  document: JsonObject,
  isIndexed: IsIndexed,
  add: (path: string, key: EntryKey) => void,
): void {
  const walk = new EntryWalk(isIndexed, add);
  for (const [name, value] of document) {
    if (name === '_id' || name.startsWith('$')) continue;
    walk.addValue(escapeName(name), isIndexed === undefined ? noPath : [name], value);
  }
}

const noPath: Path = [];

class EntryWalk {
  readonly #isIndexed: IsIndexed;
  readonly #add: (path: string, key: EntryKey) => void;

  constructor(isIndexed: IsIndexed, add: (path: string, key: EntryKey) => void) {
    this.#isIndexed = isIndexed;
    this.#add = add;
  }

  /** `path` is only kept if some paths are not indexed. */
  addValue(entryPath: string, path: Path, value: JsonValue): void {
    const compared = comparedValue(value);
    if (this.#isIndexed?.(path) !== false) this.#add(entryPath, entryKey(compared));
    // Members of a path that is not indexed can be, if a list of paths allows them.
    if (compared.kind === 'array') this.#addElements(`${entryPath}.${anyElement}`, path, compared.elements);
    else if (compared.kind === 'object') this.#addMembers(entryPath, path, compared.members);
  }

  #addElements(entryPath: string, path: Path, elements: JsonArray): void {
    for (const [at, element] of elements.entries())
      this.addValue(entryPath, this.#isIndexed === undefined ? noPath : [...path, String(at)], element);
  }

  #addMembers(entryPath: string, path: Path, members: JsonObject): void {
    for (const [name, member] of members) {
      const below = this.#isIndexed === undefined ? noPath : [...path, name];
      this.addValue(`${entryPath}.${escapeName(name)}`, below, member);
    }
  }
}

/** A text by which entries of one document are equal; a document can have an entry several times. */
export function entryIdentity(path: string, key: EntryKey): string {
  const text = key instanceof Uint8Array ? Buffer.from(key).toString('latin1') : String(key);
  return `${path.length} ${path} ${key instanceof Uint8Array ? 'bytes' : typeof key} ${text}`;
}

/** The key of a value. */
export function entryKey(value: ComparedValue): EntryKey {
  switch (value.kind) {
    case 'null':
      return Uint8Array.of(tag.null);
    case 'number':
      return Number(value.text);
    case 'string':
      return textType.sql.encode(keyText(value.text));
    case 'boolean':
      return Uint8Array.of(tag.boolean, Number(value.value));
    case 'date':
      return dateKey(value.text);
    case 'array':
      return arrayKey(value.elements);
    case 'object':
      return objectKey(value.members);
  }
}

function keyText(text: string): string {
  return text.length <= longestKey ? text : prefixOf(text) + hashOf(text).toString('base64url');
}

/** Does not end between the halves of a surrogate pair. */
function prefixOf(text: string, length = prefixLength): string {
  const isPair = (text.charCodeAt(length - 1) & 0xfc00) === 0xd800;
  return text.slice(0, isPair ? length - 1 : length);
}

/** In the order of time; times beyond 64 bits are at the ends. */
function dateKey(text: string): Uint8Array {
  const key = Buffer.alloc(9, tag.date);
  const time = BigInt(text);
  key.writeBigUInt64BE(time < leastTime ? 0n : time >= -leastTime ? mostUnsigned : time - leastTime, 1);
  return key;
}

const leastTime = -(2n ** 63n);
const mostUnsigned = 2n ** 64n - 1n;

function arrayKey(elements: JsonArray): Uint8Array {
  const key = Buffer.alloc(5 + hashBytes, tag.array);
  key.writeUInt32BE(elements.length, 1);
  writeHash(key, 5, canonicalText(elements));
  return key;
}

function objectKey(members: JsonObject): Uint8Array {
  const key = Buffer.alloc(1 + hashBytes, tag.object);
  writeHash(key, 1, canonicalText(members));
  return key;
}

/** A text that equal values share (`compareValues`), and no others. */
export function canonicalText(value: JsonValue): string {
  const compared = comparedValue(value);
  switch (compared.kind) {
    case 'null':
      return 'z';
    case 'number':
      return `n${canonicalNumber(compared.text)}`;
    case 'string':
      return quoteJson(compared.text);
    case 'boolean':
      return compared.value ? 't' : 'f';
    case 'date':
      return `d${canonicalNumber(compared.text)}`;
    case 'array':
      return `[${compared.elements.map(canonicalText).join(',')}]`;
    case 'object':
      return `{${[...compared.members].map(canonicalMember).join(',')}}`;
  }
}

function canonicalMember([name, member]: readonly [string, JsonValue]): string {
  return `${quoteJson(name)}:${canonicalText(member)}`;
}

function hashOf(text: string): Buffer {
  const hash = Buffer.alloc(hashBytes);
  writeHash(hash, 0, text);
  return hash;
}

/** Equal hashes of different values only cost time. */
const hashBytes = 6;

function writeHash(target: Buffer, position: number, text: string): void {
  let [one, other] = [0x811c9dc5, 0x41c6ce57];
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    one = Math.imul(one ^ unit, 0x01000193);
    other = Math.imul(other ^ unit, 0x5bd1e995);
  }
  one ^= one >>> 15;
  other ^= other >>> 13;
  target.writeUInt32BE(one >>> 0, position);
  target.writeUInt16BE((other >>> 0) & 0xffff, position + 4);
}

/** The number of elements of the array that has this key; undefined for keys of other values. */
export function sizeOfArrayKey(key: EntryKey): number | undefined {
  if (!(key instanceof Uint8Array) || key[0] !== tag.array) return undefined;
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).readUInt32BE(1);
}

/** The keys of values that equal this one. */
export function equalKeys(value: JsonValue): {
  readonly low: EntryKey;
  readonly high: EntryKey;
  readonly isExact: boolean;
} {
  const compared = comparedValue(value);
  const key = entryKey(compared);
  return { low: key, high: key, isExact: isExactKey(compared) };
}

/** Whether no other value has this key. */
function isExactKey(value: ComparedValue): boolean {
  switch (value.kind) {
    case 'string':
      // A shortened key is the text of a value, too.
      return value.text.length < prefixLength && value.text.isWellFormed();
    case 'number': // many digits have the same double
    case 'array':
    case 'object':
      return false;
    default:
      return true;
  }
}

/**
 * The keys of all values of a kind that a comparison can select, from `operator` and its operand; `exactExcept`: those
 * with another key are selected, because keys of numbers, booleans and dates never change their order.
 */
export function comparedKeys(
  operator: '$gt' | '$gte' | '$lt' | '$lte',
  operand: JsonValue,
): Pick<EntryRange, 'low' | 'high' | 'exactExcept'> | undefined {
  const compared = comparedValue(operand);
  const bounds = boundsOf(compared);
  if (bounds === undefined) return undefined;
  const [least, low, high, most] = bounds;
  const exactExcept = compared.kind === 'string' ? undefined : low;
  return operator === '$gt' || operator === '$gte'
    ? { low, high: most, exactExcept }
    : { low: least, high, exactExcept };
}

/** The least key of the kind, the least and the greatest key of the value, the greatest key of the kind. */
function boundsOf(value: ComparedValue): readonly [EntryKey, EntryKey, EntryKey, EntryKey] | undefined {
  switch (value.kind) {
    case 'number': {
      const key = Number(value.text);
      return [Number.NEGATIVE_INFINITY, key, key, Number.POSITIVE_INFINITY];
    }
    case 'string': {
      const isLong = value.text.length > prefixLength;
      const prefix = textType.sql.encode(isLong ? prefixOf(value.text) : value.text);
      // The prefix of a greater text can be shorter by one unit, and a hash follows it.
      const low = textType.sql.encode(prefixOf(value.text, prefixLength - 1));
      return ['', low, isLong ? `${prefix}${highestCharacters}` : prefix, highestCharacters];
    }
    case 'boolean': {
      const key = entryKey(value);
      return [Uint8Array.of(tag.boolean, 0), key, key, Uint8Array.of(tag.boolean, 1)];
    }
    case 'date': {
      const key = entryKey(value);
      return [Uint8Array.of(tag.date), key, key, Uint8Array.of(tag.date + 1)];
    }
    default:
      return undefined;
  }
}

/** The keys of arrays with so many elements, or more. */
export function sizeKeys(least: number, most: number): { readonly low: EntryKey; readonly high: EntryKey } {
  const low = Buffer.alloc(5, tag.array);
  low.writeUInt32BE(Math.min(least, mostSize), 1);
  const high = Buffer.alloc(12, 0xff);
  high.writeUInt8(tag.array, 0);
  high.writeUInt32BE(Math.min(most, mostSize), 1);
  return { low, high };
}

const mostSize = 2 ** 32 - 1;

export const everyKey = { low: Number.NEGATIVE_INFINITY, high: Uint8Array.of(0xff) } as const;

/** The paths of entries for a path: a number is the index of an array element, or the name of a member. */
export function entryPaths(path: Path): readonly string[] {
  let paths = [''];
  for (const [at, part] of path.entries()) {
    const names =
      at > 0 && /^(?:0|[1-9][0-9]*)$/.test(part) ? [escapeName(part), anyElement] : [escapeName(part)];
    paths = paths.flatMap((before) => names.map((name) => (at === 0 ? name : `${before}.${name}`)));
  }
  return paths;
}
