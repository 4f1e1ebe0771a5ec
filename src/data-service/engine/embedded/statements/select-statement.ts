// ReadPlan → SQL: one row by its key, or a walk along the key index in its order.
import { GenerationCache } from '../../../../foundation/generation-cache.js';
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import { isExact } from '../../../column-types/text-fold.js';
import { type Comparison, conjunctionOf, type Filter, requiredOf } from '../../../query/filter.js';
import { filterOperators } from '../../../query/filter-operators.js';
import { isRange, type PrimaryKey, wholeKeyOf } from '../../../query/key-filter.js';
import { columnsToRead, type Position, type ReadPlan, type RowOrder } from '../../../query/read.js';
import { type Column, type RegularIndex, regularIndexOn, type Table } from '../../../schema/table.js';
import { rowSize } from '../file/row-size.js';
import { boundLimit, encodeValue, joinSql, type SqlFragment } from '../file/sql-fragment.js';
import { keyCondition, sqlColumn, sqlTable } from '../file/sql-names.js';
import { readsBigInts } from '../file/stored-rows.js';
import { comparisonCondition, filterCondition } from './filter-condition.js';
import type { RowForm, RowWriting } from './row-writing.js';

/** A statement with the columns of its rows. */
export interface SelectStatement extends SqlFragment {
  readonly columns: readonly Column[];
}

/** How a plan is carried out. */
export type ReadPath =
  /** At most one row. */
  | { readonly kind: 'point'; readonly key: PrimaryKey }
  /** Every row that the walk meets belongs to the result, so its cost is bounded by the limit. */
  | { readonly kind: 'walk'; readonly restrictions: readonly Comparison[] }
  /** The walk meets rows that the filter refuses, any number of them. */
  | { readonly kind: 'scan'; readonly restrictions: readonly Comparison[] };

/** Chooses the path of a plan: its order is that of the key index or of another one. */
export function readPath({ filter, table, order }: Pick<ReadPlan, 'filter' | 'table' | 'order'>): ReadPath {
  const comparisons = conjunctionOf(filter);
  if (comparisons === undefined)
    return { kind: 'scan', restrictions: seekRestrictions(requiredOf(filter), order, table) };
  const key = wholeKeyOf(comparisons, table);
  if (key !== undefined) return { kind: 'point', key };
  const restrictions = seekRestrictions(comparisons, order, table);
  const isWhole = comparisons.length === restrictions.length && isPrefix(restrictions, order);
  return { kind: isWhole ? 'walk' : 'scan', restrictions };
}

/** The statement that reads one row by its key, as values. */
export function pointStatement(plan: ReadPlan, key: PrimaryKey): SelectStatement {
  const columns = columnsToRead(plan);
  const sql = pointText(plan.table, columns, () => selectList(columns));
  return { sql, values: keyValues(plan, key), columns };
}

/** The same in writing: null in the place of a row that has more bytes than `maxBytes`. */
export function writtenPointStatement(
  { table }: ReadPlan,
  key: PrimaryKey,
  writing: RowWriting,
  maxBytes: number,
): SqlFragment {
  const sql = pointText(table, writing, () => `iif(${writing.size} <= ?, ${writing.selection}, NULL)`);
  return { sql, values: [maxBytes, ...keyValues({ table }, key)] };
}

/** The statement that gives the bytes of one row, without reading it. */
export function pointSizeStatement(plan: ReadPlan, key: PrimaryKey): SqlFragment {
  const size = rowSize(columnsToRead(plan));
  const sql = `SELECT ${size} FROM ${sqlTable(plan.table)} WHERE ${keyCondition(plan.table)}`;
  return { sql, values: keyValues(plan, key) };
}

function keyValues({ table }: Pick<ReadPlan, 'table'>, key: PrimaryKey): readonly SqlValue[] {
  return table.keyColumns.map((column, at) => encodeValue(column, key[at]));
}

/**
 * By the list of columns, which belongs to one table, or by how they are written. The very same text is found fastest
 * among the prepared statements.
 */
const pointTexts = new WeakMap<readonly Column[] | RowWriting, string>();

function pointText(table: Table, form: readonly Column[] | RowWriting, selection: () => string): string {
  let text = pointTexts.get(form);
  if (text === undefined) {
    text = `SELECT ${selection()} FROM ${sqlTable(table)} WHERE ${keyCondition(table)}`;
    pointTexts.set(form, text);
  }
  return text;
}

