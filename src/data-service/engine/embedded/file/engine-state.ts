// What this engine keeps with the columns and tables of the schema, and nobody else reads.
import { type Column, type Table, withEngineState } from '../../../schema/table.js';

/** Where index entries of documents are. */
export interface EntriesPlace {
  /** Unique among the ids of tables and of entries; never used again. */
  readonly id: number;
  /** Whether some documents have no entries yet. */
  readonly isBuilding: boolean;
}

/**
 * The slot of a column: the number of the place in rows where its values are, which is its id unless the column states
 * another one. Null for a dropped column whose slot another column has.
 */
export function slotOf({ id, engineState = id }: Pick<Column, 'id' | 'engineState'>): number | null {
  return engineState as number | null; // this engine keeps nothing else with columns
}

/** The state of a column with a slot. */
export function stateOfSlot(id: number, slot: number | null): number | null | undefined {
  return slot === id ? undefined : slot;
}

/** The place of the entries of a collection; undefined if all of them are under the id of its table. */
export function entriesOf({ engineState }: Pick<Table, 'engineState'>): EntriesPlace | undefined {
  return engineState as EntriesPlace | undefined; // this engine keeps nothing else with tables
}

/** The table with its entries in another place. */
export function withEntries(table: Table, entries: EntriesPlace): Table {
  return withEngineState(table, entries);
}
