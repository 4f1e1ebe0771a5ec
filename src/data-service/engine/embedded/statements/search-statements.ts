// Vector search → SQL: the best rows of a slice, and the rows that were found.
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import { double } from '../../../column-types/floats.js';
import { bigint } from '../../../column-types/integers.js';
import { comparedColumns } from '../../../query/filter.js';
import { similarityColumn, type VectorSearch } from '../../../query/vector-search.js';
import { type Column, makeColumn } from '../../../schema/table.js';
import { rowSize } from '../file/row-size.js';
import { joinSql, type SqlFragment } from '../file/sql-fragment.js';
import { scoreExpression } from '../file/sql-functions.js';
import { sqlColumn, sqlTable } from '../file/sql-names.js';
import { filterCondition } from './filter-condition.js';
import type { OrderedPlan } from './ordered-plan.js';
import { orderList, type SelectStatement, where } from './select-text.js';

/** The number of a row in the file, as a column of results. */
const rowIdColumn: Column = makeColumn(0, { name: 'row_id', type: bigint });
/** The score of a row, as a column of results. */
const scoreColumn: Column = makeColumn(0, { name: 'score', type: double });

/** The inputs of the statements: the plan for the rows, and its search. */
export interface SearchPlan {
  readonly plan: OrderedPlan;
  readonly search: VectorSearch;
}

/**
 * The best of the first `sliceRows` rows of a range, at most `count`: row number, score and the columns of the plan's
 * order. The range is of the index whose order is `walked`.
 */
export function bestOfSlice(
  { plan, search }: SearchPlan,
  walked: Pick<OrderedPlan, 'order'>,
  range: SqlFragment,
  sliceRows: number,
  count: number,
): SelectStatement {
  const keys = plan.order.map(({ column }) => column);
  const needed = new Set([search.column, ...keys, ...comparedColumns(plan.filter), ...columnsOf(walked)]);
  const inner = ['row_id', ...[...needed].map(sqlColumn)].join(', ');
  const slice = `SELECT ${inner} FROM ${sqlTable(plan.table)}${where(range)} ORDER BY ${orderList(walked)} LIMIT ?`;
  const score = scoreExpression(search);
  const condition = rankable({ plan, search });
  return {
    sql:
      `SELECT ${['row_id', `${score.sql} AS score`, ...keys.map(sqlColumn)].join(', ')} FROM (${slice}) ` +
      `WHERE ${condition.sql} ORDER BY score DESC, ${orderList(plan)} LIMIT ?`,
    values: [...score.values, ...range.values, sliceRows, ...condition.values, count],
    columns: [rowIdColumn, scoreColumn, ...keys],
  };
}

/**
 * The rows with these numbers that still match, in the order of the search: score, then the stored columns of the plan.
 */
export function rowsByNumber({ plan, search }: SearchPlan, rowIds: readonly bigint[]): SelectStatement {
  const score = scoreExpression(search);
  const condition = rankable({ plan, search });
  const stored = storedColumns(plan);
  return {
    sql:
      `SELECT ${[`${score.sql} AS score`, ...stored.map(sqlColumn)].join(', ')} ` +
      `FROM ${sqlTable(plan.table)} NOT INDEXED ` +
      `WHERE row_id IN (SELECT value FROM json_each(?)) AND ${condition.sql} ` +
      `ORDER BY score DESC, ${orderList(plan)} LIMIT ?`,
    values: [...score.values, `[${rowIds.join(',')}]`, ...condition.values, plan.page.limit],
    columns: [scoreColumn, ...stored],
  };
}

/**
 * A statement for rows that are ranked outside SQL, see `best-rows.ts`. Its first bound values are up to `numbers` row
 * numbers, see `bindNumbers`; the last one is the maximum size of the texts and blobs of a row without its vector:
 * larger rows are omitted.
 */
export interface UnrankedRows extends SelectStatement {
  readonly numbers: number;
  /** Returns the total size of the rows without their vectors; takes the same values except the last. */
  readonly sizeSql: string;
  /** Returns the numbers of those rows that match; takes the same values as `sizeSql`. */
  readonly passingSql: string;
}

/**
 * Up to this number, each row number is a parameter of its own. A cached statement takes 170 bytes for each, and each
 * number of parameters would be another statement: too much for a thousand rows, or for every limit that clients
 * request.
 */
const fewNumbers = 32;

/** How many row numbers can be bound where at most `numbers` are expected. */
export function mostNumbers(numbers: number): number {
  return Math.max(numbers, fewNumbers);
}

/** The values to bind for at most `numbers` row numbers. */
export function bindNumbers(numbers: number, rowIds: readonly number[]): readonly SqlValue[] {
  if (numbers > fewNumbers) return [`[${rowIds.join(',')}]`];
  return Array.from({ length: fewNumbers }, (_, at) => rowIds[at] ?? null);
}

/** The rows that still match, in the plan's order: the vector, then the stored columns of the plan. */
export function unrankedRows({ plan, search }: SearchPlan, numbers: number): UnrankedRows {
  const condition = rankable({ plan, search });
  const stored = storedColumns(plan);
  const list = numbers > fewNumbers ? 'SELECT value FROM json_each(?)' : `${'?,'.repeat(fewNumbers - 1)}?`;
  const size = rowSize(stored.filter((column) => column !== search.column));
  // SQLite would read an index of the filter, and look for each of its rows in the list.
  const matching = `FROM ${sqlTable(plan.table)} NOT INDEXED WHERE row_id IN (${list}) AND ${condition.sql}`;
  return {
    sql:
      `SELECT ${[search.column, ...stored].map(sqlColumn).join(', ')} ${matching} AND ${size} <= ? ` +
      `ORDER BY ${orderList(plan)}`,
    sizeSql: `SELECT total(${size}) ${matching}`,
    passingSql: `SELECT row_id ${matching}`,
    values: condition.values,
    columns: [search.column, ...stored],
    numbers,
  };
}

/** The stored columns of a search's outcome: all except the similarity. */
export function storedColumns({ columns }: Pick<OrderedPlan, 'columns'>): readonly Column[] {
  return columns.filter((column) => column !== similarityColumn);
}

/** True for rows that have a vector and match the filter. */
function rankable({ plan, search }: SearchPlan): SqlFragment {
  const hasVector = { sql: `${sqlColumn(search.column)} IS NOT NULL`, values: [] };
  const condition = filterCondition(plan.filter);
  return joinSql(condition === undefined ? [hasVector] : [hasVector, condition], ' AND ');
}

function columnsOf({ order }: Pick<OrderedPlan, 'order'>): readonly Column[] {
  return order.map(({ column }) => column);
}
