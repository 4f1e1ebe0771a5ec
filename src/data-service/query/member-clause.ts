// The filter on a list, set or map: what stands at its column (contract: filters on members).
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../foundation/json/json-value.js';
import { type PartName, partsOf, wholePartOf } from '../column-types/column-type.js';
import { apiError } from '../errors/api-error.js';
import type { Column } from '../schema/table.js';
import type { ClauseMembers } from './filter-clause.js';
import { textSearchOperator } from './filter-operators.js';
import { memberOperatorNamed, writtenMemberOperators } from './member-operators.js';

/**
 * Reads `{"$in":[…],"$keys":{"$all":[…]}}` at a column whose members can be compared; undefined for other columns.
 * @throws ApiError FILTER_INVALID_EXPRESSION, INVALID_FILTER_EXPRESSION, INVALID_MAP_SET_LIST_FILTER
 */
export function readMemberClause(
  column: Column | undefined,
  value: JsonValue,
): readonly ClauseMembers[] | undefined {
  const whole = column?.type.traits.filterable === true ? wholePartOf(column.type) : undefined;
  if (column === undefined || whole === undefined) return undefined;
  if (isJsonArray(value)) {
    const problem = `"${column.name}" cannot be compared with an array; use $in, $nin or $all`;
    throw apiError('filter', 'FILTER_INVALID_EXPRESSION', { problem });
  }
  if (!isJsonObject(value)) {
    const problem = 'only its members can be compared, with $in, $nin or $all';
    throw apiError('filter', 'INVALID_FILTER_EXPRESSION', { column, problem });
  }
  return [...value].flatMap(([name, operand]) => {
    const part = partNamed(name);
    if (part === undefined || partsOf(column.type)?.[part] === undefined)
      return [comparisonOf(column, whole, name, operand)];
    if (isJsonObject(operand)) return comparisonsOf(column, part, operand);
    throw refused(column, `${name} needs an object with operators`);
  });
}

/** The part of a map that `$keys` or `$values`, in any case, names. */
export function partNamed(name: string): PartName | undefined {
  const [, part] = /^\$(keys|values)$/.exec(name.toLowerCase()) ?? [];
  return part === 'keys' || part === 'values' ? part : undefined;
}

function comparisonsOf(column: Column, part: PartName, operators: JsonObject): readonly ClauseMembers[] {
  return [...operators].map(([name, operand]) => comparisonOf(column, part, name, operand));
}

function comparisonOf(column: Column, part: PartName, name: string, operand: JsonValue): ClauseMembers {
  if (name === textSearchOperator) {
    const problem = `${name} needs a text column`;
    throw apiError('filter', 'INVALID_FILTER_EXPRESSION', { column, problem });
  }
  const operator = memberOperatorNamed(name);
  if (operator === undefined)
    throw refused(column, `${name} is not an operator for members of such a column`);
  if (!isJsonArray(operand)) throw refused(column, `${name} needs an array`);
  if (part === 'entries' && !operand.every((entry) => entry === null || isPair(entry)))
    throw refused(column, `${name} on the entries of a map needs [key, value] arrays`);
  return { kind: 'members', columnName: column.name, part, operator, operands: operand };
}

function isPair(json: JsonValue): boolean {
  return isJsonArray(json) && json.length === 2;
}

function refused(column: Column, problem: string): Error {
  const parts = ['keys', 'values'] as const;
  const known = parts.filter((part) => partsOf(column.type)?.[part] !== undefined);
  return apiError('filter', 'INVALID_MAP_SET_LIST_FILTER', {
    column,
    problem,
    operators: [...writtenMemberOperators],
    parts: known.map((part) => `$${part}`),
  });
}
