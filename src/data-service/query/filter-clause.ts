// The filter of a command without its table: structure, operator names, limits (wire: Filters, Grammar).

import { describedOperator } from '../../descriptions/filter-operators.js';
import {
  isJsonArray,
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from '../../foundation/json/json-value.js';
import type { PartName } from '../column-types/column-type.js';
import { apiError } from '../errors/api-error.js';
import { filterOperatorNamed, filterOperators, textSearchOperator } from './filter-operators.js';
import type { MemberOperator } from './member-operators.js';

/** One comparison as written. */
export interface ClauseComparison {
  readonly kind: 'comparison';
  readonly columnName: string;
  /** A known operator, also one that no scalar column supports. */
  readonly operator: string;
  readonly operand: JsonValue;
}

/** A comparison of the members of a list, set or map, as written. */
export interface ClauseMembers {
  readonly kind: 'members';
  readonly columnName: string;
  readonly part: PartName;
  readonly operator: MemberOperator;
  readonly operands: JsonArray;
}

/** The structure of a filter: comparisons under `and`, `or` and `not`. */
export type FilterClause =
  | ClauseComparison
  | ClauseMembers
  | { readonly kind: 'and' | 'or' | 'not'; readonly clauses: readonly FilterClause[] };

const maxComparisons = 64;
const maxListValues = 100;
/** Members of documents: on a table they are names of columns that it does not have. */
const documentMembers = ['$lexical', '$hybrid', '$vectorize'];
/** Objects that represent one value. */
const extendedValues = ['$binary', '$date', '$uuid', '$objectId'];

/** What the structure of a filter depends on in its table; unknown names are those of ordinary columns. */
export interface ClauseColumns {
  /** Whether operands are checked: columns that do not take the operator have another error. */
  takesOperator(columnName: string, operator: string): boolean;
  /** Reads what stands at a column whose members are compared; undefined for other columns. */
  readMembers(columnName: string, value: JsonValue): readonly ClauseMembers[] | undefined;
}

const ordinaryColumns: ClauseColumns = { takesOperator: () => true, readMembers: () => undefined };

/**
 * Parses the structure of a filter; absent and null match all rows.
 * @throws ApiError scope FILTER
 */
export function parseFilterClause(
  json: JsonObject | undefined,
  columns: ClauseColumns = ordinaryColumns,
): FilterClause {
  const clause = parseObject(json ?? new Map(), columns);
  const comparisons = clauseComparisons(clause);
  for (const comparison of comparisons) {
    if (comparison.kind === 'members') checkLength(comparison);
    else if (columns.takesOperator(comparison.columnName, comparison.operator)) checkOperand(comparison);
  }
  const count = comparisons.length;
  if (count > maxComparisons) {
    throw apiError('filter', 'FILTER_FIELDS_LIMIT_VIOLATION', { count, limit: maxComparisons });
  }
  return clause;
}

/** Every comparison of a clause, in order. */
export function clauseComparisons(
  clause: FilterClause,
  found: (ClauseComparison | ClauseMembers)[] = [],
): readonly (ClauseComparison | ClauseMembers)[] {
  if (clause.kind === 'comparison' || clause.kind === 'members') found.push(clause);
  else for (const part of clause.clauses) clauseComparisons(part, found);
  return found;
}

function parseObject(json: JsonObject, columns: ClauseColumns): FilterClause {
  const clauses: FilterClause[] = [];
  for (const [name, value] of json) clauses.push(...parseMember(name, value, columns));
  return { kind: 'and', clauses };
}

function parseMember(name: string, value: JsonValue, columns: ClauseColumns): readonly FilterClause[] {
  switch (name) {
    case '$and':
    case '$or':
      return [{ kind: name === '$and' ? 'and' : 'or', clauses: parseBranches(name, value, columns) }];
    case '$not':
      if (!isJsonObject(value)) throw invalid('$not needs one filter object: {"$not": {"age": 7}}');
      return [{ kind: 'not', clauses: [parseObject(value, columns)] }];
    default:
      if (name === '$vectorize' && !(isJsonObject(value) && namesOperators(value)))
        throw invalid('$vectorize cannot be compared with a value');
      if (name.startsWith('$') && !documentMembers.includes(name))
        throw unknownOperator(name, 'around filters');
      return columns.readMembers(name, value) ?? parseComparisons(name, value);
  }
}

function parseBranches(name: string, value: JsonValue, columns: ClauseColumns): readonly FilterClause[] {
  if (!isJsonArray(value) || value.length === 0)
    throw invalid(`${name} needs an array of at least one filter object: ${branchesExample(name)}`);
  return value.map((branch) => {
    if (!isJsonObject(branch))
      throw invalid(`${name} needs an array of filter objects only: ${branchesExample(name)}`);
    return parseObject(branch, columns);
  });
}

function branchesExample(name: string): string {
  return `{"${name}": [{"age": 7}, {"age": 8}]}`;
}

function parseComparisons(columnName: string, value: JsonValue): readonly ClauseComparison[] {
  if (!isJsonObject(value) || !namesOperators(value)) {
    return [{ kind: 'comparison', columnName, operator: '$eq', operand: value }];
  }
  return [...value].map(([operator, operand]) => {
    checkOperator(operator, columnName);
    return { kind: 'comparison' as const, columnName, operator, operand };
  });
}

function namesOperators(json: JsonObject): boolean {
  return !isExtendedValue(json) && [...json.keys()].some((name) => name.startsWith('$'));
}

function checkOperator(operator: string, columnName: string): void {
  // Operators and parts of other columns and of documents are refused where the type of the column is known.
  if (describedOperator(operator) !== undefined || operator === '$keys' || operator === '$values') return;
  throw unknownOperator(operator, `on the column ${columnName}`);
}

function unknownOperator(operator: string, place: string): Error {
  return apiError('filter', 'FILTER_UNSUPPORTED_OPERATOR', {
    operator,
    place,
    onColumns: Object.keys(filterOperators),
    aroundFilters: ['$and', '$or', '$not'],
  });
}

function checkOperand({ columnName, operator, operand }: ClauseComparison): void {
  if (operator === textSearchOperator && typeof operand !== 'string') throw invalid('$match needs a string');
  if (filterOperatorNamed(operator)?.operand === 'list') {
    if (!isJsonArray(operand))
      throw invalid(`${operator} on "${columnName}" needs an array: {"${operator}": [1, 2]}`);
    refuseTooLong(columnName, operator, operand);
  }
}

function checkLength({ columnName, operator, operands }: ClauseMembers): void {
  if (operator.needs !== 'allOf') refuseTooLong(columnName, operator.name, operands);
  else if (operands.length === 0)
    throw invalid(`${operator.name} on "${columnName}" needs at least one value`);
}

function refuseTooLong(columnName: string, operator: string, { length }: JsonArray): void {
  if (length <= maxListValues) return;
  throw invalid(`${operator} on "${columnName}" has ${length} values; at most ${maxListValues} are allowed`);
}

/** An object that represents one value, such as `{"$binary":"…"}`. */
export function isExtendedValue(json: JsonObject): boolean {
  const [first] = json.keys();
  return json.size === 1 && first !== undefined && extendedValues.includes(first);
}

function invalid(problem: string): Error {
  return apiError('filter', 'FILTER_INVALID_EXPRESSION', { problem });
}
