// Reads an HTTP request: the names in its path, its content type, and the JSON in its body (wire: Paths, JSON parsing
// rules).
import { isUtf8 } from 'node:buffer';
import { GenerationCache } from '../../foundation/generation-cache.js';
import type { RequestHead } from '../../foundation/http/http-handler.js';
import { isFromBrowser, isJsonType } from '../../foundation/http/web-pages.js';
import type { JsonValue } from '../../foundation/json/json-value.js';
import {
  JsonNumberTooLong,
  JsonSyntaxError,
  JsonTooManyValues,
  parseJson,
} from '../../foundation/json/parse-json.js';
import { maxNumberLength, maxWrittenDigits as mostDigits } from '../column-types/number-literal.js';
import type { Address } from '../commands/run-command.js';
import { type ApiError, apiError } from '../errors/api-error.js';

/** The second is the default of official clients for the hosted service. */
const roots = ['/v1', '/api/json/v1'];
const maxKnownPathLength = 200;
/** Ten of the largest numbers: expanding the numbers of a short body must not take seconds. */
const maxWrittenDigits = 2_000_000;
/** Once they are parsed they take about 200 MB. Vectors of a thousand dimensions in 100 rows are 100,000 values. */
const maxValues = 4_000_000;
/** An object takes five times the memory of a number. */
const maxContainers = 1_000_000;
const jsonLimits = { maxDepth: 1000, maxNumberLength, maxWrittenDigits, maxValues, maxContainers };
/** A body with more digits than the largest number has is a large request: to convert that one takes up to 50 ms. */
const shortLimits = { ...jsonLimits, maxWrittenDigits: mostDigits };
/** The size of a table definition with the maximum number of columns, each with a service and its parameters. */
const maxSchemaValues = 20_000;

/** Paths of recent requests: clients send the same few again and again. */
const knownAddresses = new GenerationCache<{ readonly address: Address | undefined }>(500);

/** The names in the path; undefined for a path that is not of this service. A slash at the end is allowed. */
export function readAddress(path: string): Address | undefined {
  let known = knownAddresses.get(path);
  if (known === undefined) {
    known = { address: splitPath(path) };
    if (path.length <= maxKnownPathLength) knownAddresses.set(path, known);
  }
  return known.address;
}

function splitPath(path: string): Address | undefined {
  const root = roots.find((each) => path.startsWith(each));
  if (root === undefined) return undefined;
  const [first, ...names] = (path.endsWith('/') ? path.slice(0, -1) : path).slice(root.length).split('/');
  if (first !== '' || names.length > 2 || names.includes('')) return undefined;
  const [keyspace, table] = names.map(decodeName);
  if (keyspace === undefined) return names.length === 0 ? {} : undefined;
  if (table === undefined) return names.length === 1 ? { keyspace } : undefined;
  return { keyspace, table };
}

/**
 * The error for a content type other than JSON. A request without one is read as JSON, because official clients omit
 * it; not from browsers, which send such a request for any page without asking the server first.
 */
export function refuseContentType(head: RequestHead): ApiError | undefined {
  const contentType = head.header('content-type') ?? '';
  if (contentType === 'application/json' || isJsonType(contentType)) return undefined;
  if (contentType === '' && !isFromBrowser(head)) return undefined;
  return apiError('request', 'UNSUPPORTED_CONTENT_TYPE', { contentType });
}

/** The JSON of a body, or the error for the client: REQUEST_NOT_JSON, SHRED_DOC_LIMIT_VIOLATION. */
export function readBodyJson(body: Buffer): JsonValue | ApiError {
  return readWithin(body, jsonLimits);
}

/** Reads a body for a thread that has no time for long numbers: undefined if the body may have some. */
export function readShortJson(body: Buffer): JsonValue | ApiError | undefined {
  return readWithin(body, shortLimits, refuseNothing);
}

/** Reads the JSON of a command that changes the schema, in a short time for its size. */
export function readSchemaJson(body: Buffer): JsonValue | ApiError {
  return readWithin(body, { ...jsonLimits, maxValues: maxSchemaValues });
}

function readWithin<Refusal = ApiError>(
  body: Buffer,
  limits: typeof jsonLimits,
  refuseNumber: (problem: string) => Refusal | ApiError = refuseContent,
): JsonValue | ApiError | Refusal {
  if (!isUtf8(body)) return apiError('request', 'REQUEST_NOT_JSON', { problem: 'it is not UTF-8' });
  try {
    return parseJson(body.toString(), limits);
  } catch (error) {
    if (error instanceof JsonSyntaxError)
      return apiError('request', 'REQUEST_NOT_JSON', { problem: error.message });
    if (error instanceof JsonTooManyValues) return refuseContent(`the body has ${error.message}`);
    if (!(error instanceof JsonNumberTooLong)) throw error;
    return refuseNumber(error.message);
  }
}

function refuseNothing(): undefined {
  return undefined;
}

function refuseContent(problem: string): ApiError {
  return apiError('document', 'SHRED_DOC_LIMIT_VIOLATION', { problem });
}

function decodeName(name: string): string | undefined {
  if (!name.includes('%')) return name;
  try {
    return decodeURIComponent(name);
  } catch {
    return undefined; // no percent-encoding: such a path names nothing
  }
}
