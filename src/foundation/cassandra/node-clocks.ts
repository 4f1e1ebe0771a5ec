// Which nodes have clocks that agree. A change of the schema has the time of the node that makes it: what a node with a
// wrong clock drops hides what other nodes make later, until that time has come.
import type { CqlNode, CqlStatement } from './cql-session.js';
import { CassandraFailure } from './session.js';

/** A node that takes longer to say its time is left out. */
const answerTimeoutMs = 2_000;
/** Clocks that differ by less agree: the nodes may have answered at times that differ by so much. */
const mostApartMs = answerTimeoutMs;

/** The time of the node, also behind one at which it was ahead; `now()` never falls. */
const presentTime: CqlStatement = {
  cql: 'SELECT currentTimestamp() FROM system.local',
  values: [],
  isIdempotent: true,
  consistency: 'LOCAL_ONE',
  timeoutMs: answerTimeoutMs,
};

/**
 * The first of the nodes whose clock agrees with those of most of them. A node that does not answer is left out.
 * Servers that get the same answers find the same node, whatever their own clocks say.
 * @throws CassandraFailure: `unavailable` where there is none, and others where no node answers
 */
export async function firstOfAgreeingClocks<Node extends CqlNode>(nodes: readonly Node[]): Promise<Node> {
  const times = new Map<Node, number>();
  let failure: unknown;
  const asked = await Promise.allSettled(nodes.map(async (node) => [node, await readTime(node)] as const));
  for (const answer of asked) {
    if (answer.status === 'fulfilled') times.set(...answer.value);
    else if (answer.reason instanceof CassandraFailure) failure = answer.reason;
    else throw answer.reason;
  }
  if (times.size === 0) throw failure;
  const all = [...times.values()];
  for (const [node, time] of times) {
    const agreeing = all.filter((other) => Math.abs(other - time) <= mostApartMs);
    if (agreeing.length > all.length / 2) return node;
  }
  const apartMs = Math.max(...all) - Math.min(...all);
  const problem =
    `the clocks of the nodes differ by ${Math.round(apartMs / 1_000)} s, by which changes of the schema can be lost; ` +
    'set the clocks of the nodes; nothing was changed';
  throw new CassandraFailure('unavailable', problem);
}

/** The clock of a node, in ms since 1970. */
async function readTime(node: CqlNode): Promise<number> {
  const { rows } = await node.run(presentTime);
  const time = rows[0]?.[0];
  if (!(time instanceof Date)) throw new TypeError(`the time of a node is ${String(time)}`);
  return time.getTime();
}
