// Reads: what is asked of an engine, what it says it did, and the one place that finishes what it left undone.

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

/** Rows a reply holds at most, except those of a vector search. */
export const pageRows = 50;

/** A row's values, aligned with some list of columns; null for a missing value. Some may be `WrittenValue`s. */
export type RowValues = readonly unknown[];

/** What is asked of an engine. */
export interface ReadPlan {
  readonly table: Table;
  /** What the caller wants of each row, in this order. */
  readonly columns: readonly Column[];
  readonly filter: Filter;
  /**
   * Rows come in this order; those of a search, where they are equally similar. null: in any order in which the read
   * can be resumed; the engine chooses one.
   */
  readonly order: RowOrder | null;
  /**
   * A vector search: only rows with a vector come, the most similar first. Where not all of equally similar rows can
   * come, an engine chooses. It has no position, neither before nor
   * behind it. `columns` may then hold the `similarityColumn`.
   */
  readonly search?: VectorSearch;
  /** Only rows behind this position, which a read of the same table, filter and order gave. */
  readonly after: Position | null;
  /** Rows wanted at most, ≥ 1. */
  readonly limit: number;
  /** Whether the caller wants the position behind the last row when there are more rows. */
  readonly wantsPosition: boolean;
  /** Only all rows up to the limit are of use: no position makes up for rows that were not looked at. */
  readonly needsAll?: boolean;
  /** Rows behind the limit are of no interest: a position is wanted only where rows end for their size. */
  readonly endsAtLimit?: boolean;
  /** The engine may end once the rows have more bytes than this, if a position is wanted. */
  readonly maxBytes?: number;
  /** Rows in writing end once they have more characters than this, if a position is wanted. */
  readonly maxCharacters?: number;
  /** The rows are only shown: the result has them in writing, and an engine that does everything may give them so. */
  readonly mayBeWritten?: boolean;
  /**
   * Values that no filter, search or order compares are only shown: an engine may give them as `WrittenValue`s, as it
   * may where rows may be written.
   */
  readonly valuesMayBeWritten?: boolean;
}

/** Reads in slices, so that a caller can stop and an engine never holds all rows. */
export type RowChunks = Iterable<readonly RowValues[]> | AsyncIterable<readonly RowValues[]>;

/** Rows as replies show them: objects of the plan's columns without their missing values. */
export interface WrittenRows {
  /** Commas between the rows. */
  readonly text: JsonText;
  /** At most as many as the plan wants. */
  readonly count: number;
}

/** What an engine gives, and what it says it did. */
export interface ReadOutcome {
  /** What each row holds: the plan's columns, and all that it takes to do what was left undone. */
  readonly columns: readonly Column[];
  /** That of the plan, or the one that was chosen; null for a chosen one that no columns name. */
  readonly order: RowOrder | null;
  /**
   * What is already done. Order, `after` and search are done only together; a limit is the caller's to count. Only a
   * search may be left undone where no columns name the order.
   */
  readonly applied: { readonly filter: boolean; readonly order: boolean };
  readonly chunks: RowChunks;
  /** All that the plan asks for, if it may be written; there are no chunks then. */
  readonly written?: WrittenRows & Pick<ReadResult, 'next'>;
  /**
   * The position behind a row that came. Absent where the plan wants none, where no more than one row can come, or
   * where the order is left undone.
   */
  positionOf?(row: RowValues): Position;
  /** Asked when the rows have ended: whether they ended for their size, with more behind them. */
  endedForSize?(): boolean;
  /** Also of what is left to do with the rows. Absent where nothing limits it. */
  readonly deadline?: ReadDeadline;
}

/** What a read comes to. */
export interface ReadResult {
  /** Aligned with the plan's columns. */
  readonly rows: readonly RowValues[];
  /** Instead of `rows`, where the plan says that they are only shown. */
  readonly written?: WrittenRows;
  /** Set when there are rows behind the last one and the plan wanted to know. */
  readonly next: Position | null;
  /** Whether rows are missing for their size, which no position shows: the plan wanted none. */
  readonly isCut: boolean;
  /** Of writing the rows, where they are not written yet and the engine has one. */
  readonly deadline?: ReadDeadline;
}

