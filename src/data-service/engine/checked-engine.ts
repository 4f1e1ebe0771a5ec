// Wraps an engine and enforces the comments of `engine.ts` on what goes in and what comes out.
import { comparisonsOf } from '../query/filter.js';
import {
  columnsToRead,
  comparePositions,
  type Position,
  type ReadOutcome,
  type ReadPlan,
  type RowChunks,
  type RowValues,
} from '../query/read.js';
import type { ChangePlan, InsertPlan } from '../query/write.js';
import type { Column } from '../schema/table.js';
import type { Engine } from './engine.js';

/** A caller or an engine broke the contract: always a bug of ours. */
export class ContractViolation extends Error {}

/** The same engine, with every call checked. */
export function checkedEngine(engine: Engine): Engine {
  let isClosed = false;
  const refusedWhenClosed = <Result>(work: Promise<Result>): Promise<Result> =>
    isClosed ? expectRefusal(work) : work;
  return {
    name: engine.name,
    capabilities: engine.capabilities,
    readSchema: (afterChanges) => refusedWhenClosed(engine.readSchema(afterChanges)),
    changeSchema: (change) => refusedWhenClosed(engine.changeSchema(change)),
    insertRows: async (plan) => {
      checkInsertPlan(plan);
      const outcome = await refusedWhenClosed(engine.insertRows(plan));
      demand(outcome.rows.length === plan.rows.length, 'insertRows gives one outcome per row');
      return outcome;
    },
    readRows: async (plan) => {
      demand(Number.isInteger(plan.limit) && plan.limit >= 1, 'a read wants at least one row');
      demand(plan.order.length > 0, 'a read has an order');
      demand(
        plan.after === null || plan.after.length === plan.order.length,
        'a position has the columns of the order',
      );
      return checkReadOutcome(plan, await refusedWhenClosed(engine.readRows(plan)));
    },
    changeRow: (plan) => {
      checkChangePlan(plan);
      return refusedWhenClosed(engine.changeRow(plan));
    },
    deleteRows: (plan) => refusedWhenClosed(engine.deleteRows(plan)),
    close: () => {
      const closing = engine.close();
      isClosed = true;
      return closing;
    },
  };
}

async function expectRefusal<Result>(work: Promise<Result>): Promise<Result> {
  const result = await work;
  demand(false, 'after close everything is refused');
  return result;
}

function checkInsertPlan({ table, rows }: InsertPlan): void {
  for (const { columns, values } of rows) {
    demand(columns.length === values.length, 'a row has one value per column');
    const hasKey = table.keyColumns.every((column) => (values[columns.indexOf(column)] ?? null) !== null);
    demand(hasKey, 'a row to insert has its whole key');
  }
}

function checkChangePlan({ table, key, changes }: ChangePlan): void {
  demand(key.length === table.keyColumns.length && !key.includes(null), 'a change names the whole key');
  demand(changes.length > 0, 'a change changes at least one column');
  demand(!changes.some(({ column }) => table.keyColumns.includes(column)), 'a change changes no key column');
  demand(
    changes.every(({ kind, column }) => kind === 'set' || column.type.container !== undefined),
    'only lists, sets and maps are pushed to and pulled from',
  );
}

function checkReadOutcome(plan: ReadPlan, outcome: ReadOutcome): ReadOutcome {
  const { columns, applied, chunks } = outcome;
  const holds = (column: Column) => columns.includes(column);
  const needed = columnsToRead(plan);
  // Most engines hand back the very list they were asked for.
  if (columns !== needed) demand(needed.every(holds), 'the rows hold every column that is needed');
  if (!applied.filter) {
    const compared = comparisonsOf(plan.filter).map(({ column }) => column);
    demand(compared.every(holds), 'the rows hold what the filter compares, which is left undone');
  }
  const ordering = plan.order.map(({ column }) => column);
  if (!applied.order)
    demand(ordering.every(holds), 'the rows hold what the order needs, which is left undone');
  const places = ordering.map((column) => columns.indexOf(column));
  const checkRow = rowChecker(
    plan,
    columns.length,
    applied.order && !places.includes(-1) ? places : undefined,
  );
  if (Array.isArray(chunks)) {
    for (const chunk of chunks) for (const row of chunk) checkRow(row);
    return outcome;
  }
  return { ...outcome, chunks: checkChunks(chunks, checkRow) };
}

/** `places`: where the columns of the order stand in the rows, if the order is done and can be seen. */
function rowChecker(plan: ReadPlan, width: number, places: readonly number[] | undefined) {
  let before: Position | null = plan.after;
  return (row: RowValues): void => {
    demand(row.length === width, 'a row has one value per column');
    if (places === undefined) return;
    const position = places.map((place) => row[place]);
    const isBehind = before === null || comparePositions(plan.order, before, position) < 0;
    demand(isBehind, 'rows come in the order, behind the position');
    before = position;
  };
}

async function* checkChunks(
  chunks: RowChunks,
  checkRow: (row: RowValues) => void,
): AsyncIterable<readonly RowValues[]> {
  for await (const chunk of chunks) {
    for (const row of chunk) checkRow(row);
    yield chunk;
  }
}

function demand(holds: boolean, sentence: string): void {
  if (!holds) throw new ContractViolation(`engine contract broken: ${sentence}`);
}
