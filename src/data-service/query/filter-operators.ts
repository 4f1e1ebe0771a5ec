// The comparison operators of filters: one entry each. Engines translate them by name.
import { type OperatorName, operatorDescriptions } from '../../descriptions/filter-operators.js';
import type { ColumnType } from '../column-types/column-type.js';

export type FilterOperatorName = ScalarOperatorName | OperatorName<'words'>;
/** The names of the operators that all scalar columns support, some of them only with an ordered type. */
export type ScalarOperatorName = OperatorName<'values'>;

/** All facts about an operator, except its translation for an engine. */
export interface FilterOperator {
  readonly name: FilterOperatorName;
  /** The operator that replaces it under `$not`, except for `matchOperator`. */
  readonly negation: ScalarOperatorName;
  /** `list`: the operand is an array of values. */
  readonly operand: 'value' | 'list';
  /** Needs a type for which Cassandra supports ranges. */
  readonly isRange: boolean;
  /** Whether the operands are the matching values: an index finds their rows one value after another. */
  readonly namesValues: boolean;
  /** Whether a value matches; null for a missing one, which none of the present operators matches. */
  matches(type: ColumnType, value: unknown, operands: readonly unknown[]): boolean;
}

/** In the order of the documentation; the keys are the names. */
export const filterOperators: Readonly<Record<ScalarOperatorName, FilterOperator>> = {
  $eq: { ...comparison('$eq', '$ne', (order) => order === 0), namesValues: true },
  $ne: comparison('$ne', '$eq', (order) => order !== 0),
  $gt: { ...comparison('$gt', '$lte', (order) => order > 0), isRange: true },
  $gte: { ...comparison('$gte', '$lt', (order) => order >= 0), isRange: true },
  $lt: { ...comparison('$lt', '$gte', (order) => order < 0), isRange: true },
  $lte: { ...comparison('$lte', '$gt', (order) => order <= 0), isRange: true },
  $in: { ...operator('$in', '$nin', isOneOf), namesValues: true },
  $nin: operator('$nin', '$in', isNoneOf),
};

/** Needs a text index. */
export const textSearchOperator = '$match';

/**
 * True if a text contains all words of another one. The value is the list of its tokens, and the operands are the
 * tokens to find; without any, no text matches. It is on no list of operators, because only columns with a text index
 * support it.
 */
export const matchOperator: FilterOperator = {
  name: textSearchOperator,
  negation: '$ne', // never used: it is refused under `$not`
  operand: 'value',
  isRange: false,
  namesValues: false,
  matches: (_, value, operands) => {
    if (value === null || operands.length === 0) return false;
    const tokens = new Set(value as readonly string[]); // see above
    return operands.every((operand) => tokens.has(operand as string));
  },
};

/** The operator of that name, or undefined. */
export function filterOperatorNamed(name: string): FilterOperator | undefined {
  return Object.hasOwn(filterOperators, name) ? filterOperators[name as ScalarOperatorName] : undefined; // just checked
}

function isOneOf(type: ColumnType, value: unknown, operands: readonly unknown[]): boolean {
  return value !== null && operands.some((operand) => type.compare(value, operand) === 0);
}

function isNoneOf(type: ColumnType, value: unknown, operands: readonly unknown[]): boolean {
  return value !== null && operands.every((operand) => type.compare(value, operand) !== 0);
}

/** Compares with one value. */
function comparison(
  name: ScalarOperatorName,
  negation: ScalarOperatorName,
  accepts: (order: number) => boolean,
): FilterOperator {
  const matches: FilterOperator['matches'] = (type, value, [operand]) =>
    value !== null && accepts(type.compare(value, operand));
  return operator(name, negation, matches);
}

/** Facts of most operators; others replace members. */
function operator(
  name: ScalarOperatorName,
  negation: ScalarOperatorName,
  matches: FilterOperator['matches'],
): FilterOperator {
  const { operand } = operatorDescriptions[name];
  return { name, negation, operand, isRange: false, namesValues: false, matches };
}
