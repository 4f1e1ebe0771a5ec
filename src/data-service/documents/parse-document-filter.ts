// Parses filters on documents: their structure, their limits, and what the collection can compare.
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../foundation/json/json-value.js';
import { ApiError, apiError } from '../errors/api-error.js';
import { showJson } from '../errors/request-problems.js';
import { type DocumentCondition, type DocumentFilter, everyDocument } from './document-filter.js';
import { type DocumentId, parseDocumentId } from './document-id.js';
import { invalidExpression, unsupportedType } from './filter-problems.js';
import { type Indexing, isIndexed } from './indexing.js';
import { isId, parseConditions } from './parse-condition.js';
import { leadsTo, type Path, writePath } from './path.js';
import { isScalar } from './value-tests.js';
import { comparedValue } from './values.js';

/** The collection of a clause. */
export interface ClauseContext {
  readonly keyspace: string;
  readonly table: string;
  readonly indexing?: Indexing | undefined;
  /** Whether `$lexical` is enabled. */
  readonly lexical: 'enabled' | 'disabled';
}

/** The ids of all documents that a filter can match; those documents must still be compared with the filter. */
export interface IdCondition {
  /** Different from each other. Without values that cannot be ids. */
  readonly ids: readonly DocumentId[];
}

/** A filter, and its condition on `_id` if that names the ids. */
export interface ParsedDocumentFilter {
  readonly filter: DocumentFilter;
  readonly id?: IdCondition;
}

const maxComparisons = 64;

/**
 * Parses a filter; absent, null and `{}` match all documents.
 * @throws ApiError scope FILTER; SHRED_BAD_EJSON_VALUE, LEXICAL_NOT_ENABLED_FOR_COLLECTION
 */
export function parseDocumentFilter(
  json: JsonValue | undefined,
  context: ClauseContext,
): ParsedDocumentFilter {
  if (json === undefined || json === null) return { filter: everyDocument };
  if (!isJsonObject(json)) throw unsupportedType(`it must be an object, but is ${showJson(json)}`);
  const parsed = parseObject(json, { isNegated: false, isInOr: false }) ?? everyDocument;
  const conditions = conditionsOf(parsed);
  checkCounts(conditions);
  for (const condition of conditions) checkCollection(condition, context);
  const filter = withIgnoredPaths(parsed, context.indexing);
  const id = idCondition(filter);
  return id === undefined ? { filter } : { filter, id };
}

/** What is around a part of a filter. */
interface Surroundings {
  readonly isNegated: boolean;
  readonly isInOr: boolean;
}

/** Undefined if the object has no conditions: such parts are left out, at every place. */
function parseObject(json: JsonObject, around: Surroundings): DocumentFilter | undefined {
  return joined(
    around.isNegated ? 'or' : 'and',
    [...json].map(([name, value]) => parseMember(name, value, around)),
  );
}

function parseMember(name: string, value: JsonValue, around: Surroundings): DocumentFilter | undefined {
  const { isNegated, isInOr } = around;
  switch (name) {
    case '$and':
    case '$or': {
      const branches = readBranches(name, value);
      const inside = { isNegated, isInOr: isInOr || name === '$or' };
      // The negation of an `and` is an `or` of negations.
      const kind = (name === '$and') === isNegated ? 'or' : 'and';
      return joined(
        kind,
        branches.map((branch) => parseObject(branch, inside)),
      );
    }
    case '$not':
      if (!isJsonObject(value)) throw invalidExpression('$not needs one filter object: {"$not": {"age": 7}}');
      return parseObject(value, { isNegated: !isNegated, isInOr });
    default: {
      const conditions = parseConditions(name, value, isNegated);
      if (isInOr && name === '_id')
        throw invalidExpression('"_id" cannot be compared inside of $or; use $in on "_id"');
      return joined(isNegated ? 'or' : 'and', conditions);
    }
  }
}

function readBranches(name: string, value: JsonValue): readonly JsonObject[] {
  const example = `{"${name}": [{"age": 7}, {"name": "A"}]}`;
  if (!isJsonArray(value))
    throw invalidExpression(
      `${name} needs an array of filter objects, but has ${showJson(value)}: ${example}`,
    );
  return value.map((branch) => {
    if (isJsonObject(branch)) return branch;
    const problem = `${name} needs an array of filter objects only, but one is ${showJson(branch)}: ${example}`;
    throw isJsonArray(branch) ? unsupportedType(problem) : invalidExpression(problem);
  });
}

/** Joins filters without nesting that has no effect; undefined if there are none. */
function joined(
  kind: 'and' | 'or',
  parts: readonly (DocumentFilter | undefined)[],
): DocumentFilter | undefined {
  const filters = parts.flatMap((part) => {
    if (part === undefined) return [];
    return part.kind === kind ? part.filters : [part];
  });
  return filters.length > 1 ? { kind, filters } : filters[0];
}

