// One slice of a long read: statements that run in one snapshot.
import type { Database } from '../../../../foundation/sqlite/open-database.js';
import type { Clock } from '../../../../foundation/telemetry/clock.js';
import { inSnapshot } from '../file/open-for-reading.js';
import { takeRows } from '../file/take-rows.js';
import { runWordSlice, type WordSliceRequest } from '../postings/word-slices.js';
import type { ScanFindings, ScanRequest } from './scan-messages.js';

/**
 * Runs a slice.
 * @throws DatabaseFailure
 */
export function runSlice(database: Database, request: ScanRequest, clock: Clock): ScanFindings {
  const { statements, maxBytes, allOrNone, words } = request;
  if (words !== undefined) return runWords(database, request, words, clock);
  const startedMs = clock.monotonicMs();
  let isCut = false;
  let first = 0;
  const rows = inSnapshot(database, () =>
    statements.map(({ sql, values, readBigInts, unlessRows = Number.POSITIVE_INFINITY }, at) => {
      if (at > 0 && first >= unlessRows) return [];
      const statement = database.statement(sql, { returnArrays: true, readBigInts });
      if (at > 0) return statement.all(values);
      const taken = takeRows(statement.iterate(values), maxBytes, allOrNone);
      isCut = taken.isCut;
      first = taken.rows.length;
      return taken.rows;
    }),
  );
  return { rows, isCut, elapsedMs: clock.monotonicMs() - startedMs };
}

/** The target duration of a slice of a text search. */
const wordSliceMs = 18;

function runWords(
  database: Database,
  { maxBytes, allOrNone }: ScanRequest,
  words: WordSliceRequest,
  clock: Clock,
): ScanFindings {
  const startedMs = clock.monotonicMs();
  const isTimeUp = () => clock.monotonicMs() - startedMs >= wordSliceMs;
  const found = inSnapshot(database, () => runWordSlice(database, words, { maxBytes, allOrNone, isTimeUp }));
  const { rows, isCut, words: findings } = found;
  return { rows: [rows], isCut, words: findings, elapsedMs: clock.monotonicMs() - startedMs };
}
