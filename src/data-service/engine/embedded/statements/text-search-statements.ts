// Text search → SQL: what the slices of a search need, rows by their numbers, and the filter as a match with an index.
import { bigint } from '../../../column-types/integers.js';
import { type Comparison, type Filter, isComparison, matchAll, requiredOf } from '../../../query/filter.js';
import { distinctTokens } from '../../../query/word-search.js';
import { type Column, makeColumn, type TextIndex, textIndexOn } from '../../../schema/table.js';
import { rowSize } from '../file/row-size.js';
import type { SqlFragment } from '../file/sql-fragment.js';
import { rowIdColumn, sqlColumn, sqlTable } from '../file/sql-names.js';
import { readsBigInts } from '../file/stored-rows.js';
import { indexedToken } from '../file/text-functions.js';
import type { NumbersStatement } from '../postings/word-slices.js';
import { filterCondition } from './filter-condition.js';
import type { OrderedPlan } from './ordered-plan.js';
import { orderList } from './select-text.js';
import { textTables } from './text-statements.js';

/** The number of a row in the file, as a column of results. */
export const rowNumberColumn: Column = makeColumn(0, { name: 'row_id', type: bigint });

/** Rows whose text has all tokens, and that pass the rest of the filter. */
export interface WordMatch {
  readonly index: TextIndex;
  /** Each once, in the form of indexes. Without tokens no row matches. */
  readonly tokens: readonly string[];
  readonly rest: Filter;
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
    tokens: distinctTokens(all).map(indexedToken),
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

/** What slices of a search with a match need. */
export function wordsOf({ table }: OrderedPlan, { index, tokens }: WordMatch) {
  const searched = tokens.map((token) => Buffer.from(token).toString('latin1'));
  return { tables: textTables(table, index), rows: sqlTable(table), tokens: searched };
}

/**
 * Those of some rows that pass the rest of the filter, in the order of the numbers: the columns, then the number. It
 * leaves out rows of more than `mostBytes` without reading them.
 */
export function rowsByNumber(plan: OrderedPlan, { rest }: WordMatch, mostBytes?: number): NumbersStatement {
  const columns = [...plan.columns, rowNumberColumn];
  const isSmall = mostBytes === undefined ? '' : ` AND ${rowSize(plan.columns)} <= ${mostBytes}`;
  const { sql, values } = passing(plan, rest, isSmall);
  return {
    sql: `SELECT ${columns.map(sqlColumnOf).join(', ')} ${sql} ORDER BY wanted.key LIMIT ?`,
    values,
    readBigInts: readsBigInts(columns),
  };
}

/** The numbers of those of some rows that pass the rest of the filter, in the order of the plan. */
export function numbersInOrder(plan: OrderedPlan, { rest }: WordMatch): NumbersStatement {
  const { sql, values } = passing(plan, rest);
  return { sql: `SELECT ${rowIdColumn} ${sql} ORDER BY ${orderList(plan)}`, values, readBigInts: false };
}

/** Whether the rest of the filter can refuse rows. */
export function isFiltered({ rest }: WordMatch): boolean {
  return filterCondition(rest) !== undefined;
}

function sqlColumnOf(column: Column): string {
  return column === rowNumberColumn ? rowIdColumn : sqlColumn(column);
}

function passing({ table }: OrderedPlan, rest: Filter, andThat = ''): SqlFragment {
  const filter = filterCondition(rest);
  const condition = filter === undefined ? '' : ` WHERE ${filter.sql}`;
  return {
    sql:
      `FROM json_each(?) AS wanted CROSS JOIN ${sqlTable(table)} ` +
      `ON ${rowIdColumn} = wanted.value${andThat}${condition}`,
    values: filter?.values ?? [],
  };
}
