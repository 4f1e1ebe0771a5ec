// Index range → SQL: its first rows as values or as JSON, their sizes, those that match a filter, and their end.
import { GenerationCache } from '../../../../foundation/generation-cache.js';
import { comparedColumns } from '../../../query/filter.js';
import { rowSize } from '../file/row-size.js';
import { boundLimit, type SqlFragment } from '../file/sql-fragment.js';
import { readsBigInts } from '../file/stored-rows.js';
import { filterCondition } from './filter-condition.js';
import { columnsToRead, type OrderedPlan } from './ordered-plan.js';
import type { RowForm, RowWriting } from './row-writing.js';
import {
  type IndexRange,
  orderList,
  positionsText,
  rangeText,
  type SelectStatement,
  selectList,
  walkText,
} from './select-text.js';

/** The first `limit` rows of a range. */
export function rangeStatement(plan: OrderedPlan, range: IndexRange, limit: number): SelectStatement {
  const columns = columnsToRead(plan);
  return { sql: rangeText(plan, range, selectList(columns)), values: [...range.values, limit], columns };
}

/** Returns the total size of the first `limit` rows of a range in bytes, without reading them. */
export function rangeSizeStatement(plan: OrderedPlan, range: IndexRange, limit: number): SqlFragment {
  const rows = rangeText(plan, range, `${rowSize(columnsToRead(plan))} AS size`);
  return { sql: `SELECT total(size) FROM (${rows})`, values: [...range.values, limit] };
}

/** Returns the first rows of a range as JSON; plain data, so that another thread can run it. */
export interface PageStatement {
  /**
   * Returns one text (null for no rows), the number of rows, and the number of written rows: the others are too large.
   * The last bound value is the maximum number of rows.
   */
  readonly sql: string;
  readonly form: RowForm;
  /** For the same range: `endStatement`. */
  readonly end: { readonly sql: string; readonly readBigInts: boolean };
}

/** By the texts of their parts. */
const pageStatements = new WeakMap<RowWriting, GenerationCache<PageStatement>>();
const pageStatementsKept = 50;

/** Returns the first rows of a range as JSON; rows with more bytes than the first bound value are null. */
export function pageStatement(plan: OrderedPlan, range: IndexRange, writing: RowWriting): PageStatement {
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

function makePageStatement(plan: OrderedPlan, range: IndexRange, writing: RowWriting): PageStatement {
  const row = `iif(${writing.size} <= ?, ${writing.selection}, NULL)`;
  const rows = rangeText(plan, range, `${row} AS written`);
  const end = endStatement(plan, range, 1);
  return {
    sql: `SELECT group_concat(written), count(*), count(written) FROM (${rows})`,
    form: writing.form,
    end: { sql: end.sql, readBigInts: readsBigInts(end.columns) },
  };
}

/** The rows that match the filter among the first `sliceRows` rows of a range, at most `limit`. */
export function sliceStatement(
  plan: OrderedPlan,
  range: IndexRange,
  sliceRows: number,
  limit: number,
): SelectStatement {
  const columns = columnsToRead(plan);
  const condition = filterCondition(plan.filter) ?? { sql: 'TRUE', values: [] };
  const inner = selectList([
    ...new Set([...columns, ...comparedColumns(plan.filter), ...plan.order.map(({ column }) => column)]),
  ]);
  const walked = walkText(plan, range, inner);
  const ordered = `ORDER BY ${orderList(plan)} ${boundLimit}`;
  return {
    sql: `SELECT ${selectList(columns)} FROM (${walked}) WHERE ${condition.sql} ${ordered}`,
    values: [...range.values, sliceRows, ...(range.probe?.values ?? []), ...condition.values, limit],
    columns,
  };
}

/**
 * The position of the last of the first `rows` rows of a range. The last bound values are the number of positions and
 * the offset.
 */
export function endStatement(plan: OrderedPlan, range: IndexRange, rows: number): SelectStatement {
  const columns = plan.order.map(({ column }) => column);
  return {
    sql: positionsText(plan, range),
    values: [...range.values, 1, rows - 1],
    columns,
  };
}