/** The columns that it takes to carry a search out: those wanted that are stored, and the vectors. */
export function columnsToRank({ columns }: ReadPlan, search: VectorSearch): readonly Column[] {
  const stored = columns.filter((column) => column !== similarityColumn);
  return stored.includes(search.column) ? stored : [...stored, search.column];
}

/** The rows an engine should look for: one more than wanted shows whether there are more. */
export function rowsToRead(plan: Pick<ReadPlan, 'limit' | 'wantsPosition' | 'endsAtLimit'>): number {
  return plan.wantsPosition && plan.endsAtLimit !== true ? plan.limit + 1 : plan.limit;
}

/**
 * Does what the engine left undone: filter, search, order, position, limit. A read's meaning is written here and only
 * here. Where the limits are reached, a read whose order was done ends early if a position is wanted.
 * @throws OutdatedPosition for a position in another order
 * @throws EngineError `timeout`, or what the engine throws while rows are taken
 * @throws ApiError TIMEOUT_READING_DATA, OVERLOADED_SORT_ROW_LIMIT beyond the limits
 */
export async function finishRead(
  plan: ReadPlan,
  given: ReadOutcome,
  limits: FinishLimits = finishLimits,
): Promise<ReadResult> {
  const { search } = plan;
  const { written, deadline } = given;
  if (written !== undefined) return { rows: [], written, next: written.next, isCut: false };
  const outcome =
    search === undefined || given.applied.order ? given : await rankRows(plan, search, given, limits);
  const finished = finishedRows(outcome);
  const { rows, endedBehind } =
    finished === undefined
      ? await takeRows(plan, outcome, limits)
      : { rows: finished, endedBehind: undefined };
  const kept = rows.length > plan.limit ? rows.slice(0, plan.limit) : rows;
  const isCut = outcome.endedForSize?.() ?? false;
  const picked = pickColumns(plan, outcome, kept);
  const shown =
    plan.mayBeWritten === true ? writeRows(picked, plan.columns, mostCharacters(plan), deadline) : undefined;
  const count = shown?.count ?? kept.length;
  const hasMore = rows.length > count || isCut;
  const last = hasMore ? kept[count - 1] : endedBehind;
  const next = last === undefined || !plan.wantsPosition ? null : positionBehind(outcome, last);
  const result = { next, isCut: isCut && !plan.wantsPosition };
  if (shown !== undefined) return { rows: [], written: shown, ...result };
  return deadline === undefined ? { rows: picked, ...result } : { rows: picked, ...result, deadline };
}

/** Without a position nothing may be left out. */
function mostCharacters({ maxCharacters = Number.POSITIVE_INFINITY, wantsPosition }: ReadPlan): number {
  return wantsPosition ? maxCharacters : Number.POSITIVE_INFINITY;
}

/** The rows, if the engine did everything and hands them over at once: so do most reads, and no step of it waits. */
function finishedRows({ applied, chunks }: ReadOutcome): readonly RowValues[] | undefined {
  if (!applied.filter || !applied.order || !Array.isArray(chunks) || chunks.length !== 1) return undefined;
  const [only]: readonly RowValues[][] = chunks;
  return only;
}

/** Rows of a read, and the last one that was looked at where it ended early. */
interface TakenRows {
  readonly rows: readonly RowValues[];
  readonly endedBehind?: RowValues | undefined;
}

