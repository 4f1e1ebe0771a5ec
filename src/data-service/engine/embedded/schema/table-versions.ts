// Checks that a table is still the one in a plan: the slot of a dropped column may belong to another column now.
import type { RowChunks, RowValues } from '../../../query/read.js';
import type { Schema } from '../../../schema/keyspace.js';
import type { Table } from '../../../schema/table.js';
import { EngineError } from '../../engine-error.js';
import { hasLostSlots } from '../file/column-slots.js';
import { entriesOf } from '../file/engine-state.js';
import { isBuiltInSteps } from '../statements/build-steps.js';

/** The table in a schema; undefined if it was dropped. */
export function presentVersionOf({ id, keyspace, name }: Table, schema: Schema): Table | undefined {
  const present = schema.keyspaces.get(keyspace)?.tables.get(name);
  return present?.id === id ? present : undefined;
}

/**
 * Refuses an outdated plan, which has chosen its order by the indexes of its table. @throws EngineError `schemaChanged`
 */
export function refuseOutdated(table: Table, schema: Schema): void {
  if (presentVersionOf(table, schema)?.version !== table.version)
    throw new EngineError('schemaChanged', `the table ${table.name} is gone or changed`);
}

/** Refuses what was read of a table if columns, entries or indexes are gone. @throws EngineError `schemaChanged` */
export function refuseLostSlots(table: Table, schema: Schema): void {
  const present = presentVersionOf(table, schema);
  if (present === undefined || hasLostSlots(table, present))
    throw new EngineError('schemaChanged', `columns of the table ${table.name} gave way to others`);
  if (entriesOf(present)?.id !== entriesOf(table)?.id)
    throw new EngineError('schemaChanged', `index entries of ${table.name} gave way to others`);
  if (table.version === present.version) return;
  // What a dropped or emptied index had is removed in steps, while the read may still walk it.
  const ids = new Set(present.indexes.map(({ id }) => id));
  if (table.indexes.some((index) => isBuiltInSteps(index) && !ids.has(index.id)))
    throw new EngineError('schemaChanged', `an index of ${table.name} gave way to another`);
}

/** The chunks; before each, checks that no column of the table has lost its slot to another. */
export async function* checkedChunks(
  chunks: RowChunks,
  table: Table,
  schema: () => Schema | Promise<Schema>,
): AsyncIterable<readonly RowValues[]> {
  for await (const chunk of chunks) {
    refuseLostSlots(table, await schema());
    yield chunk;
  }
}
