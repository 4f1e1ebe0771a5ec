// Reads: the plan for an engine, its outcome, and `finishRead`, the only place that does what the engine left undone.

import type { JsonText } from '../../foundation/json/json-value.js';
import type { Column, Table } from '../schema/table.js';
import { type Filter, matchesAll, matchesFilter } from './filter.js';
import {
  bytesOf,
  type FinishLimits,
  FirstRows,
  finishLimits,
  tooLargeToFind,
  tooManyToHold,
  tooManyToLookAt,
  tooManyToSort,
} from './finish-limits.js';
import {
  compareByOrder,
  type OrderValues,
  type Position,
  type RowOrder,
  readPosition,
  writePosition,
} from './row-order.js';
import { type ReadDeadline, writeRows } from './row-text.js';
import { scorerOf, similarityColumn, similarityOf, type VectorSearch } from './vector-search.js';
import type { WordSearch } from './word-search.js';

/** The maximum number of rows in a reply, except for vector searches. */
export const pageRows = 50;

/** A row's values, in the order of a list of columns; null for a missing value. Some may be `WrittenValue`s. */
export type RowValues = readonly unknown[];

/** The request to an engine: rows of a table, a part of them, their form, and perhaps a search. */
export interface ReadPlan {
  readonly table: Table;
  /** The columns that the caller needs, in this order. */
  readonly columns: readonly Column[];
  readonly filter: Filter;
  /**
   * The order of the rows; for a search, the order of equally similar rows. null: any order in which the read can be
   * resumed; the engine chooses one.
   */
  readonly order: RowOrder | null;
  readonly page: ReadPage;
  readonly form: RowForm;
  readonly search: RowSearch | null;
  /**
   * The same object in all plans that are made for one command: an engine may count the time limit from the first of
   * them.
   */
  readonly command?: object;
}

/** The part of the rows that a read returns. */
export interface ReadPage {
  /** Only rows after this position, which a read with the same table, filter and order returned. */
  readonly after: Position | null;
  /** The maximum number of rows, ≥ 1. */
  readonly limit: number;
  /**
   * Which rows the caller can get after these:
   * - `single`: none. The result has no position, and says whether rows are missing because of their size.
   * - `paged`: the rows of the next pages, so it needs the position after the last row if there are more rows.
   * - `changing`: the same, while rows are changed between pages. An order that the engine chooses then does not depend
   *   on documents.
   * - `last`: only those that were left out because of their size. Rows after the limit do not matter, so a position is
   *   needed only if the result ends because of its size.
   * - `complete`: none, because only a complete result is useful. A position says that there are more rows.
   */
  readonly kind: 'single' | 'paged' | 'changing' | 'last' | 'complete';
  /**
   * A page with positions may end when its rows exceed this size, in bytes or in characters of their text. If it is
   * infinite, the size does not matter.
   */
  readonly maxBytes: number;
}

/**
 * The form of the rows:
 * - `values`: values of the types of their columns.
 * - `shown`: the same, but values that are not used by the filter, search or order are only shown, so an engine may
 *   return them as `WrittenValue`s.
 * - `text`: the rows are only shown. The result contains them as JSON text, and an engine that applies everything may
 *   return that. Other engines may return `WrittenValue`s.
 */
export type RowForm = 'values' | 'shown' | 'text';

/**
 * A search for the best rows; it is a `single` page from the first row.
 * - `vector` returns only rows with a vector, the most similar first. If the limit separates equally similar rows, the
 *   engine chooses among them. The columns of the plan may contain the `similarityColumn`.
 * - `words` returns only rows whose text has all tokens, by score descending, then by key. The scores need statistics
 *   of all rows, so an engine never leaves it undone: filter and order are applied.
 */
export type RowSearch = VectorSearch | WordSearch;

/** Whether the position after the rows of a page can be needed. */
export function wantsPosition({ kind }: ReadPage): boolean {
  return kind !== 'single';
}

/** Rows in slices, so that a caller can stop and an engine need not hold all rows. */
export type RowChunks = Iterable<readonly RowValues[]> | AsyncIterable<readonly RowValues[]>;

/** Rows in the form of replies: objects with the plan's columns, without missing values. */
export interface WrittenRows {
  /** Separated by commas. */
  readonly text: JsonText;
  /** At most the limit of the plan. */
  readonly count: number;
}

