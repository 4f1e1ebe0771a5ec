// Checks the plans and the outcomes of calls against the comments of `engine.ts`.

import { comparedColumns } from '../query/filter.js';
import {
  columnsToRank,
  type ReadOutcome,
  type ReadPlan,
  type RowChunks,
  type RowSearch,
  type RowValues,
  wantsPosition,
} from '../query/read.js';
import {
  compareByOrder,
  type OrderColumn,
  type OrderValues,
  type Position,
  type RowOrder,
} from '../query/row-order.js';
import { WrittenValue } from '../query/row-text.js';
import { similarityColumn } from '../query/vector-search.js';
import type { ChangePlan, InsertPlan } from '../query/write.js';
import type { Column } from '../schema/table.js';

/** A caller or an engine violated the contract, which is always a bug in the server. */
export class ContractViolation extends Error {}

const continues = 'a continued read begins behind its position';

/** @throws ContractViolation with the sentence of the contract that does not hold */
export function demand(holds: boolean, sentence: string): void {
  if (!holds) throw new ContractViolation(`engine contract broken: ${sentence}`);
}

/** @throws ContractViolation */
export function checkInsertPlan({ table, rows }: InsertPlan): void {
  for (const { columns, values } of rows) {
    demand(columns.length === values.length, 'a row has one value per column');
    const hasKey = table.keyColumns.every((column) => (values[columns.indexOf(column)] ?? null) !== null);
    demand(hasKey, 'a row to insert has its whole key');
    demand(!columns.some(({ type }) => type.add !== undefined), 'counters are not inserted');
  }
}

/** @throws ContractViolation */
export function checkChangePlan({ table, key, changes }: ChangePlan): void {
  demand(key.length === table.keyColumns.length && !key.includes(null), 'a change names the whole key');
  demand(changes.length > 0, 'a change changes at least one column');
  demand(!changes.some(({ column }) => table.keyColumns.includes(column)), 'a change changes no key column');
  demand(
    changes.every(({ kind, column }) => {
      return (kind !== 'push' && kind !== 'pull') || column.type.container !== undefined;
    }),
    'only lists, sets and maps are pushed to and pulled from',
  );
  demand(
    changes.every((one) => {
      const counts = one.column.type.add !== undefined;
      return one.kind === 'add' ? counts : !counts || (one.kind === 'set' && one.value === null);
    }),
    'counters are added to or taken away, and nothing else is added to',
  );
}

/** @throws ContractViolation */
export function checkReadPlan(plan: ReadPlan): void {
  const { limit } = plan.page;
  demand(Number.isInteger(limit) && limit >= 1, 'a read wants at least one row');
  demand(plan.order === null || plan.order.length > 0, 'an order has columns');
  if (plan.search !== null) checkSearch(plan, plan.search);
}

function checkSearch({ page, table }: ReadPlan, search: RowSearch): void {
  demand(page.after === null && page.kind === 'single', 'a search has no position');
  if (search.kind === 'vector') {
    const isComparable = search.column.type.vector?.dimension === search.query.length;
    demand(isComparable, 'a search is for a vector as long as those stored');
  } else {
    const isOfIndex = table.indexes.includes(search.index) && search.tokens.length > 0;
    demand(isOfIndex, 'a text search is for words of an index');
  }
}

/** What is called when the first slice of a read is taken, and when the last one was taken or the caller ends. */
export interface SliceWatch {
  begin(): void;
  end(): void;
}

/**
 * The outcome, checked. Rows in slices are checked and watched when they are taken.
 * @throws ContractViolation
 */
