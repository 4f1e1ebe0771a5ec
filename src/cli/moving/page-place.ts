// Where the pages of a table continue, so that an interrupted move can continue there.
import type { DataPort } from '../data-port.js';
import { isPageOf } from '../tables/read-tables.js';
import type { MoveReport } from './move-report.js';
import type { MovedTable } from './moved-table.js';

/** A place between two pages. */
export interface PagePlace {
  /** The state of the next page, or of the last page of a table that is done; null for the first page. */
  readonly pageState: string | null;
  /** Whether all rows were read. */
  readonly isDone: boolean;
}

/**
 * Whether the rows of a table can be continued at a place. A page state belongs to one table, so the rows of a table
 * that was made again are not continued: `report` gets a line. A table with a single page is read again.
 * @throws DataPortProblem, Interrupted
 */
export async function isContinuable(
  port: DataPort,
  keyspace: string,
  table: MovedTable,
  place: PagePlace | undefined,
  { line, command }: { readonly line: MoveReport['line']; readonly command: 'export' | 'import' },
): Promise<boolean> {
  if (place === undefined || place.pageState === null) return false;
  if (await isPageOf(port, keyspace, table, place.pageState)) return true;
  line(`${table.name}: the table was made again since the ${command} began; it starts again`);
  return false;
}
