// Reads documents to store: their names, values and limits, their id and their reserved members.

import {
  isJsonArray,
  isJsonObject,
  type JsonArray,
  JsonNumber,
  type JsonObject,
  type JsonValue,
  quotedLength,
  quoteJson,
  stringifyJson,
} from '../../foundation/json/json-value.js';
import { shortened } from '../../foundation/text/shorten-text.js';
import { ApiError, apiError } from '../errors/api-error.js';
import { showJson } from '../errors/request-problems.js';
import type { Analyzer } from '../text-analysis/analyzer.js';
import { type DocumentId, parseDocumentId } from './document-id.js';
import { documentLimits } from './document-limits.js';
import { extendedName, whyNotExtended } from './extended-values.js';
import { plainNumber } from './numbers.js';
import { isArrayIndex, type Path, writePath } from './path.js';
import { readVector, type VectorRules } from './read-vector.js';
import { isReservedName } from './values.js';

/** What the documents of a collection may contain. */
export interface DocumentRules {
  readonly keyspace: string;
  readonly table: string;
  /** Absent: the collection has no vectors. */
  readonly vector?: VectorRules | undefined;
  /** Whether `$lexical` is enabled. */
  readonly lexical: boolean;
  /** By which filters compare `$lexical`, whether its index is built or not. Absent: nothing compares it. */
  readonly analyzer?: Analyzer | undefined;
  /** Which paths are indexed: only they have some of the limits. Undefined: all. */
  readonly isIndexed: ((path: Path) => boolean) | undefined;
}

/** A valid document. */
export interface ReadDocument {
  /** Absent if the document has none. */
  readonly id: DocumentId | undefined;
  /** The whole document: `_id` first, numbers in the form of stored documents. What needs no change is shared. */
  readonly document: JsonObject;
  /** The vector of `$vector`; null if it is null or absent. */
  readonly vector: Float32Array | null;
}

/**
 * Reads a document.
 * @throws ApiError scope DOCUMENT, LEXICAL_NOT_ENABLED_FOR_COLLECTION
 */
export function readDocument(json: JsonObject, rules: DocumentRules): ReadDocument {
  try {
    return readOnce(json, rules);
  } catch (error) {
    // Paths are tracked only where some of them are not indexed. A second walk finds the one that the message names.
    if (error instanceof ApiError && rules.isIndexed === undefined)
      return readOnce(json, { ...rules, isIndexed: everyPath });
    throw error;
  }
}

const everyPath = () => true;

function readOnce(json: JsonObject, rules: DocumentRules): ReadDocument {
  const walk = new DocumentWalk(rules.isIndexed);
  const id = json.has('_id') ? parseDocumentId(json.get('_id') ?? null) : undefined;
  walk.countMembers(json, []);
  const sent = idFirst(json);
  let changed: Map<string, JsonValue> | undefined;
  for (const [name, value] of sent) {
    const read = rootMember(name, value, walk, rules);
    if (read === value) continue;
    changed ??= new Map(sent);
    changed.set(name, read);
  }
  const document = changed ?? sent;
  const given = document.get('$vector') ?? null;
  const vector = given === null || rules.vector === undefined ? null : readVector(given, rules.vector, rules);
  checkSize(document);
  return { id, document, vector };
}

function idFirst(json: JsonObject): JsonObject {
  const id = json.get('_id');
  const [first] = json.keys();
  return id === undefined || first === '_id' ? json : new Map([['_id', id], ...json]);
}

function rootMember(name: string, value: JsonValue, walk: DocumentWalk, rules: DocumentRules): JsonValue {
  // `parseDocumentId` checks it.
  if (name === '_id') return value instanceof JsonNumber ? plainForm(value) : value;
  return isReservedName(name) ? reservedValue(name, value, rules) : walk.member(name, value, [], 0, 1);
}

function reservedValue(name: string, value: JsonValue, rules: DocumentRules): JsonValue {
  const { keyspace, table } = rules;
  if (typeof value === 'string') checkCharacters(value);
  if (name === '$lexical') {
    if (!rules.lexical) throw apiError('schema', 'LEXICAL_NOT_ENABLED_FOR_COLLECTION', { keyspace, table });
    if (value !== null && typeof value !== 'string')
      throw apiError('document', 'SHRED_BAD_DOCUMENT_LEXICAL_TYPE', { problem: `it is ${showJson(value)}` });
    if (value !== null && Buffer.byteLength(value) > documentLimits.lexicalBytes)
      throw apiError('document', 'LEXICAL_CONTENT_TOO_LONG', { limit: documentLimits.lexicalBytes });
  }
  if (name === '$vectorize' && value !== null && typeof value !== 'string')
    throw apiError('document', 'INVALID_VECTORIZE_VALUE_TYPE', { problem: `it is ${showJson(value)}` });
  return value;
}