export function checkReadOutcome(plan: ReadPlan, outcome: ReadOutcome, watch?: SliceWatch): ReadOutcome {
  const { columns, order, applied, chunks, written } = outcome;
  const { page, search } = plan;
  if (written !== undefined) {
    const { count, next } = written;
    demand(plan.form === 'text' && search === null, 'rows are written where a plan allows it');
    demand(count <= page.limit, 'no more rows are written than wanted');
    demand(next === null || (wantsPosition(page) && count > 0), 'a position is that of a row, and asked for');
    demand(next === null || next !== page.after, continues);
    return outcome;
  }
  const holds = (column: Column) => columns.includes(column);
  const isRanked = search?.kind !== 'vector' || applied.order;
  demand(search?.kind !== 'words' || (applied.filter && applied.order), 'a text search is not left undone');
  const needed = isRanked ? plan.columns : columnsToRank(plan, search);
  // Most engines return the same list object that they got.
  if (columns !== needed) demand(needed.every(holds), 'the rows hold every column that is needed');
  if (!applied.filter) {
    const compared = comparedColumns(plan.filter);
    demand(compared.every(holds), 'the rows hold what the filter compares, which is left undone');
  }
  demand(plan.order === null || isSameOrder(order, plan.order), 'rows come in the order that is asked for');
  if (!applied.order) {
    const isNamed = order !== null || search?.kind === 'vector';
    demand(isNamed, 'an order that no columns name is not left undone');
    const ordering = order?.map(({ column }) => column) ?? [];
    demand(ordering.every(holds), 'the rows hold what the order needs, which is left undone');
  }
  const checkRow = rowChecker(plan, columns, applied.order ? visibleOrder(plan, outcome) : undefined);
  const continued = continuedOutcome(plan, outcome);
  const namesPositions = !wantsPosition(page) || !applied.order || outcome.positionOf !== undefined;
  if (Array.isArray(chunks)) {
    let count = 0;
    for (const chunk of chunks) {
      const [first] = chunk;
      if (count === 0 && first !== undefined) continued.positionOf?.(first);
      count += chunk.length;
      for (const row of chunk) checkRow(row);
    }
    demand(namesPositions || count <= 1, 'positions of rows are named where the plan wants one');
    return continued;
  }
  demand(namesPositions, 'positions of rows are named where the plan wants one');
  return { ...continued, chunks: checkChunks(chunks, checkRow, continued, watch) };
}

/**
 * Checks the outcome of a read that continues after a position: no row may have that position. The check
 * covers the first row and each row whose position is requested. It finds pages that begin one row too early, and
 * repeated pages. Other comparisons of positions are not possible: the engine suite tests that no other row is repeated
 * or skipped.
 */
function continuedOutcome({ page: { after } }: ReadPlan, outcome: ReadOutcome): ReadOutcome {
  if (after === null || !outcome.applied.order || outcome.positionOf === undefined) return outcome;
  const positionOf = (row: RowValues): Position => {
    const position = outcome.positionOf?.(row) ?? after;
    demand(position !== after, continues);
    return position;
  };
  return { ...outcome, positionOf };
}

function isSameOrder(given: RowOrder | null, wanted: RowOrder): boolean {
  if (given === wanted) return true;
  return (
    given?.length === wanted.length &&
    given.every(
      ({ column, direction }, at) => column === wanted[at]?.column && direction === wanted[at]?.direction,
    )
  );
}

/** The order of the rows, as far as their values show it. */
function visibleOrder(plan: ReadPlan, { order, columns }: ReadOutcome): RowOrder | undefined {
  const isVisible = ({ column }: OrderColumn) => columns.includes(column);
  // Equally similar rows are ordered by their scores, which are not visible here, and then by their order.
  if (plan.search?.kind === 'vector')
    return [{ column: similarityColumn, direction: -1 as const }].filter(isVisible);
  return order?.every(isVisible) === true ? order : undefined;
}

/** `order`: the order that the rows must have, if the engine applied it and their values show it. */
function rowChecker(plan: ReadPlan, columns: readonly Column[], order: RowOrder | undefined) {
  const places = order?.map(({ column }) => columns.indexOf(column));
  const mayBeEqual = plan.search?.kind === 'vector';
  const mayHoldWritten = plan.form !== 'values';
  let before: OrderValues | null = null;
  return (row: RowValues): void => {
    demand(row.length === columns.length, 'a row has one value per column');
    demand(mayHoldWritten || !row.some(isWritten), 'values are in writing where a plan allows it');
    if (order === undefined || places === undefined) return;
    const values = places.map((place) => row[place]);
    const difference = before === null ? -1 : compareByOrder(order, before, values);
    demand(difference < 0 || (mayBeEqual && difference === 0), 'rows come in the order');
    before = values;
  };
}

function isWritten(value: unknown): boolean {
  return value instanceof WrittenValue;
}

async function* checkChunks(
  chunks: RowChunks,
  checkRow: (row: RowValues) => void,
  { positionOf }: Pick<ReadOutcome, 'positionOf'>,
  watch: SliceWatch | undefined,
): AsyncIterable<readonly RowValues[]> {
  let isFirst = true;
  watch?.begin();
  try {
    for await (const chunk of chunks) {
      const [first] = chunk;
      if (isFirst && first !== undefined) {
        positionOf?.(first);
        isFirst = false;
      }
      for (const row of chunk) checkRow(row);
      yield chunk;
    }
  } finally {
    watch?.end();
  }
}