/** The outcome of an engine, with what it applied. */
export interface ReadOutcome {
  /** The columns of each row: those of the plan, and all that are needed for what was left undone. */
  readonly columns: readonly Column[];
  /** The order of the plan, or the chosen order; null if the chosen order is not one of columns. */
  readonly order: RowOrder | null;
  /**
   * What is already applied. Order, `after` and search are only applied together; the caller applies the limit. If the
   * order is not one of columns, only a search may be left undone.
   */
  readonly applied: { readonly filter: boolean; readonly order: boolean };
  readonly chunks: RowChunks;
  /** All that the plan requests, if it may be text; then there are no chunks. */
  readonly written?: WrittenRows & Pick<ReadResult, 'next'>;
  /**
   * The position after a returned row. Absent if the plan needs none, if at most one row can be returned, or if the
   * order is left undone.
   */
  positionOf?(row: RowValues): Position;
  /** Called after the last row: whether the rows ended because of their size, and there are more. */
  endedForSize?(): boolean;
  /** Also for the remaining work on the rows. Absent if there is no limit. */
  readonly deadline?: ReadDeadline;
}

export interface ReadResult {
  /** In the order of the plan's columns. */
  readonly rows: readonly RowValues[];
  /** Instead of `rows`, if the plan says that they are only shown. */
  readonly written?: WrittenRows;
  /** Set if there are rows after the last one and the plan needs a position. */
  readonly next: Position | null;
  /** Whether rows are missing because of their size although the plan needs no position. */
  readonly isCut: boolean;
  /** The deadline for writing the rows, if they are not text yet and the engine has one. */
  readonly deadline?: ReadDeadline;
}

/** The columns that are needed for a search: the stored columns of the plan, and the vectors. */
export function columnsToRank({ columns }: ReadPlan, search: VectorSearch): readonly Column[] {
  const stored = columns.filter((column) => column !== similarityColumn);
  return stored.includes(search.column) ? stored : [...stored, search.column];
}

/** The number of rows that an engine should read: one more than the limit shows whether there are more. */
export function rowsToRead({ page: { kind, limit } }: Pick<ReadPlan, 'page'>): number {
  return kind === 'single' || kind === 'last' ? limit : limit + 1;
}

/**
 * Does what the engine left undone: filter, search, order, position, limit. This function defines the meaning of a
 * read. At the limits of work, a read whose order is applied ends early if a position is needed.
 * @throws OutdatedPosition for a position in another order @throws EngineError `timeout`, or an error of the engine
 * while rows are read @throws ApiError TIMEOUT_READING_DATA, OVERLOADED_SORT_ROW_LIMIT beyond the limits
 *
 * It returns a promise only if it must wait, because most reads are written already.
 */
export function finishRead(
  plan: ReadPlan,
  given: ReadOutcome,
  limits: FinishLimits = finishLimits,
): ReadResult | Promise<ReadResult> {
  const { written } = given;
  if (written !== undefined) return { rows: [], written, next: written.next, isCut: false };
  return finishRows(plan, given, limits);
}

async function finishRows(plan: ReadPlan, given: ReadOutcome, limits: FinishLimits): Promise<ReadResult> {
  const { columns, page, form, search } = plan;
  const { deadline } = given;
  const isRanked = search?.kind !== 'vector' || given.applied.order;
  const outcome = isRanked ? given : await rankRows(plan, search, given, limits);
  const whole = finishedRows(outcome);
  const { rows, endedBehind } =
    whole === undefined ? await takeRows(plan, outcome, limits) : { rows: whole, endedBehind: undefined };
  const kept = rows.length > page.limit ? rows.slice(0, page.limit) : rows;
  const isCut = outcome.endedForSize?.() ?? false;
  const picked = pickColumns(plan, outcome, kept);
  const shown = form === 'text' ? writeRows(picked, columns, mostCharacters(page), deadline) : undefined;
  const count = shown?.count ?? kept.length;
  const hasMore = rows.length > count || isCut;
  const last = hasMore ? kept[count - 1] : endedBehind;
  const next = last === undefined || !wantsPosition(page) ? null : positionBehind(outcome, last);
  const result = { next, isCut: isCut && !wantsPosition(page) };
  if (shown !== undefined) return { rows: [], written: shown, ...result };
  return deadline === undefined ? { rows: picked, ...result } : { rows: picked, ...result, deadline };
}

