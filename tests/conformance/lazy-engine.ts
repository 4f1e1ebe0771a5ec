// An engine in memory that leaves every read undone: what comes out right with it, `finishRead` did. Reads in any order
// come by the key, or by an order that its user chooses.
import type { Engine } from '../../src/data-service/engine/engine.js';
import { EngineError } from '../../src/data-service/engine/engine-error.js';
import type { Filter } from '../../src/data-service/query/filter.js';
import type { RowValues } from '../../src/data-service/query/read.js';
import type { RowOrder } from '../../src/data-service/query/row-order.js';
import type { Table } from '../../src/data-service/schema/table.js';
import { MemoryTables, type RowStore, type StoredRow, valuesOf, writesOf } from './memory-tables.js';

const rowsPerChunk = 7;

/**
 * Opens an empty one; nothing outlives it. It holds no keyspace. `orderOf` names the order of reads in any order, as
 * that of an engine it is compared with.
 */
export function openLazyEngine(
  orderOf: (filter: Filter, table: Table) => RowOrder = (_, table) => table.keyOrder,
): Engine {
  const tables = new MemoryTables(listOfRows);
  let isClosed = false;
  const call = async <Result>(work: () => Result): Promise<Result> => {
    if (isClosed) throw new EngineError('closed', 'the engine is closed');
    return work();
  };
  return {
    name: 'lazy',
    readSchema: () => call(() => tables.schema()),
    changeSchema: (change) => call(() => tables.changeSchema(change)),
    ...writesOf(tables, call),
    readRows: ({ table, filter, order, search }) =>
      call(() => ({
        columns: table.columns,
        order: order ?? (search === undefined ? orderOf(filter, table) : table.keyOrder),
        applied: { filter: false, order: false },
        chunks: chunksOf([...tables.storeOf(table).all()].map((row) => valuesOf(row, table.columns))),
      })),
    close: async () => {
      isClosed = true;
    },
  };
}

function listOfRows({ keyColumns }: Table): RowStore {
  let rows: StoredRow[] = [];
  return {
    find: (key) =>
      rows.find(({ values }) =>
        keyColumns.every(({ id, type }, at) => type.compare(values.get(id), key[at]) === 0),
      ),
    add: (_, row) => {
      rows.push(row);
    },
    remove: (some) => {
      rows = rows.filter((row) => !some.has(row));
    },
    all: () => rows,
  };
}

async function* chunksOf(rows: readonly RowValues[]): AsyncIterable<readonly RowValues[]> {
  for (let at = 0; at < rows.length; at += rowsPerChunk) yield rows.slice(at, at + rowsPerChunk);
}
