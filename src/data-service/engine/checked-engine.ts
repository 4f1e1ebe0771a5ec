// Wraps an engine and checks its inputs and outputs against the comments of `engine.ts`.

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
import type { DocumentWrites, Engine } from './engine.js';

const refusedAfterClose = 'after close everything is refused';
const continues = 'a continued read begins behind its position';

/** A caller or an engine violated the contract, which is always a bug in the server. */
export class ContractViolation extends Error {}

/** A wrapper of the engine that checks every call. */
export function checkedEngine(engine: Engine): Engine {
  let isClosed = false;
  const refusedWhenClosed = <Result>(work: Promise<Result>): Promise<Result> =>
    isClosed ? expectRefusal(work) : work;
  const { documents, maintain, runNative, estimateCount } = engine;
  return {
    name: engine.name,
    ...(engine.hasTextIndexes === undefined ? {} : { hasTextIndexes: engine.hasTextIndexes }),
    readSchema: (afterChanges) => {
      const schema = engine.readSchema(afterChanges);
      if (schema instanceof Promise) return refusedWhenClosed(schema);
      demand(!isClosed, refusedAfterClose);
      return schema;
    },
    changeSchema: (change) => refusedWhenClosed(engine.changeSchema(change)),
    insertRows: async (plan) => {
      checkInsertPlan(plan);
      const outcome = await refusedWhenClosed(engine.insertRows(plan));
      demand(outcome.rows.length === plan.rows.length, 'insertRows gives one outcome per row');
      return outcome;
    },
    readRows: (plan) => {
      const { limit } = plan.page;
      demand(Number.isInteger(limit) && limit >= 1, 'a read wants at least one row');
      demand(plan.order === null || plan.order.length > 0, 'an order has columns');
      if (plan.search !== null) checkSearch(plan, plan.search);
      return refusedWhenClosed(engine.readRows(plan)).then((outcome) => checkReadOutcome(plan, outcome));
    },
    changeRow: (plan) => {
      checkChangePlan(plan);
      return refusedWhenClosed(engine.changeRow(plan));
    },
    deleteRows: (plan) => refusedWhenClosed(engine.deleteRows(plan)),
    ...(estimateCount === undefined
      ? {}
      : { estimateCount: (table) => refusedWhenClosed(estimateCount.call(engine, table)) }),
    ...(documents === undefined ? {} : { documents: checkedDocuments(documents, refusedWhenClosed) }),
    ...(maintain === undefined
      ? {}
      : { maintain: (task, signal) => refusedWhenClosed(maintain.call(engine, task, signal)) }),
    ...(runNative === undefined
      ? {}
      : {
          runNative: async (query) => {
            const result = await refusedWhenClosed(runNative.call(engine, query));
            const isAligned = result.rows.every((row) => row.length === result.columns.length);
            demand(isAligned, 'runNative gives one value per column');
            return result;
          },
        }),
    close: () => {
      const closing = engine.close();
      isClosed = true;
      return closing;
    },
  };
}

function checkedDocuments(
  documents: DocumentWrites,
  refusedWhenClosed: <Result>(work: Promise<Result>) => Promise<Result>,
): DocumentWrites {
  return {
    insert: async (plan) => {
      demand(plan.documents.length > 0, 'an insert has documents');
      const states = await refusedWhenClosed(documents.insert(plan));
      demand(states.length === plan.documents.length, 'an insert of documents gives one state per document');
      return states;
    },
    change: async (plan) => {
      const outcome = await refusedWhenClosed(documents.change(plan));
      const isWhole = outcome.states.length === plan.keys.length || outcome.failure !== undefined;
      demand(isWhole, 'a change of documents gives one state per key');
      return outcome;
    },
    deleteAll: (collection) => refusedWhenClosed(documents.deleteAll(collection)),
  };
}

async function expectRefusal<Result>(work: Promise<Result>): Promise<Result> {
  const result = await work;
  demand(false, refusedAfterClose);
  return result;
}

function checkInsertPlan({ table, rows }: InsertPlan): void {
  for (const { columns, values } of rows) {
    demand(columns.length === values.length, 'a row has one value per column');
    const hasKey = table.keyColumns.every((column) => (values[columns.indexOf(column)] ?? null) !== null);
    demand(hasKey, 'a row to insert has its whole key');
    demand(!columns.some(({ type }) => type.add !== undefined), 'counters are not inserted');
  }
}

function checkChangePlan({ table, key, changes }: ChangePlan): void {
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

function checkReadOutcome(plan: ReadPlan, outcome: ReadOutcome): ReadOutcome {
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
  return { ...continued, chunks: checkChunks(chunks, checkRow, continued) };
}

/**
 * The same outcome, with a check for reads that continue after a position: no row may have that position. The check
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
): AsyncIterable<readonly RowValues[]> {
  let isFirst = true;
  for await (const chunk of chunks) {
    const [first] = chunk;
    if (isFirst && first !== undefined) {
      positionOf?.(first);
      isFirst = false;
    }
    for (const row of chunk) checkRow(row);
    yield chunk;
  }
}

function demand(holds: boolean, sentence: string): void {
  if (!holds) throw new ContractViolation(`engine contract broken: ${sentence}`);
}
