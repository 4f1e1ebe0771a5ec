// What nodes know of the indexes of each other. Each node announces the states of its indexes by gossip, which
// takes a second or more. Until then the others fail reads by an index that is built.
import type { CqlNode } from '../../../../foundation/cassandra/cql-session.js';
import { isJsonObject, JsonNumber, type JsonValue } from '../../../../foundation/json/json-value.js';
import { JsonNumberTooLong, JsonSyntaxError, parseJson } from '../../../../foundation/json/parse-json.js';
import type { IndexRow } from './schema-rows.js';

/** A node that takes longer counts as silent. */
const askTimeoutMs = 2_000;
/** The nodes whose announcements come in one page: each has all indexes of its node. */
const pageNodes = 16;
const jsonLimits = { maxDepth: 3, maxNumberLength: 10 };
/** The names of the states in which nodes read by an index, and their numbers in the newer form of announcements. */
const readableStates: ReadonlySet<string> = new Set(['UNKNOWN', '0', 'BUILD_SUCCEEDED', '3']);

type IndexName = Pick<IndexRow, 'keyspace' | 'name'>;

/** The announcements that one node has received. */
export interface ReceivedBuilds<Index> {
  /** The id of the node. */
  readonly node: string;
  /** By the id of each node, itself too: the indexes that it announced, and whether it has built them. */
  readonly byNode: ReadonlyMap<string, ReadonlyMap<Index, boolean>>;
}

/** Asks a node what others have announced to it of some indexes. @throws CassandraFailure */
export async function readReceivedBuilds<Index extends IndexName>(
  node: CqlNode,
  indexes: readonly Index[],
): Promise<ReceivedBuilds<Index>> {
  const question = {
    values: [],
    isIdempotent: true,
    consistency: 'LOCAL_ONE',
    timeoutMs: askTimeoutMs,
  } as const;
  const { rows } = await node.run({ ...question, cql: 'SELECT host_id FROM system.local' });
  const byNode = new Map<string, ReadonlyMap<Index, boolean>>();
  const cql = 'SELECT host_id, index_status FROM system_views.gossip_info';
  for (let page: string | null | undefined; page !== null; ) {
    const found = await node.run({ ...question, cql, pageRows: pageNodes }, page);
    for (const [id, announced] of found.rows) byNode.set(String(id), buildsIn(announced, indexes));
    page = found.next;
  }
  return { node: String(rows[0]?.[0]), byNode };
}

/**
 * Whether each of these nodes knows that each of them has built an index. A node that announces nothing of it has
 * built it before it took part in the gossip, and the others read by it.
 */
export function isKnownToAll<Index>(index: Index, received: readonly ReceivedBuilds<Index>[]): boolean {
  return received.every(({ node }) => {
    const states = received.map(({ byNode }) => byNode.get(node)?.get(index));
    return states.every((isBuilt) => isBuilt === true) || states.every((isBuilt) => isBuilt === undefined);
  });
}

/**
 * The indexes of an announcement: by keyspace and name, or in the older form by both with a point between them. Nodes
 * ignore a text that has another form, and so does this function.
 */
function buildsIn<Index extends IndexName>(
  announced: unknown,
  indexes: readonly Index[],
): ReadonlyMap<Index, boolean> {
  const states = typeof announced === 'string' ? statesIn(announced) : null;
  const builds = new Map<Index, boolean>();
  if (states === null || !isJsonObject(states)) return builds;
  for (const index of indexes) {
    const { keyspace, name } = index;
    const ofKeyspace = states.get(keyspace) ?? null;
    const state = isJsonObject(ofKeyspace) ? ofKeyspace.get(name) : states.get(`${keyspace}.${name}`);
    if (state !== undefined) builds.set(index, readableStates.has(textOf(state)));
  }
  return builds;
}

function statesIn(announced: string): JsonValue {
  try {
    return parseJson(announced, jsonLimits);
  } catch (error) {
    if (error instanceof JsonSyntaxError || error instanceof JsonNumberTooLong) return null;
    throw error;
  }
}

function textOf(state: JsonValue): string {
  return state instanceof JsonNumber ? state.text : String(state);
}
