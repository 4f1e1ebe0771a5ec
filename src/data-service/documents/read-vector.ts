// Reads `$vector` of a document.
import { isJsonArray, isJsonObject, type JsonValue } from '../../foundation/json/json-value.js';
import { parseBinary } from '../column-types/blob.js';
import { ValueMismatch } from '../column-types/column-type.js';
import { fromBigEndian, isZeroVector, parseElements, whyTooLarge } from '../column-types/vector.js';
import { apiError } from '../errors/api-error.js';
import { showJson } from '../errors/request-problems.js';

/** The vectors of a collection. */
export interface VectorRules {
  readonly dimension: number;
  readonly metric: 'cosine' | 'dot_product' | 'euclidean';
  /** The greatest magnitude of an element that the storage takes. Absent: any. */
  readonly mostMagnitude?: number;
}

/**
 * The floats of an array of numbers or of `{"$binary": …}`.
 * @throws ApiError SHRED_BAD_VECTOR_SIZE, SHRED_BAD_VECTOR_VALUE, SHRED_BAD_DOCUMENT_VECTOR_TYPE,
 * SHRED_BAD_BINARY_VECTOR_VALUE, INVALID_VECTOR_LENGTH
 */
export function readVector(
  json: JsonValue,
  { dimension, metric, mostMagnitude }: VectorRules,
  place: { readonly keyspace: string; readonly table: string },
): Float32Array {
  const vector = vectorFloats(json, documentRefusals);
  const { keyspace, table } = place;
  if (vector.length !== dimension)
    throw apiError('document', 'INVALID_VECTOR_LENGTH', { keyspace, table, dimension, found: vector.length });
  if (metric === 'cosine' && isZeroVector(vector)) {
    const problem =
      'all elements are zero, and such a vector has no direction, which the metric cosine needs';
    throw apiError('document', 'SHRED_BAD_VECTOR_VALUE', { problem });
  }
  const large = mostMagnitude === undefined ? undefined : whyTooLarge(vector, mostMagnitude);
  if (large !== undefined) throw apiError('document', 'SHRED_BAD_VECTOR_VALUE', { problem: large });
  return vector;
}

const documentRefusals: VectorRefusals = {
  notVector: (json) =>
    apiError('document', 'SHRED_BAD_DOCUMENT_VECTOR_TYPE', { problem: `it is ${showJson(json)}` }),
  badBytes: (problem) => apiError('document', 'SHRED_BAD_BINARY_VECTOR_VALUE', { problem }),
};

/** The errors in which the places that take vectors differ. */
export interface VectorRefusals {
  /** The error for a value that is neither an array nor `{"$binary": …}`. */
  readonly notVector: (json: JsonValue) => Error;
  /** The error for the text or the length of `$binary`. */
  readonly badBytes: (problem: string) => Error;
}

/**
 * The floats of an array of numbers or of `{"$binary": …}`, at least one.
 * @throws ApiError SHRED_BAD_VECTOR_SIZE, SHRED_BAD_VECTOR_VALUE, and those of `refusals`
 */
export function vectorFloats(json: JsonValue, refusals: VectorRefusals): Float32Array {
  if (isJsonArray(json)) {
    if (json.length === 0) throw apiError('document', 'SHRED_BAD_VECTOR_SIZE', {});
    return translated(
      () => parseElements(json),
      (problem) => apiError('document', 'SHRED_BAD_VECTOR_VALUE', { problem }),
    );
  }
  if (json === null || !isJsonObject(json) || !json.has('$binary')) throw refusals.notVector(json);
  return translated(() => {
    const bytes = parseBinary(json);
    if (bytes.length === 0) throw apiError('document', 'SHRED_BAD_VECTOR_SIZE', {});
    if (bytes.length % Float32Array.BYTES_PER_ELEMENT !== 0)
      throw new ValueMismatch(
        `it has ${bytes.length} bytes, and each float takes ${Float32Array.BYTES_PER_ELEMENT}`,
      );
    return fromBigEndian(bytes);
  }, refusals.badBytes);
}

/** What `parse` returns; its ValueMismatch becomes the error of `refuse`, which gets the message. */
export function translated<Value>(parse: () => Value, refuse: (problem: string) => Error): Value {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof ValueMismatch)) throw error;
    throw refuse(error.message);
  }
}
