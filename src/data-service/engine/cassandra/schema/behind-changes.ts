// What follows a change of the schema: the read of the new schema, and waits for indexes and for agreement.
import { setTimeout as pause } from 'node:timers/promises';
import type { CqlSession } from '../../../../foundation/cassandra/cql-session.js';
import { CassandraFailure } from '../../../../foundation/cassandra/session.js';
import type { Clock } from '../../../../foundation/telemetry/clock.js';
import { isCollection } from '../../../schema/collection.js';
import type { PlacedIndex } from '../../../schema/keyspace.js';
import type { Table, TableIndex } from '../../../schema/table.js';
import { EngineError } from '../../engine-error.js';
import { termsIndexName } from '../documents/collection-layout.js';
import { readIndexBuilds } from './index-builds.js';
import type { SchemaHolder } from './schema-holder.js';

/**
 * How long an index may take to be built, how often its nodes are asked, and how long a node is waited for that is
 * silent, or does not build it.
 */
const buildTimeoutMs = 600_000;
const buildPollMs = { first: 20, most: 1_000 };
const silenceMs = 30_000;
/** A change that may have been made blocks its statements at most for this time while the nodes do not agree. */
const unknownMs = 10_000;
/** The time between two questions to those nodes. */
const unknownPollMs = 500;

export interface WaitTools {
  readonly clock: Clock;
  readonly holder: SchemaHolder;
  readonly observer: CqlSession;
}

/**
 * Resolves when every node that answers has built the index; until then no read uses it. A node that is up and silent
 * is waited for, but not for ever: it may be paused, and the cluster does not ask it then.
 * @throws EngineError `writeFailed` where that takes too long or fails, or the index is dropped
 */
export async function untilBuilt(
  { table, index }: Pick<PlacedIndex, 'table'> & { readonly index: Pick<TableIndex, 'name' | 'kind'> },
  { clock, holder, observer }: WaitTools,
): Promise<void> {
  if (index.kind === 'text') return; // nodes have none
  const { keyspace } = table;
  const beginMs = clock.monotonicMs();
  let answeredMs = beginMs;
  let busyMs = beginMs;
  for (let pauseMs = buildPollMs.first; clock.monotonicMs() - beginMs < buildTimeoutMs; ) {
    const { isUnbuilt, isIdle, isSilent } = await pollBuild(observer, { keyspace, name: index.name });
    if (!isSilent) answeredMs = clock.monotonicMs();
    if (!isIdle) busyMs = clock.monotonicMs();
    if (clock.monotonicMs() - busyMs > silenceMs)
      throw new EngineError('writeFailed', buildFailed(index.name));
    const isPaused = clock.monotonicMs() - answeredMs > silenceMs;
    if (!isUnbuilt && (!isSilent || isPaused)) return readBehind(holder.reload(keyspace));
    await pause(pauseMs);
    const present = holder.keyspace(keyspace)?.tables.get(table.name)?.table;
    if (present === undefined || !hasIndex(present, index.name))
      throw new EngineError('writeFailed', `the index ${index.name} was dropped while nodes built it`);
    pauseMs = Math.min(2 * pauseMs, buildPollMs.most);
  }
  throw new EngineError(
    'writeFailed',
    `the index ${index.name} is there, but some nodes are still building it`,
  );
}

/** A collection also has an index of terms, which only this engine sees. */
function hasIndex(table: Table, name: string): boolean {
  return (
    table.indexes.some((index) => index.name === name) ||
    (isCollection(table) && name === termsIndexName(table.name))
  );
}

function buildFailed(name: string): string {
  return `a node could not build the index ${name}: its log has the reason; drop the index`;
}

/** A failed poll is that of silent nodes. */
async function pollBuild(observer: CqlSession, index: { readonly keyspace: string; readonly name: string }) {
  try {
    const { unbuilt, idle, silentNodes } = await readIndexBuilds(observer, [index]);
    return { isUnbuilt: unbuilt.size > 0, isIdle: idle.size > 0, isSilent: silentNodes > 0 };
  } catch (error) {
    if (!(error instanceof CassandraFailure)) throw error;
    return { isUnbuilt: true, isIdle: false, isSilent: true };
  }
}

/** Resolves when the nodes have agreed on a schema and it has been read, or when that takes too long. */
export async function untilAgreed(
  keyspace: string | undefined,
  { clock, observer, holder }: WaitTools,
): Promise<void> {
  for (const beginMs = clock.monotonicMs(); clock.monotonicMs() - beginMs < unknownMs; ) {
    try {
      // Asked first, as a node could get the change behind the read of the schema.
      const isAgreed = await observer.isInAgreement();
      await holder.load(keyspace);
      if (isAgreed) return;
    } catch (error) {
      if (!(error instanceof CassandraFailure || error instanceof EngineError)) throw error;
    }
    await pause(unknownPollMs, undefined, { ref: false });
  }
}

/** The change was made: its plan must not be made again, whatever the read of the schema behind it came to. */
export async function readBehind(reading: Promise<void>): Promise<void> {
  try {
    await reading;
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    const problem = `the change was made, but the schema could not be read behind it: ${error.message}`;
    throw new EngineError('writeTimeout', problem, error);
  }
}
