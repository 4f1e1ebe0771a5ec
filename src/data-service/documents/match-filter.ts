// Prepares filters for many documents: a test that compares a whole document and allocates nearly nothing.
import { isJsonArray, type JsonObject, type JsonValue } from '../../foundation/json/json-value.js';
import type { Analyzer } from '../text-analysis/analyzer.js';
import { listOperators, valueOperators } from './condition-operators.js';
import type { DocumentFilter, SizeCondition } from './document-filter.js';
import { isArrayIndex, type Path } from './path.js';
import type { ValueTest } from './value-tests.js';
import { isReservedName } from './values.js';
import { withoutPaths } from './without-paths.js';

/** Whether a whole document matches. */
type DocumentTest = (document: JsonObject) => boolean;

const preparedTests = new WeakMap<
  DocumentFilter,
  { readonly analyzer: Analyzer | undefined; readonly test: DocumentTest }
>();

/**
 * Whether a whole document matches. What a filter needs for this is prepared once, so use the same filter object for
 * many documents. A filter with a `match` needs the analyzer of the collection.
 */
export function matchesDocument(
  filter: DocumentFilter,
  document: JsonObject,
  analyzer?: Analyzer | undefined,
): boolean {
  let prepared = preparedTests.get(filter);
  if (prepared === undefined || prepared.analyzer !== analyzer) {
    prepared = { analyzer, test: prepareFilter(filter, analyzer && wordReader(analyzer)) };
    preparedTests.set(filter, prepared);
  }
  return prepared.test(document);
}

/** The words of a text. */
type WordReader = (text: string) => ReadonlySet<string>;

/** Keeps the words of the last text, which the conditions of a filter read one after another. */
function wordReader(analyzer: Analyzer): WordReader {
  let last: { readonly text: string; readonly words: ReadonlySet<string> } | undefined;
  return (text) => {
    if (last?.text !== text) last = { text, words: new Set(analyzer.analyze(text)) };
    return last.words;
  };
}

/**
 * The test of a filter.
 * @throws TypeError for a `match` without an analyzer
 */
function prepareFilter(filter: DocumentFilter, readWords: WordReader | undefined): DocumentTest {
  switch (filter.kind) {
    case 'and': {
      const tests = filter.filters.map((part) => prepareFilter(part, readWords));
      return (document) => tests.every((test) => test(document));
    }
    case 'or': {
      const tests = filter.filters.map((part) => prepareFilter(part, readWords));
      return (document) => tests.some((test) => test(document));
    }
    case 'value':
      return atValue(filter, valueOperators[filter.operator].test(filter.operand));
    case 'list':
      return atValue(filter, listOperators[filter.operator].test(filter.operands));
    case 'size':
      return atValue(filter, sizeTest(filter));
    case 'exists': {
      const { isPresent } = filter;
      const read = readerOf(filter.path);
      return (document) => (read(document) !== undefined) === isPresent;
    }
    case 'match':
      return wordTest(filter.text, readWords);
  }
}

/** The contents of reserved members cannot be compared: they count as missing. */
function atValue(
  { path, ignored }: { readonly path: Path; readonly ignored?: readonly Path[] },
  test: ValueTest,
): DocumentTest {
  if (isReservedName(path[0] ?? '')) {
    const result = test(undefined);
    return () => result;
  }
  const read = readerOf(path);
  if (ignored === undefined) return (document) => test(read(document));
  return (document) => {
    const value = read(document);
    return test(value === undefined ? undefined : withoutPaths(value, ignored));
  };
}

/** Reads the value at a path as `valueAt` does, with the indexes of arrays known in advance. */
function readerOf(path: Path): (document: JsonObject) => JsonValue | undefined {
  const [first = '', ...rest] = path;
  if (rest.length === 0) return (document) => document.get(first);
  // Negative indexes of arrays have no element.
  const indexes = rest.map((part) => (isArrayIndex(part) ? Number(part) : -1));
  return (document) => {
    let value = document.get(first);
    for (let at = 0; at < rest.length; at += 1) {
      if (Array.isArray(value)) value = value[indexes[at] ?? -1];
      else if (value instanceof Map) value = value.get(rest[at] ?? '');
      else return undefined;
    }
    return value;
  };
}

function sizeTest({ size, isEqual }: SizeCondition): ValueTest {
  return (value) => (value !== undefined && isJsonArray(value) && value.length === size) === isEqual;
}

function wordTest(text: string, readWords: WordReader | undefined): DocumentTest {
  if (readWords === undefined) throw new TypeError('a filter with a match needs an analyzer');
  const words = [...readWords(text)];
  return (document) => {
    const content = document.get('$lexical');
    if (typeof content !== 'string' || words.length === 0) return false;
    const found = readWords(content);
    return words.every((word) => found.has(word));
  };
}