/** Ranges of an index that together hold, in order, what lies behind `after`; each is one seek. */
export function walkRanges(
  plan: Pick<ReadPlan, 'order'>,
  restrictions: readonly Comparison[],
  after: Position | null,
): readonly SqlFragment[] {
  const [first] = plan.order;
  const choice = restrictions.find(
    ({ column, operator }) => column === first?.column && operator.name === '$in',
  );
  if (first === undefined || choice === undefined) return rangesBehind(plan.order, restrictions, after);
  // A choice of values is one walk after the other, in the order of the values.
  const others = restrictions.filter((restriction) => restriction !== choice);
  const compare = (left: unknown, right: unknown) => first.column.type.compare(left, right) * first.direction;
  return choice.operands
    .filter((operand, at) => choice.operands.findIndex((other) => compare(other, operand) === 0) === at)
    .filter((operand) => after === null || compare(operand, after[0]) >= 0)
    .toSorted(compare)
    .flatMap((operand) => {
      const only = { ...choice, operator: filterOperators.$eq, operands: [operand] };
      const isReached = after !== null && compare(operand, after[0]) === 0;
      return rangesBehind(plan.order, [only, ...others], isReached ? after : null);
    });
}

function rangesBehind(
  order: RowOrder,
  restrictions: readonly Comparison[],
  after: Position | null,
): readonly SqlFragment[] {
  const always = restrictions.map(comparisonCondition);
  if (after === null) return [joinSql(always, ' AND ')];
  // A folded text stands for several: their rows lie behind one another. A position among several stretches may have
  // another value than the only one of this stretch.
  const isFixed = (column: Column, value: unknown) =>
    restrictions.some(
      (one) =>
        one.column === column &&
        one.operator.name === '$eq' &&
        one.fold === undefined &&
        column.type.compare(one.operands[0], value) === 0,
    );
  // Same as the position up to a column, behind it in that column: from the last column to the first.
  return order
    .flatMap(({ column, direction }, at) => {
      if (isFixed(column, after[at])) return []; // nothing is behind the only value
      const same = order.slice(0, at).map((before, place) => ({
        sql: `${sqlColumn(before.column)} = ?`,
        values: [encodeValue(before.column, after[place])],
      }));
      const behind = {
        sql: `${sqlColumn(column)} ${direction === 1 ? '>' : '<'} ?`,
        values: [encodeValue(column, after[at])],
      };
      return [joinSql([...same, behind, ...always], ' AND ')];
    })
    .reverse();
}

/** The first `limit` rows of a range. */
export function rangeStatement(plan: ReadPlan, range: SqlFragment, limit: number): SelectStatement {
  const columns = columnsToRead(plan);
  return { sql: rangeText(plan, range, selectList(columns)), values: [...range.values, limit], columns };
}

