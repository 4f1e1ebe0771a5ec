// Text search → SQL: statistics of tokens, the best rows of a part of the table, rows by their numbers, and rows that
// match in the order of their numbers.
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import { bigint } from '../../../column-types/integers.js';
import { text } from '../../../column-types/text.js';
import { type Comparison, type Filter, isComparison, matchAll, requiredOf } from '../../../query/filter.js';
import { bm25, distinctTokens } from '../../../query/word-search.js';
import { type Column, makeColumn, type TextIndex, textIndexOn } from '../../../schema/table.js';
import { joinSql, type SqlFragment } from '../file/sql-fragment.js';
import { rowIdColumn, sqlColumn, sqlPostings, sqlTable, sqlTextStatistics } from '../file/sql-names.js';
import { filterCondition } from './filter-condition.js';
import type { OrderedPlan } from './ordered-plan.js';
import { orderList, type SelectStatement } from './select-text.js';

/** The number of a row in the file, as a column of results. */
export const rowNumberColumn: Column = makeColumn(0, { name: 'row_id', type: bigint });

/** Rows whose text has all tokens, and that pass the rest of the filter. */
export interface WordMatch {
  readonly index: TextIndex;
  /** Each once, in their stored form; the rarest first, as far as it is known. Without tokens no row matches. */
  readonly tokens: readonly SqlValue[];
  readonly rest: Filter;
}

/** A part of the table by row numbers: exclusive and inclusive. */
export interface RowSpan {
  readonly above: number;
  readonly through: number;
}

/** The filter as a match with an index: its required comparisons of that index are replaced by tokens. */
export function wordMatch(
  filter: Filter,
  index: TextIndex,
  isIndexed: (comparison: Comparison) => boolean,
  tokens: readonly string[] = [],
): WordMatch {
  const served = new Set(requiredOf(filter).filter(isIndexed));
  const isNever = [...served].some(({ operands }) => operands.length === 0);
  const found = [...served].flatMap(({ operands }) => operands as readonly string[]); // see `Comparison`
  const all = isNever ? [] : [...tokens, ...found];
  return {
    index,
    tokens: distinctTokens(all).map((token) => text.sql.encode(token)),
    rest: without(filter, served),
  };
}

/** The match for a filter that a text index can answer; undefined if none can. */
export function matchOfFilter({
  filter,
  table,
}: Pick<OrderedPlan, 'filter' | 'table'>): WordMatch | undefined {
  const first = requiredOf(filter).find(({ analyzer }) => analyzer !== undefined);
  const index = first && textIndexOn(table, first.column);
  if (index === undefined) return undefined;
  return wordMatch(
    filter,
    index,
    ({ column, analyzer }) => column === index.column && analyzer !== undefined,
  );
}

function without(filter: Filter, served: ReadonlySet<Filter>): Filter {
  if (served.has(filter)) return matchAll;
  if (isComparison(filter)) return filter;
  return { kind: filter.kind, filters: filter.filters.map((part) => without(part, served)) };
}

/** The largest row number of the table, and for each token how many rows have it, at most `most`. */
export function fewRowsStatement(
  { table }: OrderedPlan,
  { index, tokens }: WordMatch,
  most: number,
): SelectStatement {
  const count = `(SELECT count(*) FROM (SELECT 1 FROM ${sqlPostings(table, index)} WHERE token = ? LIMIT ${most}))`;
  return {
    sql: `SELECT ${[lastRow(table), ...tokens.map(() => count)].join(', ')}`,
    values: tokens,
    columns: [],
  };
}

/**
 * The largest row number of the table, the number of rows with a text, the number of their tokens, and for each token
 * how many rows of a part of the table have it.
 */
export function statisticsStatement(
  { table }: OrderedPlan,
  { index, tokens }: WordMatch,
  { above, through }: RowSpan,
): SelectStatement {
  const count = `(SELECT count(*) FROM ${sqlPostings(table, index)} WHERE token = ? AND row > ? AND row <= ?)`;
  return {
    sql:
      `SELECT ${[lastRow(table), 'rows', 'length', ...tokens.map(() => count)].join(', ')} ` +
      `FROM ${sqlTextStatistics(table, index)}`,
    values: tokens.flatMap((token) => [token, above, through]),
    columns: [],
  };
}

function lastRow(table: OrderedPlan['table']): string {
  return `(SELECT coalesce(max(${rowIdColumn}), 0) FROM ${sqlTable(table)})`;
}

/** How rows are scored. */
export interface Scoring {
  /** In the order of the search; tokens in their stored form. */
  readonly weights: readonly (readonly [token: SqlValue, weight: number])[];
  readonly averageLength: number;
}

/** Adding and subtracting this multiple of a double rounds it to a 32-bit float. */
const roundingFactor = '536870913.0';

