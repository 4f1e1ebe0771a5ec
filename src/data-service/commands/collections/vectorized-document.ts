// The text of `$vectorize` in documents, and the vector that is made of it.
import { JsonNumber, type JsonObject, type JsonValue } from '../../../foundation/json/json-value.js';
import { float } from '../../column-types/floats.js';
import { apiError } from '../../errors/api-error.js';
import { showJson } from '../../errors/request-problems.js';
import type { Collection } from '../../schema/collection.js';

/**
 * The text to embed; undefined if there is none.
 * @throws ApiError for a value that is not a text, beside `$vector`, or in a collection without a service
 */
export function textToVectorize(document: JsonObject, { collection, name }: Collection): string | undefined {
  const text = document.get('$vectorize');
  if (text === undefined) return undefined;
  if (document.has('$vector')) {
    const extra = 'a document has either $vector or $vectorize';
    throw apiError('schema', 'INVALID_USAGE_OF_VECTORIZE', { extraDesc: extra });
  }
  if (collection.vector?.service === undefined)
    throw apiError('schema', 'EMBEDDING_SERVICE_NOT_CONFIGURED', { table: name });
  if (text !== null && typeof text !== 'string')
    throw apiError('document', 'INVALID_VECTORIZE_VALUE_TYPE', { problem: `it is ${showJson(text)}` });
  return text === null || text.trim() === '' ? undefined : text;
}

/**
 * The document with the vector of its `$vectorize` behind its other members: null if there was no text to embed.
 * Without `$vectorize`, or with a vector already, it is unchanged.
 */
export function withVector(document: JsonObject, vector: Float32Array | undefined): JsonObject {
  if (!document.has('$vectorize') || document.has('$vector')) return document;
  const elements = vector && Array.from(vector, (element) => new JsonNumber(float.serialize(element)));
  return new Map<string, JsonValue>([...document, ['$vector', elements ?? null]]);
}
