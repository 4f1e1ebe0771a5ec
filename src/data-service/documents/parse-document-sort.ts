// Parses sorts of documents, and searches, which are sorts with one special member.
import {
  isJsonObject,
  JsonNumber,
  type JsonObject,
  type JsonValue,
} from '../../foundation/json/json-value.js';
import { isZeroVector, whyTooLarge } from '../column-types/vector.js';
import { apiError } from '../errors/api-error.js';
import { showJson } from '../errors/request-problems.js';
import type { DocumentSort, SortKey } from './document-sort.js';
import { parseFieldPath } from './field-path.js';
import { isIndexed } from './indexing.js';
import type { ClauseContext } from './parse-document-filter.js';
import { InvalidPath, type Path } from './path.js';
import { type VectorRefusals, type VectorRules, vectorFloats } from './read-vector.js';

/** The collection of a sort. */
export interface SortContext extends ClauseContext {
  /** Absent: the collection has no vectors. */
  readonly vector?: VectorContext | undefined;
}

interface VectorContext extends VectorRules {
  /** Whether the collection has an embedding service. */
  readonly hasService: boolean;
}

const maxPaths = 64;

type ParseSearch = (json: JsonValue, context: SortContext) => DocumentSort;

/** The members that are a search; each of them only alone. */
const searches: ReadonlyMap<string, ParseSearch> = new Map<string, ParseSearch>([
  ['$vector', parseVector],
  ['$vectorize', parseVectorize],
  ['$lexical', parseLexical],
  [
    '$hybrid',
    () => {
      throw invalid('"$hybrid" is only possible in findAndRerank; sort by "$vectorize" or by "$lexical"');
    },
  ],
]);

/**
 * Parses a sort; absent, null and `{}` do not sort.
 * @throws ApiError scope SORT; INVALID_VECTOR_LENGTH, SHRED_BAD_VECTOR_SIZE, SHRED_BAD_VECTOR_VALUE,
 * VECTOR_SEARCH_NOT_SUPPORTED, EMBEDDING_SERVICE_NOT_CONFIGURED, LEXICAL_NOT_ENABLED_FOR_COLLECTION
 */
export function parseDocumentSort(json: JsonValue | undefined, context: SortContext): DocumentSort {
  if (json === undefined || json === null) return { kind: 'none' };
  if (!isJsonObject(json)) throw invalid(`it must be an object, but is ${showJson(json)}`);
  for (const [name, value] of json) {
    const parse = searches.get(name);
    if (parse === undefined) continue;
    if (json.size > 1) throw invalid(`"${name}" cannot be combined with other members`);
    const search = parse(value, context);
    // Words have an index of their own, which `lexical` switches off.
    if (search.kind !== 'lexical' && !isIndexed(context.indexing, ['$vector']))
      throw apiError('sort', 'SORT_CLAUSE_PATH_UNINDEXED', { path: '$vector' });
    return search;
  }
  return json.size === 0 ? { kind: 'none' } : { kind: 'paths', keys: parseKeys(json, context) };
}

function parseKeys(json: JsonObject, { indexing }: SortContext): readonly SortKey[] {
  if (json.size > maxPaths) throw invalid(`it has ${json.size} paths; at most ${maxPaths} are allowed`);
  const keys = [...json].map(([text, direction]) => ({
    path: parseSortPath(text),
    direction: parseDirection(text, direction),
    text,
  }));
  for (const { path, text } of keys)
    if (!isIndexed(indexing, path)) throw apiError('sort', 'SORT_CLAUSE_PATH_UNINDEXED', { path: text });
  return keys.map(({ path, direction }) => ({ path, direction }));
}

function parseSortPath(text: string): Path {
  try {
    return parseFieldPath(text);
  } catch (error) {
    if (!(error instanceof InvalidPath)) throw error;
    throw apiError('sort', 'SORT_CLAUSE_PATH_INVALID', { path: text, problem: error.message });
  }
}

function parseDirection(path: string, json: JsonValue): 1 | -1 {
  if (json instanceof JsonNumber) {
    if (json.text === '1') return 1;
    if (json.text === '-1') return -1;
  }
  throw invalidValue(path, `it must be 1 (ascending) or -1 (descending), but is ${showJson(json)}`);
}

function parseVector(json: JsonValue, context: SortContext): DocumentSort {
  const vector = vectorFloats(json, sortRefusals);
  const { keyspace, table, vector: stored } = context;
  if (stored === undefined) throw apiError('schema', 'VECTOR_SEARCH_NOT_SUPPORTED', { keyspace, table });
  const { dimension, metric, mostMagnitude } = stored;
  if (vector.length !== dimension) {
    const lengths = { keyspace, table, dimension, found: vector.length };
    throw apiError('document', 'INVALID_VECTOR_LENGTH', lengths);
  }
  if (metric === 'cosine' && isZeroVector(vector))
    throw invalidValue('$vector', 'a zero vector has no direction, which the metric cosine needs');
  const large = mostMagnitude === undefined ? undefined : whyTooLarge(vector, mostMagnitude);
  if (large !== undefined) throw invalidValue('$vector', large);
  return { kind: 'vector', vector };
}

const sortRefusals: VectorRefusals = {
  notVector: (json) =>
    invalidValue('$vector', `it must be an array of numbers or {"$binary": "…"}, but is ${showJson(json)}`),
  badBytes: (problem) => invalidValue('$vector', problem),
};

function parseVectorize(json: JsonValue, { table, vector }: SortContext): DocumentSort {
  if (typeof json !== 'string' || json.trim() === '')
    throw invalidValue('$vectorize', `it must be a text that is not blank, but is ${showJson(json)}`);
  if (vector?.hasService !== true) throw apiError('schema', 'EMBEDDING_SERVICE_NOT_CONFIGURED', { table });
  return { kind: 'vectorize', text: json };
}

function parseLexical(json: JsonValue, { keyspace, table, lexical }: SortContext): DocumentSort {
  if (typeof json !== 'string')
    throw invalidValue('$lexical', `it must be a string, but is ${showJson(json)}`);
  if (lexical === 'disabled')
    throw apiError('schema', 'LEXICAL_NOT_ENABLED_FOR_COLLECTION', { keyspace, table });
  return { kind: 'lexical', text: json };
}

function invalid(problem: string): Error {
  return apiError('sort', 'SORT_CLAUSE_INVALID', { problem });
}

function invalidValue(path: string, problem: string): Error {
  return apiError('sort', 'SORT_CLAUSE_VALUE_INVALID', { path, problem });
}