/**
 * The best rows of a part of the table, at most `count`: row number, score and the columns of the plan's order. Only
 * the keys of rows that are among the best by score are read.
 */
export function bestWordsStatement(
  plan: OrderedPlan,
  match: WordMatch,
  { weights, averageLength }: Scoring,
  span: RowSpan,
  count: number,
): SelectStatement {
  const { table } = plan;
  const keys = plan.order.map(({ column }) => column);
  const postings = sqlPostings(table, match.index);
  const { k1, b } = bm25;
  const part =
    `(SELECT ? * own.count / (own.count + ${k1} * (${1 - b} + ${b} * own.length / ?)) ` +
    `FROM ${postings} AS own WHERE own.token = ? AND own.row = first.row)`;
  const found = matchingRows(plan, match, span);
  return {
    sql:
      `WITH exact AS MATERIALIZED (SELECT first.row AS number, ${weights.map(() => part).join(' + ')} AS exact ` +
      `FROM ${found.sql}), ` +
      `scored AS MATERIALIZED (SELECT number, exact * ${roundingFactor} - ` +
      `(exact * ${roundingFactor} - exact) AS score FROM exact) ` +
      `SELECT ${['number', 'score', ...keys.map(sqlColumn)].join(', ')} FROM scored ` +
      `CROSS JOIN ${sqlTable(table)} ON ${rowIdColumn} = number WHERE score >= ` +
      '(SELECT min(score) FROM (SELECT score FROM scored ORDER BY score DESC LIMIT ?)) ' +
      `ORDER BY score DESC, ${orderList(plan)} LIMIT ?`,
    values: [
      ...weights.flatMap(([token, weight]) => [weight, averageLength, token]),
      ...found.values,
      count,
      count,
    ],
    columns: [rowNumberColumn, ...keys],
  };
}

/** The rows with these numbers that still match, in the order of the numbers. */
export function rowsOfWordsStatement(
  plan: OrderedPlan,
  match: WordMatch,
  numbers: readonly number[],
): SelectStatement {
  const { columns, table } = plan;
  const condition = conditionOf(plan, match, match.tokens, 'wanted.value');
  return {
    sql:
      `SELECT ${columns.length === 0 ? 'NULL' : columns.map(sqlColumn).join(', ')} FROM json_each(?) AS wanted ` +
      `CROSS JOIN ${sqlTable(table)} ON ${rowIdColumn} = wanted.value WHERE ${condition.sql} ` +
      'ORDER BY wanted.key LIMIT ?',
    values: [`[${numbers.join(',')}]`, ...condition.values, plan.limit],
    columns,
  };
}

/** The matching rows of a part of the table in the order of their numbers: the columns, and the number. */
export function matchingRowsStatement(
  plan: OrderedPlan,
  match: WordMatch,
  span: RowSpan,
  limit: number,
): SelectStatement {
  const { columns } = plan;
  const { sql, values } = matchingRows(plan, match, span, true);
  return {
    sql: `SELECT ${[...columns.map(sqlColumn), 'first.row'].join(', ')} FROM ${sql} ORDER BY first.row LIMIT ?`,
    values: [...values, limit],
    columns: [...columns, rowNumberColumn],
  };
}

/** The postings of the first token whose rows match, joined with the rows if the filter or the caller needs them. */
function matchingRows(
  plan: OrderedPlan,
  match: WordMatch,
  { above, through }: RowSpan,
  needsRows = filterCondition(match.rest) !== undefined,
): SqlFragment {
  const { table } = plan;
  const [rarest = '', ...others] = match.tokens;
  const rows = needsRows ? ` CROSS JOIN ${sqlTable(table)} ON ${rowIdColumn} = first.row` : '';
  const condition = conditionOf(plan, match, others, 'first.row');
  return {
    sql:
      `${sqlPostings(table, match.index)} AS first${rows} ` +
      `WHERE first.token = ? AND first.row > ? AND first.row <= ? AND ${condition.sql}`,
    values: [rarest, above, through, ...condition.values],
  };
}

function conditionOf(
  { table }: OrderedPlan,
  { index, rest }: WordMatch,
  tokens: readonly SqlValue[],
  row: string,
): SqlFragment {
  const postings = `${sqlPostings(table, index)} AS other`;
  const sql = `EXISTS (SELECT 1 FROM ${postings} WHERE other.token = ? AND other.row = ${row})`;
  const filter = filterCondition(rest);
  const parts = [
    ...tokens.map((token) => ({ sql, values: [token] })),
    ...(filter === undefined ? [] : [filter]),
  ];
  return parts.length === 0 ? { sql: 'TRUE', values: [] } : joinSql(parts, ' AND ');
}
