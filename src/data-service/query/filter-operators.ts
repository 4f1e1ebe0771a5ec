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
  $eq: { ...comparison('$eq', '$ne', false, (order) => order === 0), namesValues: true },
  $ne: comparison('$ne', '$eq', false, (order) => order !== 0),
  $gt: comparison('$gt', '$lte', true, (order) => order > 0),
  $gte: comparison('$gte', '$lt', true, (order) => order >= 0),
  $lt: comparison('$lt', '$gte', true, (order) => order < 0),
  $lte: comparison('$lte', '$gt', true, (order) => order <= 0),
  $in: {
    name: '$in',
    negation: '$nin',
    operand: operatorDescriptions.$in.operand,
    isRange: false,
    namesValues: true,
    matches: (type, value, operands) =>
      value !== null && operands.some((operand) => type.compare(value, operand) === 0),
  },
  $nin: {
    name: '$nin',
    negation: '$in',
    operand: operatorDescriptions.$nin.operand,
    isRange: false,
    namesValues: false,
    matches: (type, value, operands) =>
      value !== null && operands.every((operand) => type.compare(value, operand) !== 0),
  },
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

function comparison(
  name: ScalarOperatorName,
  negation: ScalarOperatorName,
  isRange: boolean,
  accepts: (order: number) => boolean,
): FilterOperator {
  return {
    name,
    negation,
    operand: 'value',
    isRange,
    namesValues: false,
    matches: (type, value, [operand]) => value !== null && accepts(type.compare(value, operand)),
  };
}
