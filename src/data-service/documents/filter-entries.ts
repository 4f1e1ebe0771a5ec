// How a filter on documents uses index entries: the parts of the entries that hold one of every document that matches.
import type { JsonValue } from '../../foundation/json/json-value.js';
import type { DocumentCondition, DocumentFilter, ValueCondition } from './document-filter.js';
import {
  anyElement,
  comparedKeys,
  type EntryRange,
  entryPaths,
  equalKeys,
  everyKey,
  sizeKeys,
} from './entries.js';
import { isArrayIndex, type Path } from './path.js';
import { valueKind } from './values.js';

/** The entries of the documents that can match one condition. */
export interface EntrySeek {
  readonly ranges: readonly EntryRange[];
  /** Whether every document with such an entry matches the condition. */
  readonly isExact: boolean;
}

/** More parts of entries than this are not worth a search. */
const mostRanges = 2_000;
/** A number in a path doubles the paths of entries. */
const mostNumbers = 4;

/** The entries of the documents that can match; undefined if entries do not help. */
export function seekOf(filter: DocumentFilter): EntrySeek | undefined {
  switch (filter.kind) {
    case 'and': {
      // Inside an "or": any one of the conditions finds the documents.
      for (const part of filter.filters) {
        const seek = seekOf(part);
        if (seek !== undefined) return filter.filters.length === 1 ? seek : inexact(seek);
      }
      return undefined;
    }
    case 'or': {
      const parts = filter.filters.map(seekOf);
      if (parts.includes(undefined)) return undefined;
      return seekOfRanges(
        parts.flatMap((part) => part?.ranges ?? []),
        parts.every((part) => part?.isExact),
      );
    }
    case 'match':
      return undefined;
    default:
      return isSought(filter) ? conditionSeek(filter) : undefined;
  }
}

/** The entries of one of several conditions do not decide the others. */
function inexact({ ranges }: EntrySeek): EntrySeek {
  const inexactRanges = ranges.map(({ path, kind, low, high }) => ({
    path,
    kind,
    low,
    high,
    isExact: false,
  }));
  return { ranges: inexactRanges, isExact: false };
}

type PathOfDocument = Exclude<DocumentCondition, { kind: 'match' }>;

/** Conditions that ignore a part of an object are not found by its key. */
function isSought(condition: PathOfDocument): boolean {
  const [root = '', ...below] = condition.path;
  const numbers = below.filter(isArrayIndex).length;
  const isWhole = !('ignored' in condition) || condition.ignored === undefined;
  return root !== '_id' && !root.startsWith('$') && numbers <= mostNumbers && isWhole;
}

function seekOfRanges(ranges: readonly EntryRange[], isExact: boolean): EntrySeek | undefined {
  return ranges.length > mostRanges ? undefined : { ranges, isExact };
}

function conditionSeek(condition: PathOfDocument): EntrySeek | undefined {
  const { path } = condition;
  const paths = entryPaths(path);
  // An entry of any element is not one of the element that the filter names.
  const isOne = paths.length === 1;
  switch (condition.kind) {
    case 'value':
      return valueSeek(condition, paths);
    case 'list': {
      const { operator, operands } = condition;
      if (operator === '$in')
        return seekOfRanges(rangesOfValues(path, operands), isOne && operands.every(isExactValue));
      return operator === '$all'
        ? seekOfRanges(rangesOfElements(path, operands.slice(0, 1)), false)
        : undefined;
    }
    case 'size': {
      if (!condition.isEqual) return undefined;
      const keys = sizeKeys(condition.size, condition.size);
      return seekOfRanges(
        paths.map((one) => ({ path: one, kind: 'size', ...keys, isExact: true })),
        isOne,
      );
    }
    case 'exists':
      if (!condition.isPresent) return undefined;
      return seekOfRanges(
        paths.map((one) => ({ path: one, kind: 'present', ...everyKey, isExact: true })),
        isOne,
      );
  }
}

/** The operators that select values from their operand on, or up to it. */
const rangeOperators = ['$gt', '$gte', '$lt', '$lte'] as const;

/** Entries find the values of these operators and equal ones; of other operators every document is compared. */
function valueSeek(
  { path, operator, operand }: ValueCondition,
  paths: readonly string[],
): EntrySeek | undefined {
  if (operator === '$eq')
    return seekOfRanges(rangesOfValues(path, [operand]), paths.length === 1 && isExactValue(operand));
  const range = rangeOperators.find((each) => each === operator);
  const keys = range && comparedKeys(range, operand);
  return (
    keys &&
    seekOfRanges(
      paths.map((one) => ({ path: one, kind: 'range', ...keys, isExact: false })),
      false,
    )
  );
}

function isExactValue(value: JsonValue): boolean {
  return equalKeys(value).isExact;
}

/** The value itself and, except for null, an element of an array. */
function rangesOfValues(path: Path, values: readonly JsonValue[]): readonly EntryRange[] {
  return values.flatMap((value) => {
    if (valueKind(value) !== 'null') return rangesOfElements(path, [value]);
    return entryPaths(path).map((one) => valueRange(one, value));
  });
}

/** The value itself and an element of an array. */
function rangesOfElements(path: Path, values: readonly JsonValue[]): readonly EntryRange[] {
  const paths = entryPaths(path);
  const all = [...paths, ...paths.map((one) => `${one}.${anyElement}`)];
  return values.flatMap((value) => all.map((one) => valueRange(one, value)));
}

function valueRange(path: string, value: JsonValue): EntryRange {
  const { low, high, isExact } = equalKeys(value);
  return { path, kind: 'value', low, high, isExact };
}
