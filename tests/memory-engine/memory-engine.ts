// An engine in memory: the whole interface of engines, written as simply as possible. Reads leave the filter, the order
// and searches by vectors undone, and `finishRead` does them.
import type { Dialect } from '../../src/data-service/column-types/dialect.js';
import type { Engine } from '../../src/data-service/engine/engine.js';
import { engineClosed } from '../../src/data-service/engine/engine-error.js';
import type { Filter } from '../../src/data-service/query/filter.js';
import type { ReadOutcome, ReadPlan } from '../../src/data-service/query/read.js';
import type { RowOrder } from '../../src/data-service/query/row-order.js';
import type { Table } from '../../src/data-service/schema/table.js';
import { documentWritesOf } from './document-writes.js';
import { bestRows } from './find-words.js';
import { MemoryStorage } from './memory-storage.js';

export interface MemoryEngineOptions {
  /** The dialect of new columns; strict by default. */
  readonly dialect?: Dialect;
  /** The order of reads in any order; the key by default. A comparison with another engine passes that one's order. */
  readonly orderOf?: (filter: Filter, table: Table) => RowOrder;
}

/** Opens an empty engine, which has no keyspaces. Everything is lost when it is closed. */
export function openMemoryEngine({
  dialect = 'strict',
  orderOf = (_, { keyOrder }) => keyOrder,
}: MemoryEngineOptions = {}): Engine {
  const storage = new MemoryStorage(dialect);
  let isClosed = false;
  const call = async <Result>(work: () => Result): Promise<Result> => {
    if (isClosed) throw engineClosed();
    return work();
  };
  return {
    name: 'memory',
    readSchema: () => (isClosed ? Promise.reject(engineClosed()) : storage.schema),
    changeSchema: (change) => call(() => storage.changeSchema(change)),
    ...writesOf(storage, call),
    readRows: (plan) => call(() => readAll(storage, plan, orderOf)),
    estimateCount: (table) => call(() => storage.rowsOf(table).rows.all.length),
    documents: documentWritesOf(storage, call),
    close: async () => {
      isClosed = true;
    },
  };
}

/** The writes of rows, each in a `call`, which may refuse it or, in other engines of tests, delay or lose it. */
export function writesOf(
  storage: MemoryStorage,
  call: <Result>(work: () => Result) => Promise<Result>,
): Pick<Engine, 'insertRows' | 'changeRow' | 'deleteRows'> {
  return {
    insertRows: (plan) =>
      call(() => {
        storage.rowsOf(plan.table).insert(plan);
        return { rows: plan.rows.map(() => null) };
      }),
    changeRow: (plan) => call(() => storage.rowsOf(plan.table).change(plan)),
    deleteRows: (plan) => call(() => storage.rowsOf(plan.table).delete(plan)),
  };
}

/**
 * All rows of the table with all of their columns, as they are now. Only a search by words is complete, because its
 * scores need statistics of all rows.
 */
function readAll(
  storage: MemoryStorage,
  plan: ReadPlan,
  orderOf: (filter: Filter, table: Table) => RowOrder,
): ReadOutcome {
  const { table, filter, order, search } = plan;
  const { columns, keyOrder } = table;
  const rows = storage.rowsOf(table).valuesIn(table, columns);
  if (search?.kind === 'words') {
    const best = bestRows(plan, search, rows);
    return { columns, order: null, applied: { filter: true, order: true }, chunks: [best] };
  }
  return {
    columns,
    order: order ?? (search === null ? orderOf(filter, table) : keyOrder),
    applied: { filter: false, order: false },
    chunks: [rows],
  };
}
