// An engine in memory: the whole interface of engines, written as simply as possible. Reads leave the filter, the order
// and the vector search undone, and `finishRead` does them.
import type { Dialect } from '../../src/data-service/column-types/dialect.js';
import type { Engine } from '../../src/data-service/engine/engine.js';
import { engineClosed } from '../../src/data-service/engine/engine-error.js';
import type { Filter } from '../../src/data-service/query/filter.js';
import type { ReadOutcome, ReadPlan } from '../../src/data-service/query/read.js';
import type { RowOrder } from '../../src/data-service/query/row-order.js';
import type { Table } from '../../src/data-service/schema/table.js';
import { MemoryStorage } from './memory-storage.js';

/** The options of an engine in memory. */
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

/** All rows of the table with all of their columns, as they are now. */
function readAll(
  storage: MemoryStorage,
  { table, filter, order, search }: ReadPlan,
  orderOf: (filter: Filter, table: Table) => RowOrder,
): ReadOutcome {
  return {
    columns: table.columns,
    order: order ?? (search === null ? orderOf(filter, table) : table.keyOrder),
    applied: { filter: false, order: false },
    chunks: [storage.rowsOf(table).valuesIn(table, table.columns)],
  };
}
