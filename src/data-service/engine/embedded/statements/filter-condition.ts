// Converts a filter to a SQL condition. Encodings keep the order of types, so SQLite's comparison gives the meaning of
// the filter.
import type { Comparison, Filter } from '../../../query/filter.js';
import type { FilterOperator, FilterOperatorName } from '../../../query/filter-operators.js';
import { documentCondition } from '../file/document-functions.js';
import { membersCondition } from '../file/member-functions.js';
import { encodeValue, joinSql, type SqlFragment } from '../file/sql-fragment.js';
import { foldExpression, matchesCondition } from '../file/sql-functions.js';
import { sqlColumn } from '../file/sql-names.js';

type WriteSql = (column: string, placeholders: string) => string;

/**
 * Operator → SQL for a column and as many placeholders as there are operands; NULL is a missing value. For an operator
 * without SQL, SQLite calls its `matches` for each row, and no index can be used.
 */
const operatorSql: Readonly<Partial<Record<FilterOperatorName, WriteSql>>> = {
  $eq: (column, value) => `${column} = ${value}`,
  $ne: (column, value) => `${column} <> ${value}`,
  $gt: (column, value) => `${column} > ${value}`,
  $gte: (column, value) => `${column} >= ${value}`,
  $lt: (column, value) => `${column} < ${value}`,
  $lte: (column, value) => `${column} <= ${value}`,
  $in: (column, values) => `${column} IN (${values})`,
  // NOT IN () is also true for NULL.
  $nin: (column, values) => `(${column} IS NOT NULL AND ${column} NOT IN (${values}))`,
};

/** The condition of a filter; undefined if it is true for every row. */
export function filterCondition(filter: Filter): SqlFragment | undefined {
  if (filter.kind === 'comparison') return comparisonCondition(filter);
  if (filter.kind === 'members') return membersCondition(sqlColumn(filter.column), filter);
  if (filter.kind === 'document') return documentCondition(filter);
  const parts = filter.filters.map(filterCondition);
  if (filter.kind === 'or' && parts.length === 0) return { sql: 'FALSE', values: [] };
  if (filter.kind === 'or' && parts.includes(undefined)) return undefined;
  // Equal conditions are written once: many parts without comparisons would make a deep expression.
  const texts = new Set<string>();
  const conditions = parts.filter((part): part is SqlFragment => {
    if (part === undefined || (part.values.length === 0 && texts.has(part.sql))) return false;
    texts.add(part.sql);
    return true;
  });
  const [only, ...more] = conditions;
  // No unnecessary parentheses: SQLite limits the depth of expressions.
  if (more.length === 0) return only;
  const joined = joinSql(conditions, filter.kind === 'and' ? ' AND ' : ' OR ');
  return { ...joined, sql: `(${joined.sql})` };
}

export function comparisonCondition(comparison: Comparison): SqlFragment {
  const { column, operator, operands, fold } = comparison;
  const expression = fold === undefined ? sqlColumn(column) : foldExpression(sqlColumn(column), fold);
  const writeSql = operatorSql[operator.name];
  if (writeSql === undefined) return matchesCondition(expression, comparison);
  const placeholders = operands.map(() => '?').join(', ');
  return {
    sql: writeSql(expression, placeholders),
    values: operands.map((operand) => encodeValue(column, operand)),
  };
}

/** Whether the operator has SQL, so that an index can seek. */
export function isWrittenAsSql({ name }: FilterOperator): boolean {
  return operatorSql[name] !== undefined;
}
