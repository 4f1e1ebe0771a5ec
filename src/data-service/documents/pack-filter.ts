// Filters as JSON text, in which they go to other threads.
import {
  isJsonArray,
  type JsonArray,
  JsonNumber,
  type JsonText,
  type JsonValue,
  stringifyJson,
} from '../../foundation/json/json-value.js';
import { parseJson } from '../../foundation/json/parse-json.js';
import type {
  DocumentCondition,
  DocumentFilter,
  ListOperator,
  PathCondition,
  ValueOperator,
} from './document-filter.js';
import type { Path } from './path.js';

/** The text was packed from a filter that was read within the limits of a request. */
const limits = { maxDepth: 10_000, maxNumberLength: 1_000 };

/** The text of a filter. */
export function packFilter(filter: DocumentFilter): JsonText {
  return stringifyJson(packed(filter));
}

function packed(filter: DocumentFilter): JsonArray {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return [filter.kind, ...filter.filters.map(packed)];
    case 'value':
      return [filter.kind, filter.path, filter.ignored ?? null, filter.operator, filter.operand];
    case 'list':
      return [filter.kind, filter.path, filter.ignored ?? null, filter.operator, filter.operands];
    case 'exists':
      return [filter.kind, filter.path, null, filter.isPresent];
    case 'size':
      return [filter.kind, filter.path, null, filter.isEqual, new JsonNumber(String(filter.size))];
    case 'match':
      return [filter.kind, filter.text];
  }
}

/** The filter of a text that `packFilter` returned. */
export function unpackFilter(text: JsonText): DocumentFilter {
  return unpacked(arrayOf(parseJson(text, limits)));
}

function unpacked([kind, ...rest]: JsonArray): DocumentFilter {
  if (kind === 'and' || kind === 'or') return { kind, filters: rest.map((part) => unpacked(arrayOf(part))) };
  if (kind === 'match') return { kind, text: String(rest[0]) };
  const [path, ignored, ...content] = rest;
  const at = { path: pathOf(path), ...(isMissing(ignored) ? {} : { ignored: arrayOf(ignored).map(pathOf) }) };
  return unpackedCondition(kind, at, content);
}

function unpackedCondition(
  kind: JsonValue | undefined,
  at: PathCondition,
  [first, second]: JsonArray,
): DocumentCondition {
  switch (kind) {
    case 'value':
      // `packFilter` wrote the operator, here and below.
      return { kind, ...at, operator: first as ValueOperator, operand: second ?? null };
    case 'list':
      return { kind, ...at, operator: first as ListOperator, operands: arrayOf(second) };
    case 'exists':
      return { kind, path: at.path, isPresent: first === true };
    case 'size':
      return { kind, path: at.path, isEqual: first === true, size: Number((second as JsonNumber).text) };
    default:
      throw new TypeError(`a packed filter has the unknown kind ${String(kind)}`);
  }
}

function isMissing(value: JsonValue | undefined): value is null | undefined {
  return value === null || value === undefined;
}

function arrayOf(json: JsonValue | undefined): JsonArray {
  if (json !== undefined && isJsonArray(json)) return json;
  throw new TypeError('a packed filter has a part that is not an array');
}

function pathOf(json: JsonValue | undefined): Path {
  return arrayOf(json).map(String);
}
