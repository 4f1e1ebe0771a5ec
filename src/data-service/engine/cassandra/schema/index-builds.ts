// Which indexes nodes are still building: a node fails reads that use them.
import type { CqlNode, CqlSession } from '../../../../foundation/cassandra/cql-session.js';
import { CassandraFailure } from '../../../../foundation/cassandra/session.js';
import type { IndexRow } from './schema-rows.js';

/** A node that takes longer counts as silent. */
const askTimeoutMs = 2_000;

/** What the nodes that are up say of some indexes. */
export interface IndexBuilds<Index> {
  /** Those that a node cannot read yet. */
  readonly unbuilt: ReadonlySet<Index>;
  /** How many nodes did not answer. */
  readonly silentNodes: number;
}

type IndexName = Pick<IndexRow, 'keyspace' | 'name'>;

/** The indexes of a node that it can read. */
type Readable = (index: IndexName) => boolean;

/** Asks every node that is up for these indexes. @throws CassandraFailure where no node answers */
export async function readIndexBuilds<Index extends IndexName>(
  session: Pick<CqlSession, 'nodes'>,
  indexes: readonly Index[],
): Promise<IndexBuilds<Index>> {
  const nodes = await session.nodes();
  const keyspaces = [...new Set(indexes.map(({ keyspace }) => keyspace))];
  const asked = await Promise.allSettled(nodes.map((node) => readableIndexes(node, keyspaces)));
  const answers: Readable[] = [];
  let failure: unknown;
  for (const one of asked) {
    if (one.status === 'fulfilled') answers.push(one.value);
    else if (one.reason instanceof CassandraFailure) failure = one.reason;
    else throw one.reason;
  }
  if (answers.length === 0) throw failure;
  const isUnbuilt = (index: Index) => answers.some((isReadable) => !isReadable(index));
  return { unbuilt: new Set(indexes.filter(isUnbuilt)), silentNodes: nodes.length - answers.length };
}

/** A user who may not ask gets no answer: all indexes then count as built, and reads by others fail. */
async function readableIndexes(node: CqlNode, keyspaces: readonly string[]): Promise<Readable> {
  const readable = new Set<string>();
  try {
    for (const keyspace of keyspaces)
      for (const name of await namesOfReadable(node, keyspace)) readable.add(placeOf({ keyspace, name }));
  } catch (error) {
    if (error instanceof CassandraFailure && error.isRefused) return () => true;
    throw error;
  }
  return (index) => readable.has(placeOf(index));
}

async function namesOfReadable(node: CqlNode, keyspace: string): Promise<readonly string[]> {
  const statement = {
    cql: 'SELECT index_name, is_queryable FROM system_views.sai_column_indexes WHERE keyspace_name = ?',
    values: [Buffer.from(keyspace)],
    isIdempotent: true,
    consistency: 'LOCAL_ONE',
    timeoutMs: askTimeoutMs,
  } as const;
  const names: string[] = [];
  for (let page: string | null | undefined; page !== null; ) {
    const { rows, next } = await node.run(statement, page);
    for (const [name, isQueryable] of rows) if (isQueryable === true) names.push(String(name));
    page = next;
  }
  return names;
}

function placeOf({ keyspace, name }: IndexName): string {
  return `${keyspace}.${name}`;
}
