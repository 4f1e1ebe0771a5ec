// Which nodes have the same schema, by what each of them says of itself.
import { setTimeout as pause } from 'node:timers/promises';
import type { CqlNode, CqlStatement } from './cql-session.js';
import { CassandraFailure } from './session.js';

/** A node that takes longer to name its schema is left out: a paused one counts as up for a while. */
const answerTimeoutMs = 2_000;
/** Nodes get a change within milliseconds where nothing is wrong. */
const pollMs = { first: 10, most: 500 };

/** What a node knows without asking others. */
const ownVersion: CqlStatement = {
  cql: 'SELECT schema_version FROM system.local',
  values: [],
  isIdempotent: true,
  consistency: 'LOCAL_ONE',
  timeoutMs: answerTimeoutMs,
};

/** The version of the schema that a node has: equal for equal schemas. @throws CassandraFailure */
export async function readSchemaVersion(node: CqlNode): Promise<string> {
  const { rows } = await node.run(ownVersion);
  return String(rows[0]?.[0]);
}

/** Whether all nodes that answer have the same schema. @throws CassandraFailure where none answers */
export async function haveOneSchema(nodes: readonly CqlNode[]): Promise<boolean> {
  return isOne(await readVersions(nodes));
}

/**
 * The first of the nodes that have the schema most of them have: one that was paused may have an older one for up to a
 * minute. @throws CassandraFailure where none answers
 */
export async function nodeOfMost(nodes: readonly CqlNode[]): Promise<CqlNode> {
  const versions = [...(await readVersions(nodes))];
  const countOf = (version: string) => versions.filter(([, other]) => other === version).length;
  const [most] = versions.toSorted(([, left], [, right]) => countOf(right) - countOf(left));
  if (most === undefined) throw new TypeError('no node was asked');
  return most[0];
}

/**
 * Asks the nodes until all that answer have one schema. Gives those that answer, in their order; undefined where their
 * schemas are different when the time is over. @throws CassandraFailure where none answers then
 */
export async function untilOneSchema<Node extends CqlNode>(
  nodes: () => Promise<readonly Node[]>,
  timeoutMs: number,
): Promise<readonly Node[] | undefined> {
  let isOver = false;
  const timer = setTimeout(() => {
    isOver = true;
  }, timeoutMs);
  try {
    for (let pauseMs = pollMs.first; ; pauseMs = Math.min(2 * pauseMs, pollMs.most)) {
      try {
        const versions = await readVersions(await nodes());
        if (isOne(versions)) return [...versions.keys()];
        if (isOver) return undefined;
      } catch (error) {
        if (isOver || !mayAnswer(error)) throw error;
      }
      await pause(pauseMs);
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Nodes that did not answer may do so in a moment. */
function mayAnswer(error: unknown): boolean {
  return error instanceof CassandraFailure && error.kind !== 'unreachable';
}

function isOne(versions: ReadonlyMap<CqlNode, string>): boolean {
  return new Set(versions.values()).size === 1;
}

/** The versions of the nodes that answer, in their order. @throws CassandraFailure if none answers */
async function readVersions<Node extends CqlNode>(
  nodes: readonly Node[],
): Promise<ReadonlyMap<Node, string>> {
  const versions = new Map<Node, string>();
  let failure: unknown;
  const asked = await Promise.allSettled(
    nodes.map(async (node) => [node, await readSchemaVersion(node)] as const),
  );
  for (const answer of asked) {
    if (answer.status === 'fulfilled') versions.set(...answer.value);
    else if (answer.reason instanceof CassandraFailure) failure = answer.reason;
    else throw answer.reason;
  }
  if (versions.size === 0) throw failure;
  return versions;
}
