// Checks behind a read that the values are those of its columns, which may have given way to others meanwhile.
import type { ReadOutcome, RowChunks, RowValues } from '../../../query/read.js';
import { hasLostSlots } from '../../../schema/column-slots.js';
import type { Table } from '../../../schema/table.js';
import { EngineError } from '../../engine-error.js';

/** Throws where columns of the table gave way to others. */
type Check = () => void | Promise<void>;

/** What was read, once `check` has let it pass; what is read later is checked as it comes. */
export async function ofOwnSlots(outcome: ReadOutcome, check: Check): Promise<ReadOutcome> {
  const checked = check();
  if (checked !== undefined) await checked;
  const { chunks } = outcome;
  return Array.isArray(chunks) ? outcome : { ...outcome, chunks: checkedChunks(chunks, check) };
}

async function* checkedChunks(chunks: RowChunks, check: Check): AsyncIterable<readonly RowValues[]> {
  for await (const chunk of chunks) {
    await check();
    yield chunk;
  }
}

/** @throws EngineError `schemaChanged`; nothing where the table is gone, which its reads see themselves */
export function refuseLostSlots(table: Table, present: Table | undefined): void {
  if (present !== undefined && hasLostSlots(table, present))
    throw new EngineError('schemaChanged', `columns of the table ${table.name} gave way to others`);
}
