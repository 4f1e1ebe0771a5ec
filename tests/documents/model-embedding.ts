// Texts to embed as the model of collections knows them: `$hybrid` and `$vectorize`, written from the contract. The
// embedding itself is that of the built-in provider.
import { hashText } from '../../src/data-service/embedding/hashed-ngrams.js';
import { isJsonObject, JsonNumber, type JsonValue } from '../../src/foundation/json/json-value.js';
import { refuse } from './model-problem.js';
import type { Members } from './model-value.js';

/** The dimension of collections with a service. */
export const embeddedDimension = 64;

/** The vector of a text; null without one. */
export function embeddedText(text: JsonValue): JsonValue {
  if (typeof text !== 'string' || text.trim() === '') return null;
  return Array.from(hashText(text, embeddedDimension), (element) => new JsonNumber(shortestText(element)));
}

/** The shortest decimal text of a 32-bit float: any two of them differ in nine digits. */
function shortestText(float: number): string {
  const texts = Array.from({ length: 9 }, (_, at) => String(Number(float.toPrecision(at + 1))));
  return texts.find((text) => Math.fround(Number(text)) === float) ?? String(float);
}

/** The document of an insert with the members that `$hybrid` stands for. @throws Refusal */
export function expandedHybrid(document: Members): Members {
  const hybrid = document.get('$hybrid');
  if (hybrid === undefined) return document;
  const parts = ['$lexical', '$vectorize'];
  if ([...parts, '$vector'].some((name) => document.has(name))) refuse('HYBRID_FIELD_CONFLICT');
  const isWhole = hybrid === null || typeof hybrid === 'string';
  if (!isWhole && !isJsonObject(hybrid)) return refuse('HYBRID_FIELD_UNSUPPORTED_VALUE_TYPE');
  if (!isWhole && [...hybrid.keys()].some((name) => !parts.includes(name)))
    refuse('HYBRID_FIELD_UNKNOWN_SUBFIELDS');
  const values = parts.map((name) => [name, isWhole ? hybrid : (hybrid.get(name) ?? null)] as const);
  if (values.some(([, value]) => value !== null && typeof value !== 'string'))
    refuse('HYBRID_FIELD_UNSUPPORTED_SUBFIELD_VALUE_TYPE');
  return new Map([...[...document].filter(([name]) => name !== '$hybrid'), ...values]);
}

/** The document with the vector of its `$vectorize`. @throws Refusal */
export function vectorized(document: Members, hasService: boolean): Members {
  const text = document.get('$vectorize');
  if (text === undefined) return document;
  if (document.has('$vector')) refuse('INVALID_USAGE_OF_VECTORIZE');
  if (!hasService) refuse('EMBEDDING_SERVICE_NOT_CONFIGURED');
  if (text !== null && typeof text !== 'string') refuse('INVALID_VECTORIZE_VALUE_TYPE');
  return new Map([...document, ['$vector', embeddedText(text)]]);
}
