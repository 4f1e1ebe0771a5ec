// Which nodes have the same schema, by what each of them says of itself.
import { setTimeout as pause } from 'node:timers/promises';
import type { CqlNode, CqlStatement } from './cql-session.js';
import { CassandraFailure } from './session.js';

/** A node that takes longer to name its schema is left out: a paused one counts as up for a while. */
const answerTimeoutMs = 2_000;
/** Nodes get a change within milliseconds where nothing is wrong. */
const pollMs = { first: 10, most: 500 };
/** A read of the schema waits for so long until most nodes have one: a change takes a second where they are busy. */
const sourceTimeoutMs = 2_000;

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

/** What the nodes that answer say, in the order of the nodes. */
interface Answers<Node extends CqlNode> {
  readonly versions: ReadonlyMap<Node, string>;
  /** How many nodes were asked. */
  readonly askedCount: number;
}

/** Where a schema is read from. */
export interface SchemaSource<Node extends CqlNode> {
  readonly node: Node;
  /** Whether most nodes have its schema: then it has every change that a server has acknowledged. */
  readonly isOfMost: boolean;
}

/** Whether all nodes that answer, at least half, have the same schema. @throws CassandraFailure where none answers */
export async function haveOneSchema(nodes: readonly CqlNode[]): Promise<boolean> {
  return haveOne(await ask(nodes));
}

/**
 * A node with the schema that most have: one that hung or was down may have an older one for up to a minute. Waits
 * until `all` nodes that answer have one schema, or until `most` have, and gives the first node with the most frequent
 * schema where the time is over before. @throws CassandraFailure where none answers
 */
export async function findSchemaSource<Node extends CqlNode>(
  nodes: () => Promise<readonly Node[]>,
  wanted: 'all' | 'most',
  timeoutMs: number = sourceTimeoutMs,
): Promise<SchemaSource<Node>> {
  const answers = await askUntil(nodes, wanted === 'all' ? haveOne : haveMost, timeoutMs);
  const [most] = byFrequency(answers);
  if (most === undefined) throw new TypeError('no node was asked');
  return { node: most.first, isOfMost: haveMost(answers) };
}

/** One schema, and the nodes that have said so, in their order. */
export interface OneSchema<Node extends CqlNode> {
  readonly version: string;
  readonly nodes: readonly Node[];
}

/**
 * Asks the nodes until all that answer, at least half of them, have one schema, which `counts`; undefined where that is
 * not so when the time is over. @throws CassandraFailure where none answers then
 */
export async function untilOneSchema<Node extends CqlNode>(
  nodes: () => Promise<readonly Node[]>,
  timeoutMs: number,
  counts: (schema: OneSchema<Node>) => boolean = () => true,
): Promise<OneSchema<Node> | undefined> {
  const found = (answers: Answers<Node>) => {
    const schema = haveOne(answers) ? oneSchemaOf(answers) : undefined;
    return schema !== undefined && counts(schema) ? schema : undefined;
  };
  return found(await askUntil(nodes, (answers) => found(answers) !== undefined, timeoutMs));
}

function oneSchemaOf<Node extends CqlNode>({ versions }: Answers<Node>): OneSchema<Node> | undefined {
  const [version] = versions.values();
  return version === undefined ? undefined : { version, nodes: [...versions.keys()] };
}

/** The last answers: those that are enough, or those at the end. @throws CassandraFailure where none answers */
async function askUntil<Node extends CqlNode>(
  nodes: () => Promise<readonly Node[]>,
  isEnough: (answers: Answers<Node>) => boolean,
  timeoutMs: number,
): Promise<Answers<Node>> {
  let isOver = false;
  const timer = setTimeout(() => {
    isOver = true;
  }, timeoutMs);
  try {
    for (let pauseMs = pollMs.first; ; pauseMs = Math.min(2 * pauseMs, pollMs.most)) {
      try {
        const answers = await ask(await nodes());
        if (isOver || isEnough(answers)) return answers;
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

/** One node that answers alone may be one that was down, and has the schema of that time. */
function areEnough({ versions, askedCount }: Answers<CqlNode>): boolean {
  return 2 * versions.size >= askedCount;
}

function haveOne(answers: Answers<CqlNode>): boolean {
  return areEnough(answers) && new Set(answers.versions.values()).size === 1;
}

function haveMost(answers: Answers<CqlNode>): boolean {
  const [most] = byFrequency(answers);
  return most !== undefined && areEnough(answers) && 2 * most.count > answers.versions.size;
}

/** The schemas, the most frequent one first, each with the first node that has it. */
function byFrequency<Node extends CqlNode>({ versions }: Answers<Node>) {
  const found = new Map<string, { readonly first: Node; count: number }>();
  for (const [node, version] of versions) {
    const known = found.get(version);
    if (known === undefined) found.set(version, { first: node, count: 1 });
    else known.count += 1;
  }
  return [...found.values()].sort((left, right) => right.count - left.count);
}

/** @throws CassandraFailure if none answers */
async function ask<Node extends CqlNode>(nodes: readonly Node[]): Promise<Answers<Node>> {
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
  return { versions, askedCount: nodes.length };
}
