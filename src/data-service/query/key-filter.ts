// Filters that select rows by their key: updateOne, deleteOne, deleteMany (wire: 3.6, in that order of checks).
import type { JsonObject } from '../../foundation/json/json-value.js';
import { apiError } from '../errors/api-error.js';
import type { Column, Table } from '../schema/table.js';
import { type Comparison, conjunctionOf, type Filter, matchAll } from './filter.js';
import { clauseComparisons, type FilterClause, parseFilterClause } from './filter-clause.js';
import { comparedColumn, refuseUnknownColumns, resolveClause } from './parse-filter.js';

/** The lengths of lists are multiplied, and all writes wait for a delete. */
const maxSlices = 10_000;

/** The values of a whole primary key, in key order. */
export type PrimaryKey = readonly unknown[];

/**
 * Parses the filter of updateOne and deleteOne: every key column once, with `$eq`.
 * @throws ApiError scope FILTER
 */
export function parseKeyOfOneRow(json: JsonObject | undefined, table: Table): PrimaryKey {
  const clause = parseFilterClause(json);
  const primaryKey = table.keyColumns;
  if (clauseComparisons(clause).length === 0) {
    throw apiError('filter', 'MISSING_FILTER_FOR_UPDATE_DELETE', { primaryKey });
  }
  refuseOtherColumns(clause, table);
  const operators = operatorsInEffect(clause, false);
  const beyondEquality = operators.filter((operator) => operator !== '$eq');
  if (beyondEquality.length > 0) {
    throw apiError('filter', 'UNSUPPORTED_FILTER_FOR_UPDATE_ONE_DELETE_ONE', { operators: beyondEquality });
  }
  const compared = clauseComparisons(clause).map((comparison) => comparedColumn(comparison, table));
  const missing = primaryKey.filter((column) => !compared.includes(column));
  if (missing.length > 0) {
    throw apiError('filter', 'MISSING_FULL_PRIMARY_KEY_FOR_UPDATE_DELETE', { primaryKey, missing });
  }
  if (compared.length > primaryKey.length) {
    throw apiError('filter', 'UNSUPPORTED_FILTER_FOR_UPDATE_ONE_DELETE_ONE', {
      operators: ['$eq twice on a column'],
    });
  }
  return keyOf(conjunctionOf(resolveClause(clause, table, false)) ?? [], table);
}

/**
 * Parses the filter of deleteMany: nothing (all rows), or partitions and a slice of them.
 * @throws ApiError scope FILTER
 */
export function parseKeySlice(json: JsonObject | undefined, table: Table): Filter {
  const clause = parseFilterClause(json);
  refuseOtherColumns(clause, table);
  // Only a filter without members means all rows: an empty branch is more likely a mistake of the client.
  if (json === undefined || json.size === 0) return matchAll;
  const filter = resolveClause(clause, table, false);
  const problem = sliceProblem(conjunctionOf(filter), table, '$eq or $in');
  if (problem === undefined) return filter;
  const clustering = table.clustering.map(({ column }) => column);
  throw apiError('filter', 'INVALID_PRIMARY_KEY_FILTER', {
    partitionKey: table.partitionKey,
    clustering,
    problem,
  });
}

/**
 * The key's values if the comparisons are `$eq` on exactly the key columns, else undefined. A text that is compared in
 * the form of an index is not a value of the key: rows with different keys may match it.
 */
export function wholeKeyOf(comparisons: readonly Comparison[], table: Table): PrimaryKey | undefined {
  if (comparisons.length !== table.keyColumns.length) return undefined;
  const names = comparisons.every(
    ({ column, operator, fold }) =>
      operator.name === '$eq' && fold === undefined && table.keyColumns.includes(column),
  );
  return names && hasEach(comparisons) ? keyOf(comparisons, table) : undefined;
}

