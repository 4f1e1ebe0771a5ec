// Wraps an engine and enforces the comments of `engine.ts` on what goes in and what comes out.
import {
  columnsToRead,
  type ReadOutcome,
  type ReadPlan,
  type RowChunks,
  type RowValues,
} from '../query/read.js';
import type { ChangePlan, InsertPlan } from '../query/write.js';
import type { Engine } from './engine.js';

/** A caller or an engine broke the contract: always a bug of ours. */
export class ContractViolation extends Error {}

/** The same engine, with every call checked. */
export function checkedEngine(engine: Engine): Engine {
  return {
    name: engine.name,
    capabilities: engine.capabilities,
    readSchema: () => engine.readSchema(),
    changeSchema: (change) => engine.changeSchema(change),
    insertRows: async (plan) => {
      checkInsertPlan(plan);
      const outcome = await engine.insertRows(plan);
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
      return checkReadOutcome(plan, await engine.readRows(plan));
    },
    changeRow: (plan) => {
      checkChangePlan(plan);
      return engine.changeRow(plan);
    },
    deleteRows: (plan) => engine.deleteRows(plan),
    close: () => engine.close(),
  };
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
  const needed = columnsToRead(plan);
  // Most engines hand back the very list they were asked for.
  if (outcome.columns !== needed) {
    demand(
      needed.every((column) => outcome.columns.includes(column)),
      'the rows hold every column that is needed',
    );
  }
  if (Array.isArray(outcome.chunks)) {
    for (const chunk of outcome.chunks) checkRows(chunk, outcome);
    return outcome;
  }
  return { ...outcome, chunks: checkChunks(outcome.chunks, outcome) };
}

async function* checkChunks(chunks: RowChunks, outcome: ReadOutcome): AsyncIterable<readonly RowValues[]> {
  for await (const chunk of chunks) {
    checkRows(chunk, outcome);
    yield chunk;
  }
}

function checkRows(rows: readonly RowValues[], outcome: ReadOutcome): void {
  for (const row of rows) demand(row.length === outcome.columns.length, 'a row has one value per column');
}

function demand(holds: boolean, sentence: string): void {
  if (!holds) throw new ContractViolation(`engine contract broken: ${sentence}`);
}