/** Without a position nothing may be omitted. */
function mostCharacters(page: ReadPage): number {
  return wantsPosition(page) ? page.maxBytes : Number.POSITIVE_INFINITY;
}

/**
 * The rows if the engine applied everything and returned them as an array, as most reads do: then nothing must be
 * awaited.
 */
function finishedRows({ applied, chunks }: ReadOutcome): readonly RowValues[] | undefined {
  if (!applied.filter || !applied.order || !Array.isArray(chunks) || chunks.length !== 1) return undefined;
  const [only]: readonly RowValues[][] = chunks;
  return only;
}

/** The rows of a read, and the last one that was examined if it ended early. */
interface TakenRows {
  readonly rows: readonly RowValues[];
  readonly endedBehind?: RowValues | undefined;
}

function takeRows(plan: ReadPlan, outcome: ReadOutcome, limits: FinishLimits): Promise<TakenRows> {
  if (!outcome.applied.order) return takeOrdered(plan, outcome, limits);
  const isFiltered = outcome.applied.filter || matchesAll(plan.filter);
  const isLimited = plan.page.maxBytes === Number.POSITIVE_INFINITY || outcome.endedForSize !== undefined;
  return isFiltered && isLimited ? takeFirst(plan, outcome) : takeMatching(plan, outcome, limits);
}

async function takeFirst(plan: ReadPlan, { chunks, deadline }: ReadOutcome): Promise<TakenRows> {
  const wanted = rowsToRead(plan);
  const rows: RowValues[] = [];
  for await (const chunk of chunks) {
    deadline?.check();
    rows.push(...(chunk.length > wanted - rows.length ? chunk.slice(0, wanted - rows.length) : chunk));
    if (rows.length >= wanted) break;
  }
  return { rows };
}

/** Takes rows if the filter, or the limit in bytes, is left undone. */
async function takeMatching(plan: ReadPlan, outcome: ReadOutcome, limits: FinishLimits): Promise<TakenRows> {
  const { page } = plan;
  const hasPosition = wantsPosition(page);
  const mostBytes = hasPosition ? Math.min(page.maxBytes, limits.bytes) : limits.bytes;
  const wanted = rowsToRead(plan);
  const matches = matcherOf(plan, outcome);
  const rows: RowValues[] = [];
  let [looked, bytes] = [0, 0];
  let last: RowValues | undefined;
  for await (const chunk of outcome.chunks) {
    outcome.deadline?.check();
    for (const row of chunk) {
      if (looked === limits.rows) {
        if (hasPosition && page.kind !== 'complete') return { rows, endedBehind: last };
        throw tooManyToLookAt(limits);
      }
      looked += 1;
      last = row;
      if (!matches(row)) continue;
      rows.push(row);
      bytes += bytesOf(row, outcome.columns);
      if (rows.length >= wanted) return { rows };
      if (bytes <= mostBytes) continue;
      if (!hasPosition) throw tooManyToHold(limits);
      return { rows, endedBehind: row };
    }
  }
  return { rows };
}

async function takeOrdered(plan: ReadPlan, outcome: ReadOutcome, limits: FinishLimits): Promise<TakenRows> {
  const { order, valuesOf } = orderOf(outcome);
  // An order that the engine chose is not a sort of the client.
  const isSorted = plan.order !== null;
  const after = plan.page.after === null ? null : readPosition(order, plan.page.after);
  const first = new FirstRows<{ readonly row: RowValues; readonly values: OrderValues }>(
    { wanted: rowsToRead(plan), columns: outcome.columns, mostBytes: limits.bytes },
    (left, right) => compareByOrder(order, left.values, right.values),
    () => (isSorted ? tooManyToSort(limits) : tooManyToHold(limits)),
  );
  const beyond = (matched: number) =>
    isSorted && matched > limits.rows ? tooManyToSort(limits) : tooManyToLookAt(limits);
  for await (const chunk of matchingChunks(plan, outcome, limits, beyond)) {
    for (const row of chunk) {
      const values = valuesOf(row);
      if (after === null || compareByOrder(order, values, after) > 0) first.add({ row, values });
    }
  }
  return { rows: first.sorted().map(({ row }) => row) };
}

