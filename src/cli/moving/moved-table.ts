// A table that is moved, and what of it is left out.
import { leftOutOf, leftOutTexts, type TableDefinition } from '../tables/table-definition.js';

/** A table or collection that is moved. */
export interface MovedTable extends TableDefinition {
  /** Sentences about what cannot be moved. */
  readonly leftOut: readonly string[];
  /** No row can be moved. */
  readonly isWhollyLeftOut: boolean;
  /** Whether a collection that the target has already keeps its options, because those here are known in part. */
  readonly keepsOptions?: boolean;
}

/** A table of a server, with what the API cannot move. */
export function movedTable(table: TableDefinition): MovedTable {
  // Documents have nothing that the API cannot move.
  if (table.kind === 'collection') return { ...table, leftOut: [], isWhollyLeftOut: false };
  const leftOut = leftOutOf(table);
  return {
    ...table,
    leftOut: leftOutTexts(table.name, leftOut),
    isWhollyLeftOut: leftOut.wholeBecauseOf !== undefined,
  };
}
