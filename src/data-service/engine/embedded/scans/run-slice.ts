// One slice of a long read: statements that run in one snapshot.
import type { Database } from '../../../../foundation/sqlite/open-database.js';
import type { Clock } from '../../../../foundation/telemetry/clock.js';
import { inSnapshot } from '../file/open-for-reading.js';
import { takeRows } from '../file/take-rows.js';
import type { ScanFindings, ScanRequest } from './scan-messages.js';

/**
 * Runs a slice.
 * @throws DatabaseFailure
 */
export function runSlice(
  database: Database,
  { statements, maxBytes, allOrNone }: ScanRequest,
  clock: Clock,
): ScanFindings {
  const startedMs = clock.monotonicMs();
  let isCut = false;
  const rows = inSnapshot(database, () =>
    statements.map(({ sql, values, readBigInts }, at) => {
      const statement = database.statement(sql, { returnArrays: true, readBigInts });
      if (at > 0) return statement.all(values);
      const taken = takeRows(statement.iterate(values), maxBytes, allOrNone);
      isCut = taken.isCut;
      return taken.rows;
    }),
  );
  return { rows, isCut, elapsedMs: clock.monotonicMs() - startedMs };
}