function violation(problem: string): Error {
  return apiError('document', 'SHRED_DOC_LIMIT_VIOLATION', { problem });
}

/** The error for a value whose limit exists for the sake of the index. */
function indexedViolation(path: Path, problem: string): Error {
  const names = path.map((part) => (isArrayIndex(part) ? '' : part));
  const end = names.indexOf(''); // a list of paths names an array as a whole
  const denied = writePath(end < 0 ? path : path.slice(0, end));
  return violation(
    `${problem}.\nValues that are not indexed may be larger, but filters and sorts cannot use them: create a ` +
      `collection whose option "indexing" leaves the path out, as {"indexing": {"deny": [${quoteJson(denied)}]}} ` +
      'does, and insert the document there',
  );
}

/** The error for a document with too many indexed values. */
function tooManyIndexed(count: number, noun: string): Error {
  return violation(
    `the document has more than ${count} ${noun}.\nWhat is not indexed does not count: create a collection whose ` +
      'option "indexing" lists the paths that filters and sorts need, as in {"indexing": {"allow": ["name"]}}, and ' +
      'insert the document there',
  );
}

function badName(problem: string): Error {
  return apiError('document', 'SHRED_BAD_FIELD_NAME', { problem });
}

/** Escapes are counted only where there may be too many characters: an escaped one takes up to six. */
function checkSize(document: JsonObject): void {
  if (jsonLength(document, ({ length }) => length + 2) * 6 <= documentLimits.characters) return;
  const length = jsonLength(document, quotedLength);
  if (length > documentLimits.characters)
    throw violation(
      `the document has ${length} characters; at most ${documentLimits.characters} are allowed`,
    );
}

/** The length of the JSON text, without writing it: for a large document that takes longer than all else. */
function jsonLength(value: JsonValue, lengthOf: (text: string) => number): number {
  if (typeof value === 'string') return lengthOf(value);
  if (value === null || typeof value === 'boolean') return value === false ? 5 : 4;
  if (value instanceof JsonNumber) return value.text.length;
  let length = 1; // a bracket, and one character after each member; with none, the other bracket
  if (isJsonArray(value)) for (const element of value) length += jsonLength(element, lengthOf) + 1;
  else for (const [name, member] of value) length += lengthOf(name) + jsonLength(member, lengthOf) + 2;
  return Math.max(2, length);
}

/** Walks a document once: checks it, and normalizes its numbers. Objects that need no change are kept. */
class DocumentWalk {
  readonly #isIndexed: DocumentRules['isIndexed'];
  #members = 0;
  #entries = 0;

  constructor(isIndexed: DocumentRules['isIndexed']) {
    this.#isIndexed = isIndexed;
  }

  /** `length`: that of the path so far; `depth`: of the object that has the member. */
  member(name: string, value: JsonValue, path: Path, length: number, depth: number): JsonValue {
    if (name === '') throw badName('a name is empty');
    if (!name.isWellFormed()) throw badName('a name has an unpaired surrogate, which is not a character');
    if (name.startsWith('$'))
      throw badName(
        `"${name}" begins with "$"; only extended values, and $vector, $vectorize and $lexical at the root, do`,
      );
    const below = length === 0 ? name.length : length + 1 + name.length;
    if (below > documentLimits.pathLength)
      throw violation(`a path has ${below} characters; at most ${documentLimits.pathLength} are allowed`);
    return this.#value(value, this.#below(path, name), below, depth);
  }

  /** Counts the members of an object. */
  countMembers({ size }: JsonObject, path: Path): void {
    if (!this.#counts(path)) return;
    if (size > documentLimits.members) throw membersViolation(path, size);
    this.#members += size;
    if (this.#members > documentLimits.allMembers)
      throw tooManyIndexed(documentLimits.allMembers, 'members in all objects');
  }

  #below(path: Path, part: string): Path {
    return this.#isIndexed === undefined ? path : [...path, part];
  }

  /** Whether the value has the limits of the index. */
  #counts(path: Path): boolean {
    return this.#isIndexed === undefined || this.#isIndexed(path);
  }

  #value(value: JsonValue, path: Path, length: number, depth: number): JsonValue {
    if (this.#counts(path)) {
      this.#entries += 1;
      if (this.#entries > documentLimits.entries) throw tooManyIndexed(documentLimits.entries, 'values');
    }
    if (value === null || typeof value === 'boolean') return value;
    if (typeof value === 'string') {
      this.#checkString(value, path);
      return value;
    }
    if (value instanceof JsonNumber) return numberOf(value, path);
    if (depth >= documentLimits.depth)
      throw violation(
        `objects and arrays are nested more than ${documentLimits.depth} levels deep at ${placeOf(path)}`,
      );
    return isJsonArray(value)
      ? this.#array(value, path, length, depth + 1)
      : this.#object(value, path, length, depth + 1);
  }