function takeRows(plan: ReadPlan, outcome: ReadOutcome, limits: FinishLimits): Promise<TakenRows> {
  if (!outcome.applied.order) return takeOrdered(plan, outcome, limits);
  const isFiltered = outcome.applied.filter || matchesAll(plan.filter);
  const isLimited = plan.maxBytes === undefined || outcome.endedForSize !== undefined;
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

/** The same where the filter, or the limit in bytes, is left undone. */
async function takeMatching(plan: ReadPlan, outcome: ReadOutcome, limits: FinishLimits): Promise<TakenRows> {
  const { wantsPosition, needsAll = false, maxBytes = limits.bytes } = plan;
  const mostBytes = wantsPosition ? Math.min(maxBytes, limits.bytes) : limits.bytes;
  const wanted = rowsToRead(plan);
  const matches = matcherOf(plan, outcome);
  const rows: RowValues[] = [];
  let [looked, bytes] = [0, 0];
  let last: RowValues | undefined;
  for await (const chunk of outcome.chunks) {
    outcome.deadline?.check();
    for (const row of chunk) {
      if (looked === limits.rows) {
        if (wantsPosition && !needsAll) return { rows, endedBehind: last };
        throw tooManyToLookAt(limits);
      }
      looked += 1;
      last = row;
      if (!matches(row)) continue;
      rows.push(row);
      bytes += bytesOf(row, outcome.columns);
      if (rows.length >= wanted) return { rows };
      if (bytes <= mostBytes) continue;
      if (!wantsPosition) throw tooManyToHold(limits);
      return { rows, endedBehind: row };
    }
  }
  return { rows };
}

async function takeOrdered(plan: ReadPlan, outcome: ReadOutcome, limits: FinishLimits): Promise<TakenRows> {
  const { order, valuesOf } = orderOf(outcome);
  // An order that the plan leaves to the engine is not a sort that a client asked for.
  const isSorted = plan.order !== null;
  const after = plan.after === null ? null : readPosition(order, plan.after);
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

/** The rows that have a vector, by similarity, which stands in a column behind the others. */
async function rankRows(
  plan: ReadPlan,
  search: VectorSearch,
  outcome: ReadOutcome,
  limits: FinishLimits,
): Promise<ReadOutcome> {
  const score = scorerOf(search);
  const vectorPlace = placeOf(placesOf(outcome.columns), search.column);
  // Equally similar rows stay as they came where any order will do.
  const { order, valuesOf } = outcome.order === null ? noOrder : orderOf(outcome);
  const best = new FirstRows<{
    readonly row: RowValues;
    readonly score: number;
    readonly values: OrderValues;
  }>(
    { wanted: plan.limit, columns: outcome.columns, mostBytes: limits.bytes },
    (left, right) => right.score - left.score || compareByOrder(order, left.values, right.values),
    () => tooLargeToFind(limits),
  );
  const beyond = () => tooManyToLookAt(limits);
  for await (const chunk of matchingChunks(plan, outcome, limits, beyond)) {
    for (const row of chunk) {
      const vector = row[vectorPlace];
      if (vector instanceof Float32Array) best.add({ row, score: score(vector), values: valuesOf(row) });
    }
  }
  const rows = best.sorted().map(({ row, score: own }) => [...row, similarityOf(search.metric, own)]);
  const columns = [...outcome.columns, similarityColumn];
  return { columns, order: outcome.order, applied: { filter: true, order: true }, chunks: [rows] };
}

/** Those of all rows that match. @throws what `beyond` makes of the number of matching rows beyond the limit */
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

/** The order of an outcome that is left undone, and what a row has in its columns. */
function orderOf({ order, columns }: ReadOutcome): UndoneOrder {
  if (order === null) throw new TypeError('the engine leaves an order undone that no columns name');
  const places = placesOf(columns);
  const ordering = order.map(({ column }) => placeOf(places, column));
  return { order, valuesOf: (row: RowValues): OrderValues => ordering.map((place) => row[place]) };
}

function pickColumns(plan: ReadPlan, outcome: ReadOutcome, rows: readonly RowValues[]): readonly RowValues[] {
  if (outcome.columns === plan.columns) return rows;
  // Extra columns behind the wanted ones do no harm: rows are read by place.
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
