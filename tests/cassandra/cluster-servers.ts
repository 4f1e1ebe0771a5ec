// Real servers whose rows are in the nodes of a test, with the table of a register load.

import type { CassandraNodes } from '../../tools/start-cassandra/start-cassandra.js';
import { waitFor } from '../acceptance/ops-client.js';
import { type RunningServer, startServer } from '../acceptance/start-server.js';
import { type DataClient, withDataClient } from '../faults/data-client.js';
import { registerTable } from './register-load.js';

/** Behind faults, nodes need more than a minute for changes of the schema (docs/differences.md, known faults). */
const patienceMs = 300_000;

/** So many requests at the same time reach every worker. */
const connectionsOfAll = 16;

/** A server that uses all nodes of the cluster, with further options and environment variables. */
export function startOnCluster(
  { nodes }: CassandraNodes,
  further: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<RunningServer> {
  const places = nodes.map(({ place }) => place);
  return startServer({
    environment,
    args: [
      ...['--engine', 'cassandra', '--cassandra-local-datacenter', 'datacenter1'],
      ...['--cassandra-contact-points', places.map(({ address }) => address).join(',')],
      ...['--cassandra-port', String(places[0]?.nativePort)],
      ...further,
    ],
  });
}

/** Makes the table with three replicas, and waits until every server knows it. */
export async function createRegisterTable(servers: readonly RunningServer[]): Promise<void> {
  const { keyspace, name, definition } = registerTable;
  const replication = { class: 'NetworkTopologyStrategy', datacenter1: 3 };
  const [first] = servers;
  if (first === undefined) throw new Error('there is no server');
  await withDataClient(first, async (client) => {
    await untilAccepted(client, '', { createKeyspace: { name: keyspace, options: { replication } } });
    const createTable = { name, definition, options: { ifNotExists: true } };
    await untilAccepted(client, `/${keyspace}`, { createTable });
  });
  for (const server of servers) await untilKnown(server, `/${keyspace}/${name}`);
}

/** Sends a command until it succeeds: another process may not know yet what the first one made. */
export function untilAccepted(client: DataClient, path: string, command: object): Promise<unknown> {
  const isAccepted = async () => (await client.send(path, command)).body.errors === undefined;
  return waitFor(JSON.stringify(command).slice(0, 80), isAccepted, patienceMs);
}

/** Waits until a server, with each of its workers, knows a table or a collection. */
export async function untilKnown(server: RunningServer, path: string): Promise<void> {
  let failed: string | undefined;
  const isKnown = async (client: DataClient) => {
    const replies = await Promise.all(
      Array.from({ length: connectionsOfAll }, () => client.send(path, { findOne: {} })),
    );
    failed = replies.find(({ body }) => body.errors !== undefined)?.text;
    return failed === undefined;
  };
  try {
    await withDataClient(server, (client) =>
      waitFor(`${path} in each server`, () => isKnown(client), patienceMs),
    );
  } catch (error) {
    throw new Error(`${path} is not known: ${failed}`, { cause: error });
  }
}
