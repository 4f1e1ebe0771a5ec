// Projections of documents: which members a reply has.
import {
  isJsonArray,
  isJsonObject,
  type JsonArray,
  JsonNumber,
  type JsonObject,
  type JsonValue,
} from '../../foundation/json/json-value.js';
import { apiError } from '../errors/api-error.js';
import { showJson } from '../errors/request-problems.js';
import { extendedName } from './extended-values.js';
import { InvalidPath, parsePath } from './path.js';
import { isReservedName } from './values.js';

export interface DocumentProjection {
  /** Whether it is the whole document without its reserved members, as it is stored. */
  readonly isPlain: boolean;
  /** Whether the result can have reserved members. */
  readonly needsReserved: boolean;
  readonly mode: 'none' | 'all' | 'include' | 'exclude';
  /** Only with `_id`, unless false. */
  readonly id: boolean;
  /** Reserved members to show. */
  readonly reserved: ReadonlySet<string>;
  readonly tree: ProjectionTree;
}

/** The paths of a projection. */
interface ProjectionTree {
  /** The paths of an inclusion or exclusion end here. */
  isEnd: boolean;
  slice: Slice | undefined;
  readonly below: Map<string, ProjectionTree>;
}

interface Slice {
  readonly skip: number | null;
  readonly count: number;
}

const plain: DocumentProjection = {
  isPlain: true,
  needsReserved: false,
  mode: 'exclude',
  id: true,
  reserved: new Set(),
  tree: emptyTree(),
};

function emptyTree(): ProjectionTree {
  return { isEnd: false, slice: undefined, below: new Map() };
}

/**
 * Reads a projection; absent and `{}` are the plain one.
 * @throws ApiError UNSUPPORTED_PROJECTION_DEFINITION, UNSUPPORTED_PROJECTION_PARAM
 */
export function parseDocumentProjection(json: JsonValue | undefined): DocumentProjection {
  if (json === undefined) return plain;
  if (json === null || !isJsonObject(json))
    throw apiError('projection', 'UNSUPPORTED_PROJECTION_DEFINITION', { found: showJson(json) });
  if (json.size === 0) return plain;
  const star = json.get('*');
  if (star !== undefined) {
    if (json.size > 1) throw invalid('"*" cannot be combined with paths');
    const mode = isIncluded('*', star) ? 'all' : 'none';
    return { ...plain, isPlain: false, needsReserved: mode === 'all', mode };
  }
  return new ProjectionReader().read(json);
}

function invalid(problem: string): Error {
  return apiError('projection', 'UNSUPPORTED_PROJECTION_PARAM', { problem });
}

function isIncluded(path: string, value: JsonValue): boolean {
  if (typeof value === 'boolean') return value;
  if (value instanceof JsonNumber) return Number(value.text) !== 0;
  throw invalid(
    `the value of "${path}" must be true, false, a number or {"$slice": …}, but is ${showJson(value)}`,
  );
}

class ProjectionReader {
  readonly #tree = emptyTree();
  readonly #reserved = new Set<string>();
  #id: boolean | undefined;
  #mode: 'include' | 'exclude' | undefined;

  read(json: JsonObject): DocumentProjection {
    for (const [name, value] of json) this.#readMember(name, value);
    const mode = this.#mode ?? 'exclude';
    const id = this.#id ?? true;
    const isPlain = mode === 'exclude' && id && this.#reserved.size === 0 && this.#tree.below.size === 0;
    const needsReserved = this.#reserved.size > 0;
    return { isPlain, needsReserved, mode, id, reserved: this.#reserved, tree: this.#tree };
  }

  #readMember(name: string, value: JsonValue): void {
    if (name === '_id' && !isObject(value)) {
      this.#id = isIncluded(name, value);
      return;
    }
    if (isReservedName(name) && !isObject(value)) {
      if (isIncluded(name, value)) this.#reserved.add(name);
      return;
    }
    this.#readPath(this.#tree, name, name, value);
  }

