// Where an import of tables reads them: the directory of an export, another server, or a cluster.

import type { JsonValue } from '../../foundation/json/json-value.js';
import type { WriteRow } from './canonical-row.js';
import type { ImportProgress, InsertedRows } from './import-progress.js';
import type { MovedTable } from './moved-table.js';
import type { Line, LineGroups } from './row-file.js';

/** The tables of an import and their rows. All functions throw the errors of `importTables`. */
export interface RowSource {
  /** In messages, such as `the export`. */
  readonly title: string;
  /** The keyspace of the tables. */
  readonly keyspace: string;
  readonly tables: readonly MovedTable[];
  /** Identifies the source: the progress of an import belongs to one. */
  readonly hash: string;
  /** The server that it is read from, where another server can have the same tables. */
  readonly server?: {
    readonly url: string;
    /** Whether the server has the tables of an import that was begun through another one. */
    readonly isSame: (done: ImportProgress) => Promise<boolean>;
  };
  /** Whether the lines are those of pages: see `ImportRows`. */
  readonly isPaged: boolean;
  /** Writes rows of the target in the form of the lines, for the comparison. `columns`: those that are moved. */
  writerOf(table: MovedTable, columns: ReadonlyMap<string, JsonValue>): WriteRow;
  /** The number of rows, if it is known before they are read. */
  rowsOf(table: MovedTable): number | undefined;
  /** Whether the rest of the rows of a table can be inserted after these; reports a line if it must start again. */
  isContinuable(table: MovedTable, done: InsertedRows): Promise<boolean>;
  /** Finds damage before the first row is inserted. */
  check(table: MovedTable): Promise<void>;
  /** Whether these are all rows of a table. */
  isDone(table: MovedTable, done: InsertedRows): boolean;
  /** The lines after those. */
  lines(table: MovedTable, done: InsertedRows): LineGroups;
  /** Names a row in messages. */
  placeOf(table: MovedTable, line: Line): string;
}