/** The rows that have a vector with a similarity, by it, which is in an additional last column. */
async function rankRows(
  plan: ReadPlan,
  search: VectorSearch,
  outcome: ReadOutcome,
  limits: FinishLimits,
): Promise<ReadOutcome> {
  const score = scorerOf(search);
  const vectorPlace = placeOf(placesOf(outcome.columns), search.column);
  // Without an order, equally similar rows stay in the order in which they were read.
  const { order, valuesOf } = outcome.order === null ? noOrder : orderOf(outcome);
  const best = new FirstRows<{
    readonly row: RowValues;
    readonly score: number;
    readonly values: OrderValues;
  }>(
    { wanted: plan.page.limit, columns: outcome.columns, mostBytes: limits.bytes },
    (left, right) => right.score - left.score || compareByOrder(order, left.values, right.values),
    () => tooLargeToFind(limits),
  );
  const beyond = () => tooManyToLookAt(limits);
  for await (const chunk of matchingChunks(plan, outcome, limits, beyond)) {
    for (const row of chunk) {
      const vector = row[vectorPlace];
      const own = vector instanceof Float32Array ? score(vector) : Number.NaN;
      // Vectors of other clients of a cluster may have elements that are not finite: NaN has no place in an order.
      if (!Number.isNaN(own)) best.add({ row, score: own, values: valuesOf(row) });
    }
  }
  const rows = best.sorted().map(({ row, score: own }) => [...row, similarityOf(search.metric, own)]);
  const columns = [...outcome.columns, similarityColumn];
  return { columns, order: outcome.order, applied: { filter: true, order: true }, chunks: [rows] };
}

/** The chunks of all matching rows. @throws the error of `beyond` when there are more than the limit */
async function* matchingChunks(
  plan: ReadPlan,
  outcome: ReadOutcome,
  limits: FinishLimits,
  beyond: (matched: number) => Error,
): AsyncIterable<readonly RowValues[]> {
  const isFiltered = outcome.applied.filter || matchesAll(plan.filter);
  const matches = matcherOf(plan, outcome);
  let [looked, matched] = [0, 0];
  for await (const chunk of outcome.chunks) {
    outcome.deadline?.check();
    const matching = isFiltered ? chunk : chunk.filter(matches);
    looked += chunk.length;
    matched += matching.length;
    if (looked > limits.rows) throw beyond(matched);
    yield matching;
  }
}

function matcherOf(plan: ReadPlan, { applied, columns }: ReadOutcome): (row: RowValues) => boolean {
  if (applied.filter) return () => true;
  const places = placesOf(columns);
  return (row) => matchesFilter(plan.filter, (column) => row[placeOf(places, column)]);
}

function positionBehind(outcome: ReadOutcome, row: RowValues): Position {
  if (!outcome.applied.order) {
    const { order, valuesOf } = orderOf(outcome);
    return writePosition(order, valuesOf(row));
  }
  if (outcome.positionOf === undefined) throw new TypeError('the engine names no positions');
  return outcome.positionOf(row);
}

interface UndoneOrder {
  readonly order: RowOrder;
  readonly valuesOf: (row: RowValues) => OrderValues;
}

const noOrder: UndoneOrder = { order: [], valuesOf: () => [] };

/** The order of an outcome that is left undone, and the function that returns a row's values of it. */
function orderOf({ order, columns }: ReadOutcome): UndoneOrder {
  if (order === null) throw new TypeError('the engine leaves an order undone that no columns name');
  const places = placesOf(columns);
  const ordering = order.map(({ column }) => placeOf(places, column));
  return { order, valuesOf: (row: RowValues): OrderValues => ordering.map((place) => row[place]) };
}

function pickColumns(plan: ReadPlan, outcome: ReadOutcome, rows: readonly RowValues[]): readonly RowValues[] {
  if (outcome.columns === plan.columns) return rows;
  // Additional columns at the end are harmless, because values are accessed by index.
  if (plan.columns.every((column, place) => outcome.columns[place] === column)) return rows;
  const places = placesOf(outcome.columns);
  return rows.map((row) => plan.columns.map((column) => row[placeOf(places, column)]));
}

function placesOf(columns: readonly Column[]): ReadonlyMap<Column, number> {
  return new Map(columns.map((column, place) => [column, place]));
}

function placeOf(places: ReadonlyMap<Column, number>, column: Column): number {
  const place = places.get(column);
  if (place === undefined) throw new TypeError(`the engine's rows lack the column ${column.name}`);
  return place;
}