  #readPath(at: ProjectionTree, text: string, place: string, value: JsonValue): void {
    const node = this.#nodeAt(at, text, place);
    if (!isObject(value)) {
      this.#setMode(isIncluded(place, value) ? 'include' : 'exclude', place);
      this.#end(node, place);
      return;
    }
    if (value.size === 0) throw invalid(`the value of "${place}" is an empty object`);
    for (const [name, member] of value) {
      if (name === '*') throw invalid('"*" is only possible as the whole projection');
      if (name === '$slice') {
        if (value.size > 1) throw invalid(`"$slice" of "${place}" cannot be combined with other members`);
        this.#end(node, place);
        node.slice = parseSlice(place, member);
      } else if (name.startsWith('$'))
        throw invalid(`the operator "${name}" is not known; there is "$slice"`);
      else this.#readPath(node, name, `${place}.${name}`, member);
    }
  }

  #setMode(mode: 'include' | 'exclude', place: string): void {
    if (this.#mode !== undefined && this.#mode !== mode)
      throw invalid(
        `"${place}" mixes inclusion and exclusion; only _id, $vector, $vectorize and $lexical may differ`,
      );
    this.#mode = mode;
  }

  #end(node: ProjectionTree, place: string): void {
    if (node.isEnd || node.below.size > 0)
      throw invalid(`the path "${place}" is in the projection twice, or with a path inside it`);
    node.isEnd = true;
  }

  #nodeAt(from: ProjectionTree, text: string, place: string): ProjectionTree {
    let node = from;
    for (const part of partsOf(text, place)) {
      if (part.startsWith('$')) throw invalid(`the path "${place}" begins with "$"`);
      if (node.isEnd) throw invalid(`the path "${place}" is inside another path of the projection`);
      let next = node.below.get(part);
      if (next === undefined) {
        next = emptyTree();
        node.below.set(part, next);
      }
      node = next;
    }
    if (node.isEnd) throw invalid(`the path "${place}" is in the projection twice, or with a path inside it`);
    return node;
  }
}

function isObject(value: JsonValue): value is JsonObject {
  return value !== null && isJsonObject(value);
}

function partsOf(text: string, place: string): readonly string[] {
  try {
    return parsePath(text);
  } catch (error) {
    if (!(error instanceof InvalidPath)) throw error;
    throw invalid(`the path "${place}" is not valid: ${error.message}`);
  }
}

function parseSlice(place: string, json: JsonValue): Slice {
  const numbers = json !== null && typeof json === 'object' && isJsonArray(json) ? json : [json];
  const [first, second] = numbers.map((one) => (one instanceof JsonNumber ? Number(one.text) : Number.NaN));
  const isPair = numbers.length === 2 && json !== null && typeof json === 'object' && isJsonArray(json);
  const isOne = !(json !== null && typeof json === 'object' && isJsonArray(json));
  const isValid = isOne
    ? Number.isInteger(first)
    : isPair && Number.isInteger(first) && Number.isInteger(second) && Number(second) >= 0;
  if (!isValid)
    throw invalid(
      `"$slice" of "${place}" must be an integer, or an array of an integer and a count, but is ${showJson(json)}`,
    );
  return isPair ? { skip: Number(first), count: Number(second) } : { skip: null, count: Number(first) };
}

/** The members of a whole document that a projection has, in the order of the document. */
export function project(projection: DocumentProjection, whole: JsonObject): JsonObject {
  const { mode, id, reserved, tree } = projection;
  if (mode === 'all') return whole;
  const shown = new Map<string, JsonValue>();
  if (mode === 'none') return shown;
  for (const [name, value] of whole) {
    if (name === '_id') {
      if (id) shown.set(name, value);
    } else if (isReservedName(name)) {
      if (reserved.has(name)) shown.set(name, value);
    } else {
      const kept = projected(value, tree.below.get(name), mode);
      if (kept !== undefined) shown.set(name, kept);
    }
  }
  return shown;
}

/** Undefined if the member is left out. */
function projected(
  value: JsonValue,
  node: ProjectionTree | undefined,
  mode: 'include' | 'exclude',
): JsonValue | undefined {
  if (node === undefined) return mode === 'include' ? undefined : value;
  if (node.slice !== undefined) return sliced(value, node.slice);
  if (node.isEnd) return mode === 'include' ? value : undefined;
  // Scalars on the way are kept, extended values too.
  if (value === null || typeof value !== 'object' || value instanceof JsonNumber) return value;
  if (isJsonArray(value)) return projectedElements(value, node, mode);
  if (extendedName(value) !== undefined) return value;
  const shown = new Map<string, JsonValue>();
  for (const [name, member] of value) {
    const kept = projected(member, node.below.get(name), mode);
    if (kept !== undefined) shown.set(name, kept);
  }
  return shown;
}

/** Elements have the paths of their array. Scalars are kept. */
function projectedElements(
  elements: JsonArray,
  node: ProjectionTree,
  mode: 'include' | 'exclude',
): JsonArray {
  return elements.map((element) => projected(element, node, mode) ?? null);
}

function sliced(value: JsonValue, { skip, count }: Slice): JsonValue {
  if (value === null || typeof value !== 'object' || !isJsonArray(value)) return value;
  if (skip === null) return count < 0 ? value.slice(count) : value.slice(0, count);
  const from = skip < 0 ? Math.max(0, value.length + skip) : skip;
  return value.slice(from, from + count);
}