  #checkString(value: string, path: Path): void {
    checkCharacters(value);
    if (value.length * 3 <= documentLimits.stringBytes || !this.#counts(path)) return;
    const bytes = Buffer.byteLength(value);
    if (bytes > documentLimits.stringBytes)
      throw indexedViolation(
        path,
        `the string at ${placeOf(path)} is indexed and has ${bytes} bytes; at most ` +
          `${documentLimits.stringBytes} are allowed`,
      );
  }

  #array(elements: JsonArray, path: Path, length: number, depth: number): JsonValue {
    if (elements.length > documentLimits.elements && this.#counts(path))
      throw indexedViolation(
        path,
        `the array at ${placeOf(path)} is indexed and has ${elements.length} elements; at most ` +
          `${documentLimits.elements} are allowed`,
      );
    let changed: JsonValue[] | undefined;
    for (const [at, element] of elements.entries()) {
      const read = this.#value(element, this.#below(path, String(at)), length, depth);
      if (read === element) continue;
      changed ??= [...elements];
      changed[at] = read;
    }
    return changed ?? elements;
  }

  #object(members: JsonObject, path: Path, length: number, depth: number): JsonValue {
    const name = extendedName(members);
    if (name !== undefined) {
      const problem = whyNotExtended(name, members.get(name) ?? null);
      if (problem !== undefined) throw badValue(problem);
      return members;
    }
    this.countMembers(members, path);
    let changed: Map<string, JsonValue> | undefined;
    for (const [member, value] of members) {
      const read = this.member(member, value, path, length, depth);
      if (read === value) continue;
      changed ??= new Map(members);
      changed.set(member, read);
    }
    return changed ?? members;
  }
}

function checkCharacters(value: string): void {
  if (!value.isWellFormed()) throw badValue('a string has an unpaired surrogate, which is not a character');
}

function badValue(problem: string): Error {
  return apiError('document', 'SHRED_BAD_EJSON_VALUE', { problem });
}

function placeOf(path: Path): string {
  return `"${shortened(writePath(path), longestPlace)}"`;
}

/** Paths have up to 1,000 characters. */
const longestPlace = 300;

function membersViolation(path: Path, size: number): Error {
  if (path.length === 0)
    return violation(`the document has ${size} members; at most ${documentLimits.members} are allowed`);
  const place = `the object at ${placeOf(path)} is indexed and`;
  return indexedViolation(
    path,
    `${place} has ${size} members; at most ${documentLimits.members} are allowed`,
  );
}

function numberOf(number: JsonNumber, path: Path): JsonNumber {
  const plain = plainForm(number);
  const { length } = plain.text;
  if (length > documentLimits.numberLength)
    throw violation(
      `the number at ${placeOf(path)} has ${length} characters; at most ${documentLimits.numberLength} are allowed`,
    );
  return plain;
}

function plainForm(number: JsonNumber): JsonNumber {
  const text = plainNumber(number.text);
  return text === number.text ? number : new JsonNumber(text);
}

const hybridMembers = ['$lexical', '$vectorize'];

/**
 * The document with `$hybrid` as `$lexical` and `$vectorize`.
 * @throws ApiError HYBRID_FIELD_…
 */
export function expandHybrid(document: JsonObject): JsonObject {
  const hybrid = document.get('$hybrid');
  if (hybrid === undefined) return document;
  if (['$lexical', '$vector', '$vectorize'].some((name) => document.has(name)))
    throw apiError('request', 'HYBRID_FIELD_CONFLICT', {});
  const rest = [...document].filter(([name]) => name !== '$hybrid');
  return new Map([...rest, ...hybridParts(hybrid)]);
}

function hybridParts(hybrid: JsonValue): readonly (readonly [string, JsonValue])[] {
  if (hybrid === null || typeof hybrid === 'string')
    return hybridMembers.map((name) => [name, hybrid] as const);
  if (!isJsonObject(hybrid))
    throw apiError('request', 'HYBRID_FIELD_UNSUPPORTED_VALUE_TYPE', {
      problem: `it is ${showJson(hybrid)}`,
    });
  const unknown = [...hybrid.keys()].find((name) => !hybridMembers.includes(name));
  if (unknown !== undefined) throw apiError('request', 'HYBRID_FIELD_UNKNOWN_SUBFIELDS', { unknown });
  return hybridMembers.map((name) => {
    const value = hybrid.get(name) ?? null;
    if (value !== null && typeof value !== 'string') {
      const problem = `"${name}" is ${shortened(stringifyJson(value), 100)}`;
      throw apiError('request', 'HYBRID_FIELD_UNSUPPORTED_SUBFIELD_VALUE_TYPE', { problem });
    }
    return [name, value] as const;
  });
}
