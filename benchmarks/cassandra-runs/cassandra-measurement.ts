// What a measurement of `npm run bench:cassandra` is, and what they share: a server, requests to it, real nodes.
import { fileURLToPath } from 'node:url';
import { openSession } from '../../src/foundation/cassandra/open-session.js';
import type { CassandraSession } from '../../src/foundation/cassandra/session.js';
import {
  type CassandraNode,
  type CassandraNodes,
  startCassandra,
} from '../../tools/start-cassandra/start-cassandra.js';
import { type ServerProcess, startServer } from '../child-process.js';
import type { Figure } from '../figures.js';
import { serverEntry } from '../ops-measurement.js';

/** How a measurement runs. */
export interface CassandraPlan {
  /** For its files; it is not there yet and is removed afterwards. */
  readonly directory: string;
  readonly seconds: number;
  readonly rounds: number;
  readonly vectors: number;
  readonly nodes: number;
  readonly tables: number;
  readonly minutes: number;
}

/** What was measured, and what was seen beside it, in lines. */
export interface CassandraReport {
  readonly figures: readonly Figure[];
  readonly notes: readonly string[];
}

/** Measures and gives what it found. */
export type CassandraMeasurement = (plan: CassandraPlan) => Promise<CassandraReport>;

/** Starts the built server; `nodeOptions` go to Node. */
export function startWatcher(directory: string, ...nodeOptions: readonly string[]): Promise<ServerProcess> {
  const serve = ['serve', '--port=0', '--ops-port=0', '--log-level=error', `--data-dir=${directory}`];
  const [entry = serverEntry, ...rest] = [...nodeOptions, serverEntry];
  return startServer(entry, [...rest, ...serve]);
}

/** What the built server is started with to keep its rows in a node. */
export function engineArgs({ place }: CassandraNode, dataDirectory: string): readonly string[] {
  return [
    ...['serve', '--port=0', '--ops-port=0', '--log-level=error', `--data-dir=${dataDirectory}`],
    ...['--engine=cassandra', '--cassandra-local-datacenter=datacenter1'],
    ...[`--cassandra-contact-points=${place.address}`, `--cassandra-port=${place.nativePort}`],
  ];
}

/** Asks the operations port; a body makes it a POST. @throws Error for anything but success */
export async function askOps(
  server: ServerProcess,
  path: string,
  body?: unknown,
  method = body === undefined ? 'GET' : 'POST',
): Promise<unknown> {
  const reply = await fetch(`http://127.0.0.1:${server.opsPort()}${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`);
  return JSON.parse(text);
}

/** Waits until so many nodes of the cluster `ring` are up. */
export async function untilUp(server: ServerProcess, count: number): Promise<void> {
  for (let second = 0; second < 120; second += 1) {
    const nodes = await askOps(server, '/ring/nodes');
    if (Array.isArray(nodes) && nodes.filter(({ state }) => state === 'up').length === count) return;
    await sleep(1);
  }
  throw new Error(`there never were ${count} nodes that are up`);
}

/** One real node; `use` gets it, and it is stopped however that ends. */
export async function withRealNode<Result>(
  directory: string,
  use: (node: CassandraNode, cluster: CassandraNodes) => Promise<Result>,
): Promise<Result> {
  // The build holds no pom: it stands beside the source.
  const toolFolder = fileURLToPath(new URL('../../../tools/start-cassandra', import.meta.url));
  const cluster = await startCassandra({ directory, toolFolder, nodeCount: 1 });
  try {
    const [node] = cluster.nodes;
    if (node === undefined) throw new Error('there is no node');
    return await use(node, cluster);
  } finally {
    await cluster.stop();
  }
}

/** A session with a node for a while. */
export async function withSession<Result>(
  { place: { address, nativePort: port } }: CassandraNode,
  use: (session: CassandraSession) => Promise<Result>,
): Promise<Result> {
  const session = openSession({ contactPoints: [address], port, timeoutMs: 20_000 });
  try {
    const problem = await session.connect();
    if (problem !== undefined) throw new Error(problem);
    return await use(session);
  } finally {
    await session.close();
  }
}

/** A keyspace on one node. */
export function keyspaceCql(name: string): string {
  return `CREATE KEYSPACE ${name} WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}`;
}

/** Resolves later. */
export function sleep(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}
