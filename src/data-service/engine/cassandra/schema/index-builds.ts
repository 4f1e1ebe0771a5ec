// Which indexes nodes are still building: a node fails reads that use them.
import type { CqlNode, CqlSession } from '../../../../foundation/cassandra/cql-session.js';
import { readAllRows } from '../../../../foundation/cassandra/read-all-rows.js';
import { CassandraFailure } from '../../../../foundation/cassandra/session.js';
import { isKnownToAll, readReceivedBuilds } from './announced-builds.js';
import type { IndexRow } from './schema-rows.js';

/** A node that takes longer counts as silent. */
const askTimeoutMs = 2_000;

/** What the nodes that are up say of some indexes. */
export interface IndexBuilds<Index> {
  /** The indexes that a node cannot read yet, or does not know that another one can. */
  readonly unbuilt: ReadonlySet<Index>;
  /** The unbuilt indexes that no node builds: their build has failed, unless it is about to begin. */
  readonly idle: ReadonlySet<Index>;
  /** How many nodes did not answer. */
  readonly silentNodes: number;
}

type IndexName = Pick<IndexRow, 'keyspace' | 'name'>;

/** What a node does with an index. */
type BuildState = 'readable' | 'building' | 'idle';

/** The state of an index of a node. */
type States = (index: IndexName) => BuildState;

/**
 * Asks every node that is up for these indexes, and which of them it knows to be built on the others. If the user may
 * not ask, indexes count as built, and reads by others fail. @throws CassandraFailure where no node answers
 */
export async function readIndexBuilds<Index extends IndexName>(
  session: Pick<CqlSession, 'nodes'>,
  indexes: readonly Index[],
): Promise<IndexBuilds<Index>> {
  const nodes = await session.nodes();
  const keyspaces = [...new Set(indexes.map(({ keyspace }) => keyspace))];
  const states = await askEach(nodes, (node) => statesOfIndexes(node, keyspaces));
  const having = (wanted: (state: BuildState) => boolean) =>
    new Set(indexes.filter((index) => states.answers.some((stateOf) => wanted(stateOf(index)))));
  const unbuilt = having((state) => state !== 'readable');
  const idle = having((state) => state === 'idle');
  const readable = indexes.filter((index) => !unbuilt.has(index));
  if (readable.length === 0) return { unbuilt, idle, silentNodes: states.silentNodes };
  const received = await askEach(nodes, (node) => readReceivedBuilds(node, readable));
  for (const index of readable) if (!isKnownToAll(index, received.answers)) unbuilt.add(index);
  return { unbuilt, idle, silentNodes: Math.max(states.silentNodes, received.silentNodes) };
}

/** The answers of nodes; none of those that refuse the question. @throws CassandraFailure where all are silent */
async function askEach<Answer>(
  nodes: readonly CqlNode[],
  ask: (node: CqlNode) => Promise<Answer>,
): Promise<{ readonly answers: readonly Answer[]; readonly silentNodes: number }> {
  const answers: Answer[] = [];
  const failures: CassandraFailure[] = [];
  for (const asked of await Promise.allSettled(nodes.map(ask))) {
    if (asked.status === 'fulfilled') answers.push(asked.value);
    else if (!(asked.reason instanceof CassandraFailure)) throw asked.reason;
    else if (!asked.reason.isRefused) failures.push(asked.reason);
  }
  if (failures.length > 0 && failures.length === nodes.length) throw failures[0];
  return { answers, silentNodes: failures.length };
}

async function statesOfIndexes(node: CqlNode, keyspaces: readonly string[]): Promise<States> {
  const states = new Map<string, BuildState>();
  for (const keyspace of keyspaces)
    for (const [name, state] of await statesIn(node, keyspace))
      states.set(placeOf({ keyspace, name }), state);
  // A node that does not know the index yet will build it.
  return (index) => states.get(placeOf(index)) ?? 'building';
}

async function statesIn(
  node: CqlNode,
  keyspace: string,
): Promise<readonly (readonly [name: string, state: BuildState])[]> {
  const rows = await readAllRows(node, {
    cql: 'SELECT index_name, is_queryable, is_building FROM system_views.sai_column_indexes WHERE keyspace_name = ?',
    values: [Buffer.from(keyspace)],
    isIdempotent: true,
    consistency: 'LOCAL_ONE',
    timeoutMs: askTimeoutMs,
  });
  return rows.map(([name, isQueryable, isBuilding]) => {
    const unread = isBuilding === false ? 'idle' : 'building';
    return [String(name), isQueryable === true ? 'readable' : unread];
  });
}

function placeOf({ keyspace, name }: IndexName): string {
  return `${keyspace}.${name}`;
}
