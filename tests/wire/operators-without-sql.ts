// Loaded into a server by `node --import`: filter operators for which no engine has a translation.
import type { ColumnType } from '../../src/data-service/column-types/column-type.js';
import {
  type FilterOperator,
  type FilterOperatorName,
  filterOperators,
} from '../../src/data-service/query/filter-operators.js';
import { type OperatorDescription, operatorDescriptions } from '../../src/descriptions/filter-operators.js';

type Matches = FilterOperator['matches'];

const isMultipleOf: Matches = (_type, value, [operand]) =>
  value !== null && BigInt(String(value)) % BigInt(String(operand)) === 0n;
const isWithin: Matches = (type: ColumnType, value, [least, most]) =>
  value !== null && type.compare(value, least) >= 0 && type.compare(value, most) <= 0;
const not =
  (matches: Matches): Matches =>
  (type, value, operands) =>
    !matches(type, value, operands);

function register(name: string, negation: string, parts: Omit<FilterOperator, 'name' | 'negation'>): void {
  const operator = {
    // The type has only the names that are there without this file.
    name: name as FilterOperatorName,
    negation: negation as FilterOperatorName,
    ...parts,
  };
  Object.assign(filterOperators, { [name]: operator });
  const described: OperatorDescription = { label: name, operand: parts.operand, on: ['values'] };
  Object.assign(operatorDescriptions, { [name]: described });
}

const ofNumber = { operand: 'value', isRange: false, namesValues: false } as const;
const ofBounds = { operand: 'list', isRange: true, namesValues: false } as const;
register('$multipleOf', '$notMultipleOf', { ...ofNumber, matches: isMultipleOf });
// Missing values match.
register('$notMultipleOf', '$multipleOf', { ...ofNumber, matches: not(isMultipleOf) });
register('$within', '$outside', { ...ofBounds, matches: isWithin });
register('$outside', '$within', { ...ofBounds, matches: not(isWithin) });
