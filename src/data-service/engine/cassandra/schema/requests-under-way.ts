// Waits for the requests that nodes carry out, of all clients of the cluster.
import { setTimeout as pause } from 'node:timers/promises';
import type { CqlNode, CqlSession } from '../../../../foundation/cassandra/cql-session.js';
import { readAllRows } from '../../../../foundation/cassandra/read-all-rows.js';
import { CassandraFailure } from '../../../../foundation/cassandra/session.js';
import type { Clock } from '../../../../foundation/telemetry/clock.js';

/** A node gives most requests no more time than this. */
const mostMs = 10_000;
const pollMs = { first: 10, most: 250 };
/** A node that takes longer counts as silent: it is not waited for. */
const askTimeoutMs = 2_000;

/**
 * Resolves when no node carries out a request any more that it began before now, and after 10 s at most. It does not
 * wait for nodes that do not answer, or that the user may not ask.
 */
export async function untilRequestsEnded(
  session: Pick<CqlSession, 'nodes'>,
  clock: Pick<Clock, 'monotonicMs'>,
): Promise<void> {
  const beganMs = clock.monotonicMs();
  let nodes = await session.nodes().catch(unlessFailed);
  for (let pauseMs = pollMs.first; ; pauseMs = Math.min(2 * pauseMs, pollMs.most)) {
    const sinceMs = clock.monotonicMs() - beganMs;
    const longest = await Promise.all(nodes.map(longestMs));
    nodes = nodes.filter((_, at) => (longest[at] ?? 0) > sinceMs);
    if (nodes.length === 0 || sinceMs > mostMs) return;
    await pause(pauseMs);
  }
}

/** The time for which a node has been carrying out its oldest request; 0 where it does not say it. */
async function longestMs(node: CqlNode): Promise<number> {
  const statement = {
    cql: 'SELECT running_micros FROM system_views.queries',
    values: [],
    isIdempotent: true,
    consistency: 'LOCAL_ONE',
    timeoutMs: askTimeoutMs,
  } as const;
  try {
    const rows = await readAllRows(node, statement);
    return rows.reduce((longest, [micros]) => Math.max(longest, Number(micros) / 1_000), 0);
  } catch (error) {
    if (error instanceof CassandraFailure) return 0;
    throw error;
  }
}

/** No nodes, where none can be reached. @throws other errors again */
function unlessFailed(error: unknown): readonly CqlNode[] {
  if (error instanceof CassandraFailure) return [];
  throw error;
}
