// Which indexes nodes are still building: a node fails reads that use them.
import type { CqlNode, CqlSession } from '../../../../foundation/cassandra/cql-session.js';
import { readAllRows } from '../../../../foundation/cassandra/read-all-rows.js';
import { CassandraFailure } from '../../../../foundation/cassandra/session.js';
import type { IndexRow } from './schema-rows.js';

/** A node that takes longer counts as silent. */
const askTimeoutMs = 2_000;

/** What the nodes that are up say of some indexes. */
export interface IndexBuilds<Index> {
  /** The indexes that a node cannot read yet. */
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

/** Asks every node that is up for these indexes. @throws CassandraFailure where no node answers */
export async function readIndexBuilds<Index extends IndexName>(
  session: Pick<CqlSession, 'nodes'>,
  indexes: readonly Index[],
): Promise<IndexBuilds<Index>> {
  const nodes = await session.nodes();
  const keyspaces = [...new Set(indexes.map(({ keyspace }) => keyspace))];
  const asked = await Promise.allSettled(nodes.map((node) => statesOfIndexes(node, keyspaces)));
  const answers: States[] = [];
  let failure: unknown;
  for (const one of asked) {
    if (one.status === 'fulfilled') answers.push(one.value);
    else if (one.reason instanceof CassandraFailure) failure = one.reason;
    else throw one.reason;
  }
  if (answers.length === 0) throw failure;
  const isUnbuilt = (index: Index) => answers.some((stateOf) => stateOf(index) !== 'readable');
  const isIdle = (index: Index) => answers.some((stateOf) => stateOf(index) === 'idle');
  return {
    unbuilt: new Set(indexes.filter(isUnbuilt)),
    idle: new Set(indexes.filter(isIdle)),
    silentNodes: nodes.length - answers.length,
  };
}

/** A user who may not ask gets no answer: all indexes then count as built, and reads by others fail. */
async function statesOfIndexes(node: CqlNode, keyspaces: readonly string[]): Promise<States> {
  const states = new Map<string, BuildState>();
  try {
    for (const keyspace of keyspaces)
      for (const [name, state] of await statesIn(node, keyspace))
        states.set(placeOf({ keyspace, name }), state);
  } catch (error) {
    if (error instanceof CassandraFailure && error.isRefused) return () => 'readable';
    throw error;
  }
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
