// A document under an update. What operators change is copied; the rest is shared with the document before.
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../../foundation/json/json-value.js';
import { documentLimits } from '../document-limits.js';
import { isArrayIndex, type Path, writePath } from '../path.js';
import { isSameJson } from '../values.js';
import { invalidPath } from './update-problems.js';

type MutableObject = Map<string, JsonValue>;
type MutableArray = JsonValue[];
type Container = MutableObject | MutableArray;

/** A document that operators change. */
export class EditedDocument {
  readonly #root: MutableObject;
  /** Objects and arrays that belong to this document alone, so that they can be changed. */
  readonly #own = new Set<JsonValue>();
  isChanged = false;

  /** The document is not modified. */
  constructor(document: JsonObject) {
    this.#root = new Map(document);
  }

  get document(): JsonObject {
    return this.#root;
  }

  /** The value at a path; undefined if there is none. */
  valueAt(path: Path): JsonValue | undefined {
    let value: JsonValue | undefined = this.#root;
    for (const part of path) value = value === undefined ? undefined : childOf(value, part);
    return value;
  }

  /**
   * Assigns a value; missing objects on the way are created. Changed if there was none or another one.
   * @throws ApiError UNSUPPORTED_UPDATE_OPERATION_PATH
   */
  set(path: Path, value: JsonValue, isAlwaysChanged = false): void {
    const container = this.#containerOf(path);
    const last = path.at(-1) ?? '';
    const before = childOf(container, last);
    if (!isAlwaysChanged && before !== undefined && isSameJson(before, value)) return;
    this.isChanged = true;
    if (isMutableArray(container)) place(container, indexOf(last, path), value);
    else container.set(last, value);
  }

  /** Removes a member; an element becomes null. Changed if there was one. */
  remove(path: Path): void {
    const before = this.valueAt(path);
    if (before === undefined) return;
    const container = this.#containerOf(path);
    const last = path.at(-1) ?? '';
    if (isMutableArray(container)) {
      if (before === null) return;
      container[Number(last)] = null;
    } else container.delete(last);
    this.isChanged = true;
  }

  /** Whether the last part of a path is the index of an array element. */
  isElement(path: Path): boolean {
    const container = this.#existingContainerOf(path);
    return container !== undefined && isMutableArray(container);
  }

  #existingContainerOf(path: Path): Container | undefined {
    const value = this.valueAt(path.slice(0, -1));
    return value !== undefined && isContainer(value) ? value : undefined;
  }

  #containerOf(path: Path): Container {
    let container: Container = this.#root;
    for (const part of path.slice(0, -1)) {
      const child = childOf(container, part);
      if (child !== undefined && isContainer(child)) {
        container = this.#owned(container, part, child);
        continue;
      }
      // A null that an index of this path has just padded, or a missing member.
      if (child !== undefined)
        throw invalidPath(
          `"${writePath(path)}" leads through a value at "${part}" that is not an object or an array`,
        );
      const created: MutableObject = new Map();
      this.#own.add(created);
      if (isMutableArray(container)) place(container, indexOf(part, path), created);
      else container.set(part, created);
      container = created;
    }
    if (isMutableArray(container)) indexOf(path.at(-1) ?? '', path);
    return container;
  }

  /** A copy in place of the child, if it is still shared. */
  #owned(container: Container, part: string, child: Container): Container {
    if (this.#own.has(child)) return child;
    const copy = isMutableArray(child) ? [...child] : new Map(child);
    this.#own.add(copy);
    if (isMutableArray(container)) container[Number(part)] = copy;
    else container.set(part, copy);
    return copy;
  }
}

function isContainer(value: JsonValue): value is Container {
  return value !== null && typeof value === 'object' && (isJsonArray(value) || isJsonObject(value));
}

function isMutableArray(container: Container): container is MutableArray {
  return Array.isArray(container);
}

function childOf(value: JsonValue, part: string): JsonValue | undefined {
  if (value === null || typeof value !== 'object') return undefined;
  if (isJsonArray(value)) return isArrayIndex(part) ? value[Number(part)] : undefined;
  return isJsonObject(value) ? value.get(part) : undefined;
}

function indexOf(part: string, path: Path): number {
  if (!isArrayIndex(part))
    throw invalidPath(`"${writePath(path)}" has "${part}" where an array needs an index`);
  return Number(part);
}

/** Pads with null up to the index. */
function place(array: MutableArray, index: number, value: JsonValue): void {
  if (index >= documentLimits.elements && index > array.length)
    throw invalidPath(
      `the index ${index} would fill an array with more than ${documentLimits.elements} elements`,
    );
  while (array.length < index) array.push(null);
  array[index] = value;
}
