// Whether a table is still as a plan knows it: the slot of a dropped column may have been given to another one.
import type { RowChunks, RowValues } from '../../../query/read.js';
import type { Schema } from '../../../schema/keyspace.js';
import type { Table } from '../../../schema/table.js';
import { EngineError } from '../../engine-error.js';
import { hasLostSlots } from '../file/column-slots.js';

/** The table as a schema has it; undefined when it is gone. */
export function presentVersionOf({ id, keyspace, name }: Table, schema: Schema): Table | undefined {
  const present = schema.keyspaces.get(keyspace)?.tables.get(name);
  return present?.id === id ? present : undefined;
}

/** A plan chose its order by the indexes that the table had. @throws EngineError `schemaChanged` */
export function refuseOutdated(table: Table, schema: Schema): void {
  if (presentVersionOf(table, schema)?.version !== table.version)
    throw new EngineError('schemaChanged', `the table ${table.name} is gone or changed`);
}

/** @throws EngineError `schemaChanged`; not where the table is gone, because reads of it fail anyway */
export function refuseLostSlots(table: Table, schema: Schema): void {
  const present = presentVersionOf(table, schema);
  if (present !== undefined && hasLostSlots(table, present))
    throw new EngineError('schemaChanged', `columns of the table ${table.name} gave way to others`);
}

/** The chunks; each is given only if no column of the table has lost its slot to another. */
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
