// Removes the tables and collections that a failed import created and that stayed empty.
import { type DataPort, pathOf } from '../data-port.js';
import { DataPortProblem, Interrupted } from '../port-problems.js';
import { hasRows } from '../tables/read-tables.js';
import type { TableDefinition } from '../tables/table-definition.js';
import type { MoveReport } from './move-report.js';

/** What an import creates. */
export type Created = Pick<TableDefinition, 'kind' | 'name'>;

/** Where they are. `port` should not wait for a server that is gone: the import has failed already. */
export interface CreatedPlace {
  readonly port: DataPort;
  readonly keyspace: string;
  readonly report: Pick<MoveReport, 'warn'>;
}

/**
 * Removes those that have no rows, so that the same command, or a corrected one, creates them again. A warning names
 * each of them, and each that remains because the server does not answer.
 */
export async function removeEmpty(
  { port, keyspace, report }: CreatedPlace,
  created: readonly Created[],
): Promise<void> {
  for (const { kind, name } of created) {
    const title = `the ${kind} ${keyspace}.${name}, which this import created,`;
    try {
      if (await hasRows(port, keyspace, name)) continue;
      await port.run(
        pathOf(keyspace),
        `{"${kind === 'table' ? 'dropTable' : 'deleteCollection'}":{"name":${JSON.stringify(name)}}}`,
      );
      report.warn(`${title} got no ${kind === 'table' ? 'row' : 'document'} and is removed`);
    } catch (error) {
      if (!(error instanceof DataPortProblem || error instanceof Interrupted)) throw error;
      report.warn(`${title} may be empty and cannot be removed: ${error.message}. The same command uses it`);
    }
  }
}
