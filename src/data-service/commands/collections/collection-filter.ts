// The filter of a command on a collection: by keys where it names ids, by words where it has a `$match`, by documents.
import type { JsonObject } from '../../../foundation/json/json-value.js';
import { conjunctsOf, type DocumentFilter } from '../../documents/document-filter.js';
import { parseDocumentFilter } from '../../documents/parse-document-filter.js';
import { apiError } from '../../errors/api-error.js';
import { type Comparison, type Filter, matchAll } from '../../query/filter.js';
import { type FilterOperator, filterOperatorNamed, matchOperator } from '../../query/filter-operators.js';
import { distinctTokens, searchedIndexOn, tokensToFind } from '../../query/word-search.js';
import { type Collection, collectionColumns } from '../../schema/collection.js';
import { documentRules } from '../../schema/document-rules.js';
import type { TextIndex } from '../../schema/table.js';

/** A filter on documents. */
export interface CollectionFilter {
  /** For reads. */
  readonly filter: Filter;
  /** For writes, which compare the document again. */
  readonly documentFilter: DocumentFilter;
  /** The key of the only document that can match, if the filter names it. */
  readonly onlyKey: Uint8Array | undefined;
  /** The filter as it was sent. */
  readonly json: JsonObject | undefined;
}

/**
 * Parses a filter.
 * @throws ApiError scope FILTER
 */
export function parseCollectionFilter(
  json: JsonObject | undefined,
  collection: Collection,
): CollectionFilter {
  const { collection: settings, keyspace, name: table } = collection;
  const lexical = settings.lexical === undefined ? 'disabled' : 'enabled';
  const { filter, id } = parseDocumentFilter(json, { indexing: settings.indexing, lexical, keyspace, table });
  const keys = id?.ids.map(({ key }) => key);
  const conditions: Filter[] = keys === undefined ? [] : [keyCondition(collection, keys)];
  const rest: DocumentFilter[] = [];
  const parts = conjunctsOf(filter);
  const index = parts.some(({ kind }) => kind === 'match') ? lexicalIndex(collection) : undefined;
  for (const part of parts) {
    if (part.kind === 'match' && index !== undefined) conditions.push(matchCondition(index, part.text));
    else if (keys === undefined || !isKeyCondition(part)) rest.push(part);
  }
  if (rest.length > 0) {
    const { analyzer } = documentRules(collection);
    const analyzed = analyzer === undefined ? {} : { analyzer };
    conditions.push({ kind: 'document', collection, filter: allOf(rest), ...analyzed });
  }
  const [only = matchAll] = conditions;
  return {
    filter: conditions.length > 1 ? { kind: 'and', filters: conditions } : only,
    documentFilter: filter,
    onlyKey: keys?.length === 1 ? keys[0] : undefined,
    json,
  };
}

/**
 * The text index of `$lexical`, if it is enabled.
 * @throws ApiError UNAVAILABLE_DATABASE while it is being built
 */
export function lexicalIndex(collection: Collection): TextIndex | undefined {
  const { lexical } = collectionColumns(collection);
  return lexical && searchedIndexOn(collection, lexical);
}

function allOf(filters: readonly DocumentFilter[]): DocumentFilter {
  const [only] = filters;
  return filters.length === 1 && only !== undefined ? only : { kind: 'and', filters };
}

function isKeyCondition(filter: DocumentFilter): boolean {
  if (filter.kind !== 'value' && filter.kind !== 'list') return false;
  const isEquality = filter.operator === '$eq' || filter.operator === '$in';
  return isEquality && filter.path.length === 1 && filter.path[0] === '_id';
}

function keyCondition(collection: Collection, keys: readonly Uint8Array[]): Comparison {
  const { key: column } = collectionColumns(collection);
  return {
    kind: 'comparison',
    column,
    operator: operatorNamed(keys.length === 1 ? '$eq' : '$in'),
    operands: keys,
  };
}

function operatorNamed(name: '$eq' | '$in'): FilterOperator {
  const operator = filterOperatorNamed(name);
  if (operator === undefined) throw new TypeError(`${name} is not an operator`);
  return operator;
}

function matchCondition({ column, analyzer }: TextIndex, text: string): Comparison {
  const invalid = (problem: string) => apiError('filter', 'FILTER_INVALID_EXPRESSION', { problem });
  const operands = distinctTokens(tokensToFind(text, analyzer, invalid));
  return { kind: 'comparison', column, operator: matchOperator, analyzer, operands };
}
