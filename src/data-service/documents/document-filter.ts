// Filters on documents: conditions on values at paths, under `and` and `or`. Negations are operators.
import type { OperatorName } from '../../descriptions/filter-operators.js';
import type { JsonValue } from '../../foundation/json/json-value.js';
import type { Path } from './path.js';
import { isScalar } from './value-tests.js';

/** A filter; an `and` without parts matches every document. */
export type DocumentFilter =
  | { readonly kind: 'and' | 'or'; readonly filters: readonly DocumentFilter[] }
  | DocumentCondition;

export type DocumentCondition =
  | ValueCondition
  | ListCondition
  | PresenceCondition
  | SizeCondition
  | WordCondition;

/** What all conditions on a path have. */
export interface PathCondition {
  readonly path: Path;
  /**
   * Paths below the value that are not indexed: without them the value is compared. Absent: there are none, or only
   * scalars are compared.
   */
  readonly ignored?: readonly Path[];
}

/** The operators that compare with one value. `$ne` matches exactly what `$eq` does not. */
export type ValueOperator = OperatorName<'documents', 'value'>;
/** Compares the value at a path. Ranges match only values of the kind of the operand. */
export interface ValueCondition extends PathCondition {
  readonly kind: 'value';
  readonly operator: ValueOperator;
  readonly operand: JsonValue;
}

/** The operators with a list. `$nin` and `notAll` match exactly what `$in` and `$all` do not. */
export type ListOperator = OperatorName<'documents', 'list'> | 'notAll';
/** Compares the value at a path, or the elements of an array there, with a list. */
export interface ListCondition extends PathCondition {
  readonly kind: 'list';
  readonly operator: ListOperator;
  readonly operands: readonly JsonValue[];
}

/** Whether there is a value at the path; null is one. */
export interface PresenceCondition {
  readonly kind: 'exists';
  readonly path: Path;
  readonly isPresent: boolean;
}

/** Whether an array of `size` elements is at the path. */
export interface SizeCondition {
  readonly kind: 'size';
  readonly path: Path;
  readonly size: number;
  /** False: matches everything except such arrays, also missing values. */
  readonly isEqual: boolean;
}

/** Whether all words of a text occur in `$lexical`. */
export interface WordCondition {
  readonly kind: 'match';
  readonly text: string;
}

/** So many values of an `$all` are searched for one by one, without a text of each element. */
export const mostSearched = 8;

/** The filter without conditions. */
export const everyDocument: DocumentFilter = { kind: 'and', filters: [] };

/** How many times a test of a filter looks at each value of a document at most. */
export function comparisonsOf(filter: DocumentFilter): number {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.filters.reduce((sum, part) => sum + comparisonsOf(part), 0);
    case 'value':
      return 1;
    case 'list':
      return listComparisons(filter);
    case 'exists':
    case 'size':
    case 'match':
      return 0;
  }
}

function listComparisons({ operator, operands }: ListCondition): number {
  if (operator === '$all' || operator === 'notAll') return Math.min(operands.length, mostSearched);
  // Scalars are looked up in a set; each array or object is compared for itself.
  return 1 + operands.filter((operand) => !isScalar(operand)).length;
}

/** Whether a part of a filter reads the words of `$lexical`. */
export function readsWords(filter: DocumentFilter): boolean {
  return 'filters' in filter ? filter.filters.some(readsWords) : filter.kind === 'match';
}

/** The filters that must all match. */
export function conjunctsOf(filter: DocumentFilter): readonly DocumentFilter[] {
  return filter.kind === 'and' ? filter.filters.flatMap(conjunctsOf) : [filter];
}
