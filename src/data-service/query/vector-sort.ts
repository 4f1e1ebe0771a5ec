// Sorts by similarity: parses the vector or text of the search (wire: Sort on tables, vector sort).
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../foundation/json/json-value.js';
import { parseBinary } from '../column-types/blob.js';
import { fromBigEndian, parseElements } from '../column-types/vector.js';
import { translated } from '../documents/read-vector.js';
import { apiError } from '../errors/api-error.js';
import { showJson } from '../errors/request-problems.js';
import { type Column, type Table, type VectorIndex, vectorIndexOn } from '../schema/table.js';
import { whyUnsearchable } from '../schema/vector-limits.js';
import type { TextSearch, VectorSearch } from './vector-search.js';

/**
 * The search of a sort clause whose only member is a vector column. Undefined for any other clause.
 * @throws ApiError scope SORT
 */
export function parseVectorSort(
  json: JsonObject | undefined,
  table: Table,
): VectorSearch | TextSearch | undefined {
  if (json?.size !== 1) return undefined;
  const [[name, value] = ['', null]] = json;
  const column = table.columnsByName.get(name);
  if (column?.type.vector === undefined) return undefined;
  if (typeof value === 'string') return parseTextSort(column, value, table);
  const { length, floats } = readQuery(column, value);
  const { metric } = demandIndex(column, table);
  const { dimension } = column.type.vector;
  if (length !== dimension) {
    throw apiError('sort', 'CANNOT_VECTOR_SORT_ON_MISMATCHED_VECTOR_DIMENSIONS', {
      column,
      actualDimension: dimension,
      providedDimension: length,
    });
  }
  const query = translated(floats, (problem) => invalid(column, problem));
  return checkedSearch({ kind: 'vector', column, query, metric });
}

/**
 * The search with the vector of its text.
 * @throws ApiError scope SORT, for a vector that the index cannot measure
 */
export function searchByText({ column, metric }: TextSearch, query: Float32Array): VectorSearch {
  return checkedSearch({ kind: 'vector', column, query, metric });
}

function parseTextSort(column: Column, text: string, table: Table): TextSearch {
  if (column.service?.isEnabled !== true)
    throw apiError('sort', 'CANNOT_VECTORIZE_SORT_WHEN_MISSING_VECTORIZE_DEFINITION', { column });
  const { metric } = demandIndex(column, table);
  if (text.trim() === '') throw invalid(column, 'the text to search for is blank');
  return { kind: 'text', column, text, metric };
}

function demandIndex(column: Column, table: Table): VectorIndex {
  const index = vectorIndexOn(table, column);
  if (index !== undefined) return index;
  const indexed = table.columns.filter((each) => vectorIndexOn(table, each) !== undefined);
  throw apiError('sort', 'CANNOT_VECTOR_SORT_NON_INDEXED_VECTOR_COLUMNS', { column, indexed });
}

function checkedSearch(search: VectorSearch): VectorSearch {
  const { column, query, metric } = search;
  const problem = whyUnsearchable(column, query, metric);
  if (problem !== undefined) throw invalid(column, problem);
  return search;
}

/** The error for the operand of a vector column that is neither a vector nor a text. */
export function refuseVectorSort(column: Column, value: JsonValue): Error {
  return invalid(column, `it needs a vector or a text to search for, but has ${showJson(value)}`);
}

/** A query whose elements are not parsed before their number has been checked. */
interface UnreadQuery {
  readonly length: number;
  /** @throws ValueMismatch */
  readonly floats: () => Float32Array;
}

function readQuery(column: Column, value: JsonValue): UnreadQuery {
  if (isJsonArray(value)) return { length: value.length, floats: () => parseElements(value) };
  if (!isJsonObject(value) || !value.has('$binary')) throw refuseVectorSort(column, value);
  const bytes = translated(
    () => parseBinary(value),
    (problem) => unreadable(column, problem),
  );
  if (bytes.length % Float32Array.BYTES_PER_ELEMENT !== 0) {
    throw unreadable(
      column,
      `it has ${bytes.length} bytes, which is not a multiple of ${Float32Array.BYTES_PER_ELEMENT}, the size of a float`,
    );
  }
  return { length: bytes.length / Float32Array.BYTES_PER_ELEMENT, floats: () => fromBigEndian(bytes) };
}

function invalid(column: Column, problem: string): Error {
  return apiError('sort', 'INVALID_VECTOR_SORT_EXPRESSION', { column, problem });
}

function unreadable(column: Column, problem: string): Error {
  return apiError('sort', 'SORT_CLAUSE_VALUE_INVALID', { column, problem });
}