/** What gives the bytes of the first `limit` rows of a range together, without reading them. */
export function rangeSizeStatement(plan: ReadPlan, range: SqlFragment, limit: number): SqlFragment {
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
export function pageStatement(plan: ReadPlan, range: SqlFragment, writing: RowWriting): PageStatement {
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

function makePageStatement(plan: ReadPlan, range: SqlFragment, writing: RowWriting): PageStatement {
  const row = `iif(${writing.size} <= ?, ${writing.selection}, NULL)`;
  const rows = rangeText(plan, range, `${row} AS written`);
  const end = endStatement(plan, range, 1);
  return {
    sql: `SELECT group_concat(written), count(*), count(written) FROM (${rows})`,
    form: writing.form,
    end: { sql: end.sql, readBigInts: readsBigInts(end.columns) },
  };
}

function rangeText(plan: ReadPlan, range: SqlFragment, selection: string): string {
  return (
    `SELECT ${selection} FROM ${sqlTable(plan.table)}${where(range)} ` +
    `ORDER BY ${orderList(plan)} ${boundLimit}`
  );
}

/** Those among the first `sliceRows` rows of a range that match the filter, at most `limit`. */
export function sliceStatement(
  plan: ReadPlan,
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
export function endStatement(plan: ReadPlan, range: SqlFragment, rows: number): SelectStatement {
  const columns = plan.order.map(({ column }) => column);
  return {
    sql: `${rangeText(plan, range, selectList(columns))} OFFSET ?`,
    values: [...range.values, 1, rows - 1],
    columns,
  };
}

/** Lists multiply: a walk that seeks every combination must still be short. */
const maxSeeks = 1_000;

/**
 * What narrows a walk to pieces of an index: columns of the order from the first on without a gap, and before them a
 * text in a folded index. Any other comparison would only let SQLite pass over rows, any number of them within one
 * slice, or make it sort.
 */
function seekRestrictions(
  comparisons: readonly Comparison[],
  order: RowOrder,
  table: Table,
): readonly Comparison[] {
  const folded = order === table.keyOrder ? comparisons.find((one) => isSeekInFolded(one, table)) : undefined;
  const restrictions = folded === undefined ? [] : [folded];
  let seeks = 1;
  for (const { column } of order) {
    const own = comparisons.filter(
      (one) => one.column === column && one.fold === undefined && (one.operator.isRange || namesValues(one)),
    );
    const named = own.filter(namesValues).map(({ operands }) => operands.length);
    if (named.length > 0) seeks *= Math.min(...named);
    if (seeks > maxSeeks) break;
    restrictions.push(...own);
    if (named.length === 0) break;
  }
  return restrictions;
}

/** What a folded index finds for one text lies together, in the order of the key. */
function isSeekInFolded({ column, operator, fold }: Comparison, table: Table): boolean {
  return fold !== undefined && operator.name === '$eq' && regularIndexOn(table, column) !== undefined;
}

/** A stretch of an index that holds, in the order of the key, the rows of comparisons and no others. */
export interface Stretch {
  readonly restrictions: readonly Comparison[];
  /** Undefined for the index of the key. */
  readonly index: RegularIndex | undefined;
}

/** Undefined where comparisons have no such stretch. */
export function stretchOf(comparisons: readonly Comparison[], table: Table): Stretch | undefined {
  const seek = comparisons.find((one) => isSeekInFolded(one, table) || isSeekInExact(one, table));
  const others = comparisons.filter((one) => one !== seek);
  const restrictions = seekRestrictions(others, table.keyOrder, table);
  const isWhole =
    others.every(({ fold }) => fold === undefined) &&
    restrictions.length === others.length &&
    isPrefix(restrictions, table.keyOrder);
  if (!isWhole || comparisons.length === 0) return undefined;
  if (seek === undefined) return { restrictions, index: undefined };
  return { restrictions: [seek, ...restrictions], index: regularIndexOn(table, seek.column) };
}

function isSeekInExact({ column, operator, fold }: Comparison, table: Table): boolean {
  const index = regularIndexOn(table, column);
  if (index === undefined || fold !== undefined || operator.name !== '$eq') return false;
  return index.fold === null || isExact(index.fold);
}

function namesValues({ operator }: Comparison): boolean {
  return operator.name === '$eq' || operator.name === '$in';
}

/** Columns by `$eq` from the first on (that one by `$in`, too), then at most one range: a stretch of the index each. */
function isPrefix(restrictions: readonly Comparison[], order: RowOrder): boolean {
  // What a folded index finds for its text is a stretch, which the key narrows further.
  const unfolded = restrictions.filter(({ fold }) => fold === undefined);
  let remaining = unfolded.length;
  for (const [at, { column }] of order.entries()) {
    if (remaining === 0) return true;
    const own = unfolded.filter((restriction) => restriction.column === column);
    remaining -= own.length;
    const [only] = own;
    const isValue = only?.operator.name === '$eq' || (at === 0 && only?.operator.name === '$in');
    if (own.length === 1 && isValue) continue;
    // Of two bounds on a side SQLite would seek the first, and pass over the rows up to the second.
    return remaining === 0 && isRange(own);
  }
  return true;
}

const selectLists = new WeakMap<readonly Column[], string>();

/** Kept per list of columns: most reads ask for the very list of their table. */
export function selectList(columns: readonly Column[]): string {
  let list = selectLists.get(columns);
  if (list === undefined) {
    list = columns.length === 0 ? 'NULL' : columns.map(sqlColumn).join(', ');
    selectLists.set(columns, list);
  }
  return list;
}

const orderLists = new WeakMap<RowOrder, string>();

/** What follows ORDER BY. */
export function orderList({ order }: Pick<ReadPlan, 'order'>): string {
  let list = orderLists.get(order);
  if (list === undefined) {
    list = order
      .map(({ column, direction }) => `${sqlColumn(column)} ${direction === 1 ? 'ASC' : 'DESC'}`)
      .join(', ');
    orderLists.set(order, list);
  }
  return list;
}

/** The WHERE of a condition, empty for none. */
export function where(condition: SqlFragment): string {
  return condition.sql === '' ? '' : ` WHERE ${condition.sql}`;
}

/** The columns that a filter compares. */
export function filterColumns(filter: Filter): readonly Column[] {
  return filter.kind === 'comparison' ? [filter.column] : filter.filters.flatMap(filterColumns);
}
