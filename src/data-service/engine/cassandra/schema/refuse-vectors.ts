// Refuses changes of the schema for the vectors that a table holds.
import type { CqlSession } from '../../../../foundation/cassandra/cql-session.js';
import type { Clock } from '../../../../foundation/telemetry/clock.js';
import { ReadTimeLimit } from '../../read-time-limit.js';
import { heldVectors, refusesZeroVectors, unindexableRows, zeroVectors } from '../../refused-changes.js';
import { writeFailure } from '../engine-failure.js';
import { largeVectors } from '../vector-limits.js';
import { hasVectors, unindexableKeys } from './check-vectors.js';
import type { ChangeOf } from './ddl-statements.js';

/** Rows are looked through for so long before a change is given up. */
const checkTimeoutMs = 120_000;
/** The time for such a check while writes of the table are blocked. */
const blockingCheckTimeoutMs = 9_000;

interface LookTools {
  readonly session: CqlSession;
  readonly clock: Clock;
}

/**
 * This engine stores no vectors that an index cannot have, but other clients of the cluster do.
 * @throws EngineError `unindexable`, and others where rows cannot be read
 */
export async function refuseVectors(
  { table, index }: ChangeOf<'createIndex'>,
  { session, clock }: LookTools,
): Promise<void> {
  if (index.kind !== 'vector') return;
  const limit = new ReadTimeLimit(clock, checkTimeoutMs);
  const keys = await looked(unindexableKeys(session, table, index, limit));
  if (keys.length === 0) return;
  const held = refusesZeroVectors(index) ? `${zeroVectors}, or ${largeVectors}` : largeVectors;
  throw unindexableRows(table, index, keys, held);
}

/** @throws EngineError `holdsVectors`, and others where rows cannot be read */
export async function refuseHeldVectors(
  { table, withoutVectors }: ChangeOf<'changeEmbeddingServices'>,
  { session, clock }: LookTools,
): Promise<void> {
  const limit = new ReadTimeLimit(clock, blockingCheckTimeoutMs);
  for (const column of withoutVectors)
    if (await looked(hasVectors(session, table, column, limit))) throw heldVectors(table, column);
}

function looked<Result>(looking: Promise<Result>): Promise<Result> {
  return looking.catch((error: unknown) => {
    throw writeFailure(error);
  });
}