/** Whether no column is compared twice. */
function hasEach(comparisons: readonly Comparison[]): boolean {
  return (
    comparisons.length < 2 || new Set(comparisons.map(({ column }) => column)).size === comparisons.length
  );
}

function keyOf(comparisons: readonly Comparison[], table: Table): PrimaryKey {
  return table.keyColumns.map((key) => comparisons.find(({ column }) => column === key)?.operands[0]);
}

function refuseOtherColumns(clause: FilterClause, table: Table): void {
  refuseUnknownColumns(clause, table);
  const compared = new Set(clauseComparisons(clause).map((comparison) => comparedColumn(comparison, table)));
  const columns = [...compared].filter((column) => !table.keyColumns.includes(column));
  if (columns.length > 0) {
    const primaryKey = table.keyColumns;
    throw apiError('filter', 'UNSUPPORTED_NON_PRIMARY_KEY_FILTER_FOR_UPDATE_DELETE', { primaryKey, columns });
  }
}

/**
 * The operators after `$not` is removed by negation; an "or" with several branches, or with none, counts as one
 * operator.
 */
function operatorsInEffect(clause: FilterClause, isNegated: boolean): readonly string[] {
  switch (clause.kind) {
    case 'comparison':
      return [
        isNegated ? (negatedEquality.get(clause.operator) ?? `not ${clause.operator}`) : clause.operator,
      ];
    case 'members': // never of the key
      return [clause.operator.name];
    case 'not':
      return clause.clauses.flatMap((part) => operatorsInEffect(part, !isNegated));
    case 'and':
    case 'or': {
      const hasChoice = clause.clauses.length !== 1 && (clause.kind === 'or') !== isNegated;
      return [
        ...(hasChoice ? [clause.kind === 'or' ? '$or' : '$not'] : []),
        ...clause.clauses.flatMap((part) => operatorsInEffect(part, isNegated)),
      ];
    }
  }
}

const negatedEquality: ReadonlyMap<string, string> = new Map([
  ['$ne', '$eq'],
  ['$eq', '$ne'],
]);

/**
 * Why the comparisons do not select partitions or slices of them; undefined if they do. `equality`: the operators
 * for single values, in the language of the filter.
 */
export function sliceProblem(
  comparisons: readonly Comparison[] | undefined,
  table: Table,
  equality: string,
): string | undefined {
  if (comparisons === undefined) return '$or and $not cannot select partitions or slices';
  const on = (column: Column): readonly Comparison[] =>
    comparisons.filter((comparison) => comparison.column === column);
  for (const column of table.partitionKey) {
    const [only, ...more] = on(column);
    if (only === undefined) return `the partition column ${column.name} is not restricted`;
    if (more.length > 0 || !namesValues(only))
      return `the partition column ${column.name} needs exactly one ${equality}`;
  }
  const sliceCount = comparisons.reduce((count, { operands }) => count * Math.max(1, operands.length), 1);
  if (sliceCount > maxSlices)
    return `its lists select ${sliceCount} slices; at most ${maxSlices} are allowed`;
  let mayGoOn = true;
  for (const { column } of table.clustering) {
    const restrictions = on(column);
    if (restrictions.length > 0 && !mayGoOn)
      return `a clustering column before ${column.name} is not restricted to single values`;
    const isFixed = restrictions.length === 1 && restrictions.every(namesValues);
    if (!isFixed && !isRange(restrictions))
      return `the clustering column ${column.name} needs exactly one ${equality}, or a range`;
    mayGoOn = isFixed;
  }
  return undefined;
}

function namesValues({ operator }: Comparison): boolean {
  return operator.namesValues;
}

/** Whether these comparisons of one column are its bounds: at most one on each side. */
export function isRange(restrictions: readonly Comparison[]): boolean {
  const sides = restrictions.map(({ operator }) => operator.name.slice(0, 3));
  return restrictions.every(({ operator }) => operator.isRange) && new Set(sides).size === sides.length;
}
