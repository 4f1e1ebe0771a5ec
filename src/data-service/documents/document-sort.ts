// Sorts of documents: by the values at paths, then by `_id`.
import type { JsonObject, JsonValue } from '../../foundation/json/json-value.js';
import type { Path } from './path.js';
import { compareValues, valueAt } from './values.js';

/** A path to sort by: 1 ascending, with missing values first; -1 the reverse. */
export interface SortKey {
  readonly path: Path;
  readonly direction: 1 | -1;
}

/** What a command sorts by. */
export type DocumentSort =
  | { readonly kind: 'none' }
  /** At least one key, the most important one first. */
  | { readonly kind: 'paths'; readonly keys: readonly SortKey[] }
  | { readonly kind: 'vector'; readonly vector: Float32Array }
  /** A text, not blank, whose vector is searched for. */
  | { readonly kind: 'vectorize'; readonly text: string }
  /** A text whose words are searched for. */
  | { readonly kind: 'lexical'; readonly text: string };

/** The values of a document that decide its place: those of the keys, then its `_id`. */
export type SortValues = readonly (JsonValue | undefined)[];

const idPath: Path = ['_id'];

/** What is compared of a whole document; enough to sort it without keeping it. */
export function sortValues(document: JsonObject, keys: readonly SortKey[]): SortValues {
  const values = keys.map(({ path }) => valueAt(document, path));
  values.push(document.get('_id'));
  return values;
}

/** The order of documents by their values: equal ones by ascending `_id`, whatever the directions. */
export function compareSortValues(keys: readonly SortKey[]): (left: SortValues, right: SortValues) => number {
  const directions = [...keys.map(({ direction }) => direction), 1];
  return (left, right) => {
    for (let at = 0; at < directions.length; at += 1) {
      const order = compareValues(left[at], right[at]);
      if (order !== 0) return order * (directions[at] ?? 1);
    }
    return 0;
  };
}

/** Compares whole documents in the order of the keys. */
export function compareBySort(keys: readonly SortKey[]): (left: JsonObject, right: JsonObject) => number {
  const compared: readonly SortKey[] = [...keys, { path: idPath, direction: 1 }];
  return (left, right) => {
    for (const { path, direction } of compared) {
      const order = compareValues(valueAt(left, path), valueAt(right, path));
      if (order !== 0) return order * direction;
    }
    return 0;
  };
}
