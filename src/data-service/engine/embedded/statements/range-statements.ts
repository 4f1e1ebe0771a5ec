// Index range → SQL: its first rows as values or in writing, their sizes, those that match a filter, where they end.
import { GenerationCache } from '../../../../foundation/generation-cache.js';
import { rowSize } from '../file/row-size.js';
import { boundLimit, type SqlFragment } from '../file/sql-fragment.js';
import { readsBigInts } from '../file/stored-rows.js';
import { filterCondition } from './filter-condition.js';
import { columnsToRead, type OrderedPlan } from './ordered-plan.js';
import type { RowForm, RowWriting } from './row-writing.js';
import { filterColumns, orderList, rangeText, type SelectStatement, selectList } from './select-text.js';

/** The first `limit` rows of a range. */
export function rangeStatement(plan: OrderedPlan, range: SqlFragment, limit: number): SelectStatement {
  const columns = columnsToRead(plan);
  return { sql: rangeText(plan, range, selectList(columns)), values: [...range.values, limit], columns };
}

/** What gives the bytes of the first `limit` rows of a range together, without reading them. */
export function rangeSizeStatement(plan: OrderedPlan, range: SqlFragment, limit: number): SqlFragment {
  const rows = rangeText(plan, range, `${rowSize(columnsToRead(plan))} AS size`);
  return { sql: `SELECT total(size) FROM (${rows})`, values: [...range.values, limit] };
}

/** What reads the first rows of a range in writing; plain data, so that another thread can carry it out. */
export interface PageStatement {
  /**
   * Gives one text, null for no rows, how many rows there are, and how many of them are written: the others are too
   * large for it. The last value bound is how many are wanted.
   */
  readonly sql: string;
  readonly form: RowForm;
  /** Of the same range: `endStatement`. */
  readonly end: { readonly sql: string; readonly readBigInts: boolean };
}

/** By the texts of their parts. */
const pageStatements = new WeakMap<RowWriting, GenerationCache<PageStatement>>();
const pageStatementsKept = 50;

/** How the first rows of a range are read in writing, those of more bytes than the first value says as null. */
export function pageStatement(plan: OrderedPlan, range: SqlFragment, writing: RowWriting): PageStatement {
  let known = pageStatements.get(writing);
  if (known === undefined) {
    known = new GenerationCache(pageStatementsKept);
    pageStatements.set(writing, known);
  }
  const parts = `${range.sql}|${orderList(plan)}`;
  let statement = known.get(parts);
  if (statement === undefined) {
    statement = makePageStatement(plan, range, writing);
    known.set(parts, statement);
  }
  return statement;
}

function makePageStatement(plan: OrderedPlan, range: SqlFragment, writing: RowWriting): PageStatement {
  const row = `iif(${writing.size} <= ?, ${writing.selection}, NULL)`;
  const rows = rangeText(plan, range, `${row} AS written`);
  const end = endStatement(plan, range, 1);
  return {
    sql: `SELECT group_concat(written), count(*), count(written) FROM (${rows})`,
    form: writing.form,
    end: { sql: end.sql, readBigInts: readsBigInts(end.columns) },
  };
}

/** Those among the first `sliceRows` rows of a range that match the filter, at most `limit`. */
export function sliceStatement(
  plan: OrderedPlan,
  range: SqlFragment,
  sliceRows: number,
  limit: number,
): SelectStatement {
  const columns = columnsToRead(plan);
  const condition = filterCondition(plan.filter) ?? { sql: 'TRUE', values: [] };
  const inner = selectList([
    ...new Set([...columns, ...filterColumns(plan.filter), ...plan.order.map(({ column }) => column)]),
  ]);
  const walked = rangeText(plan, range, inner);
  const ordered = `ORDER BY ${orderList(plan)} ${boundLimit}`;
  return {
    sql: `SELECT ${selectList(columns)} FROM (${walked}) WHERE ${condition.sql} ${ordered}`,
    values: [...range.values, sliceRows, ...condition.values, limit],
    columns,
  };
}

/** The position of the last of the first `rows` rows of a range. Its last values: how many positions, from where. */
export function endStatement(plan: OrderedPlan, range: SqlFragment, rows: number): SelectStatement {
  const columns = plan.order.map(({ column }) => column);
  return {
    sql: `${rangeText(plan, range, selectList(columns))} OFFSET ?`,
    values: [...range.values, 1, rows - 1],
    columns,
  };
}