function conditionsOf(filter: DocumentFilter): readonly DocumentCondition[] {
  return isGroup(filter) ? filter.filters.flatMap(conditionsOf) : [filter];
}

function isGroup(filter: DocumentFilter): filter is Extract<DocumentFilter, { kind: 'and' | 'or' }> {
  return filter.kind === 'and' || filter.kind === 'or';
}

function checkCounts(conditions: readonly DocumentCondition[]): void {
  if (conditions.length > maxComparisons) {
    const counts = { count: conditions.length, limit: maxComparisons };
    throw apiError('filter', 'FILTER_FIELDS_LIMIT_VIOLATION', counts);
  }
  if (conditions.filter((condition) => isId(pathOf(condition))).length > 1)
    throw apiError('filter', 'FILTER_MULTIPLE_ID_FILTER', {});
}

function pathOf(condition: DocumentCondition): Path {
  return condition.kind === 'match' ? ['$lexical'] : condition.path;
}

function checkCollection(condition: DocumentCondition, context: ClauseContext): void {
  const { indexing, lexical, keyspace, table } = context;
  if (condition.kind === 'match' && lexical === 'disabled')
    throw apiError('schema', 'LEXICAL_NOT_ENABLED_FOR_COLLECTION', { keyspace, table });
  const path = pathOf(condition);
  if (isId(path)) {
    // Documents are found by their ids without an index.
    if (isIndexed(indexing, path) || namesIds(condition)) return;
    throw apiError('filter', 'FILTER_ID_NOT_INDEXED', { operator: operatorOf(condition) });
  }
  checkPath(path, indexing);
  for (const operand of operandsOf(condition)) checkMembers(operand, path, indexing);
}

function checkPath(path: Path, indexing: Indexing | undefined): void {
  if (!isIndexed(indexing, path))
    throw apiError('filter', 'FILTER_PATH_UNINDEXED', { path: writePath(path) });
}

function checkMembers(operand: JsonValue, path: Path, indexing: Indexing | undefined): void {
  if (indexing === undefined) return;
  const compared = comparedValue(operand);
  if (compared.kind !== 'object') return;
  for (const [name, member] of compared.members) {
    checkPath([...path, name], indexing);
    checkMembers(member, [...path, name], indexing);
  }
}

function operandsOf(condition: DocumentCondition): readonly JsonValue[] {
  if (condition.kind === 'value') return [condition.operand];
  return condition.kind === 'list' ? condition.operands : [];
}

/** The operator in the form of messages. */
function operatorOf(condition: DocumentCondition): string {
  switch (condition.kind) {
    case 'value':
      return condition.operator;
    case 'list':
      return condition.operator === 'notAll' ? '$all' : condition.operator;
    case 'exists':
    case 'size':
    case 'match':
      return `$${condition.kind}`;
  }
}

/** Where whole values are compared, members that are not indexed are left out of the stored ones. */
function withIgnoredPaths(filter: DocumentFilter, indexing: Indexing | undefined): DocumentFilter {
  if (indexing?.kind !== 'deny') return filter;
  if (isGroup(filter))
    return { ...filter, filters: filter.filters.map((part) => withIgnoredPaths(part, indexing)) };
  if (filter.kind !== 'value' && filter.kind !== 'list') return filter;
  if (operandsOf(filter).every(isScalar)) return filter;
  const { path } = filter;
  const ignored = indexing.paths
    .filter((denied) => leadsTo(path, denied))
    .map((denied) => denied.slice(path.length));
  return ignored.length === 0 ? filter : { ...filter, ignored };
}

function namesIds(condition: DocumentCondition): boolean {
  return (
    (condition.kind === 'value' && condition.operator === '$eq') ||
    (condition.kind === 'list' && condition.operator === '$in')
  );
}

function idCondition(filter: DocumentFilter): IdCondition | undefined {
  const required = filter.kind === 'and' ? filter.filters : [filter];
  for (const part of required) {
    if (isGroup(part) || !isId(pathOf(part)) || !namesIds(part)) continue;
    const ids: DocumentId[] = [];
    for (const value of operandsOf(part)) {
      const id = idOf(value);
      if (id !== undefined && !ids.some(({ key }) => Buffer.compare(key, id.key) === 0)) ids.push(id);
    }
    return { ids };
  }
  return undefined;
}

/** Undefined for a value that no document can have as its id. */
function idOf(value: JsonValue): DocumentId | undefined {
  try {
    return parseDocumentId(value);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return undefined;
  }
}
