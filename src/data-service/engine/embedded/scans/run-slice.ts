// One slice of a long read: statements that run in one snapshot.
import type { Database } from '../../../../foundation/sqlite/open-database.js';
import type { Clock } from '../../../../foundation/telemetry/clock.js';
import { inSnapshot } from '../file/open-for-reading.js';
import { takeRows } from '../file/take-rows.js';
import { runWordSlice } from '../postings/word-slices.js';
import type { ScanFindings, ScanRequest } from './scan-messages.js';

/** The target duration of a slice of a text search. */
const wordSliceMs = 18;

/**
 * Runs a slice.
 * @throws DatabaseFailure
 */
export function runSlice(database: Database, request: ScanRequest, clock: Clock): ScanFindings {
  const { maxBytes, allOrNone, words } = request;
  const startedMs = clock.monotonicMs();
  const found = inSnapshot(database, () => {
    if (words === undefined) return runStatements(database, request);
    const isTimeUp = () => clock.monotonicMs() - startedMs >= wordSliceMs;
    const { rows, ...others } = runWordSlice(database, words, { maxBytes, allOrNone, isTimeUp });
    return { ...others, rows: [rows] };
  });
  return { ...found, elapsedMs: clock.monotonicMs() - startedMs };
}

function runStatements(database: Database, { statements, maxBytes, allOrNone }: ScanRequest) {
  let isCut = false;
  let first = 0;
  const rows = statements.map(({ sql, values, readBigInts, unlessRows = Number.POSITIVE_INFINITY }, at) => {
    if (at > 0 && first >= unlessRows) return [];
    const statement = database.statement(sql, { returnArrays: true, readBigInts });
    if (at > 0) return statement.all(values);
    const taken = takeRows(statement.iterate(values), maxBytes, allOrNone);
    isCut = taken.isCut;
    first = taken.rows.length;
    return taken.rows;
  });
  return { rows, isCut };
}
