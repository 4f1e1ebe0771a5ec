// Why the file refuses a change of the schema: errors for the engine's callers.
import type { SchemaChange } from '../../../schema/schema-change.js';
import type { IndexDefinition, Table } from '../../../schema/table.js';
import { EngineError } from '../../engine-error.js';
import { heldVectors, unindexableRows } from '../../refused-changes.js';
import { maxSlots } from '../file/column-slots.js';
import { decodeRows } from '../file/stored-rows.js';
import { FailedCheck } from '../writes/write-errors.js';

/** The error of a failed change. */
export function refusalOf(change: SchemaChange, error: Error): Error {
  if (!(error instanceof FailedCheck)) return error;
  if (change.kind === 'createIndex') return refusedIndex(change.table, change.index, error);
  if (change.kind !== 'changeEmbeddingServices') return error;
  const column = change.withoutVectors.find(({ id }) => id === Number(error.rows[0]?.[0]));
  return column === undefined ? error : heldVectors(change.table, column);
}

function refusedIndex(table: Table, index: IndexDefinition, { rows }: FailedCheck): EngineError {
  const keys = decodeRows(rows, table.keyColumns);
  if (index.kind !== 'text') return unindexableRows(table, index, keys);
  const held = `texts of more than ${index.analyzer.mostCharacters} characters`;
  return unindexableRows(table, index, keys, held);
}

/** The error for columns that no slot is free for. */
export function withoutRoom(): EngineError {
  return new EngineError(
    'noRoom',
    `rows have ${maxSlots} slots, and too few are free for columns of these types: the slot of a dropped column ` +
      'can be used only for columns of the same storage class: numbers, texts or bytes. Create a new table',
  );
}
