// Where the pages of a table continue, so that an interrupted move can continue there, also through another server.
import type { DataPort } from '../data-port.js';
import { DataPortProblem, Interrupted } from '../port-problems.js';
import { isPageOf, secondPageOf } from '../tables/read-tables.js';
import type { TableDefinition } from '../tables/table-definition.js';
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

/**
 * Whether a server has the tables of these page states, by their names: at least one, and all of them. Page states are
 * signed and belong to one table, so another server accepts them only if it has the same table and the same secret.
 * `present`: the tables of the server. @throws DataPortProblem, Interrupted
 */
export async function hasTablesOf(
  port: DataPort,
  keyspace: string,
  present: readonly Pick<TableDefinition, 'kind' | 'name'>[],
  pageStates: ReadonlyMap<string, string>,
): Promise<boolean> {
  for (const [name, pageState] of pageStates) {
    const table = present.find((each) => each.name === name);
    if (table === undefined || !(await isPageOf(port, keyspace, table, pageState))) return false;
  }
  return pageStates.size > 0;
}

/**
 * The state of a page of a table of the target, to store with the progress; undefined if the table has one page, or if
 * the server cannot be asked now. `portOnce` sends nothing again: the progress is also stored when the server is gone.
 */
export async function pageOnTarget(
  portOnce: DataPort,
  keyspace: string,
  table: Pick<TableDefinition, 'kind' | 'name'>,
): Promise<string | undefined> {
  try {
    return await secondPageOf(portOnce, keyspace, table);
  } catch (error) {
    if (!(error instanceof DataPortProblem || error instanceof Interrupted)) throw error;
    return undefined; // the next store of the progress asks again
  }
}

/** The page states of tables that have one. */
export function pageStatesOf<Done>(
  tables: ReadonlyMap<string, Done>,
  stateOf: (done: Done) => string | null | undefined,
): ReadonlyMap<string, string> {
  return new Map(
    [...tables].flatMap(([name, done]) => {
      const state = stateOf(done);
      return typeof state === 'string' ? [[name, state]] : [];
    }),
  );
}

/** The page states of the tables of an import that a server at another URL must accept. */
export function targetPagesOf(
  progress: ReadonlyMap<string, { readonly targetPage?: string | null | undefined }>,
): ReadonlyMap<string, string> {
  return pageStatesOf(progress, ({ targetPage }) => targetPage);
}
