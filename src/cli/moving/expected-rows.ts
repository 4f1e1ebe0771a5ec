// Finds how many rows an export will have, beside the export, so that its progress has a total.
import { JsonNumber } from '../../foundation/json/json-value.js';
import type { DataPort } from '../data-port.js';
import { DataPortProblem, Interrupted } from '../port-problems.js';
import { readPages } from '../tables/read-tables.js';
import { keyColumns, type TableDefinition } from '../tables/table-definition.js';

/** The total of an export. */
export interface ExpectedRows {
  /** The share of all rows that a number of rows is, 0 to 1; undefined until the total is known. */
  share(rows: number): number | undefined;
  /** Ends the count. */
  stop(): void;
}

/** A total that is not wanted: nothing is counted. */
const unknown: ExpectedRows = { share: () => undefined, stop: () => {} };

/**
 * Begins to count. The server estimates the documents of a collection; the rows of a table are counted by their keys.
 * `isWanted`: whether the progress is shown. A count that fails leaves the total unknown.
 */
export function expectRows(
  port: DataPort,
  keyspace: string,
  table: TableDefinition,
  isWanted: boolean,
): ExpectedRows {
  if (!isWanted) return unknown;
  let [total, isStopped]: [number | undefined, boolean] = [undefined, false];
  const count = async (): Promise<void> => {
    if (table.kind === 'collection') {
      const { status } = await port.run(`/${keyspace}/${table.name}`, '{"estimatedDocumentCount":{}}');
      const found = status.get('count');
      if (found instanceof JsonNumber) total = Number(found.text);
      return;
    }
    let rows = 0;
    for await (const page of readPages(port, keyspace, table, null, keyColumns(table))) {
      if (isStopped) return;
      rows += page.rows.length;
    }
    total = rows;
  };
  count().catch((error) => {
    if (!(error instanceof DataPortProblem || error instanceof Interrupted)) throw error;
  });
  return {
    share: (rows) => (total === undefined ? undefined : Math.min(1, rows / Math.max(1, total))),
    stop: () => {
      isStopped = true;
    },
  };
}
