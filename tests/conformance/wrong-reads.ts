// An engine whose reads are wrong, to try whether the engine suite notices it.
import type { Engine } from '../../src/data-service/engine/engine.js';
import type { RowChunks, RowValues } from '../../src/data-service/query/read.js';

/** An engine that reads by `readRows`, and does all else as another one, which it does not close. */
export function withReads(engine: Engine, readRows: Engine['readRows']): Engine {
  return {
    name: 'wrong',
    readSchema: (afterChanges) => engine.readSchema(afterChanges),
    changeSchema: (change) => engine.changeSchema(change),
    insertRows: (plan) => engine.insertRows(plan),
    changeRow: (plan) => engine.changeRow(plan),
    deleteRows: (plan) => engine.deleteRows(plan),
    close: async () => {},
    readRows,
  };
}

/** All rows of a read. */
export async function rowsOf(chunks: RowChunks): Promise<readonly RowValues[]> {
  const rows: RowValues[] = [];
  for await (const chunk of chunks) rows.push(...chunk);
  return rows;
}
