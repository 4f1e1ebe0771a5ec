// Real servers whose rows are in the nodes of a test, with the table of a register load.

import type { CassandraNodes } from '../../tools/start-cassandra/start-cassandra.js';
import { waitFor } from '../acceptance/ops-client.js';
import { type RunningServer, startServer } from '../acceptance/start-server.js';
import { type DataClient, withDataClient } from '../faults/data-client.js';
import { registerTable } from './register-load.js';

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
    await client.mustSend('', { createKeyspace: { name: keyspace, options: { replication } } });
    await client.mustSend(`/${keyspace}`, { createTable: { name, definition } });
  });
  for (const server of servers) await untilKnown(server, `/${keyspace}/${name}`);
}

/** Sends a command until it succeeds: another process may not know yet what the first one made. */
export function untilAccepted(client: DataClient, path: string, command: object): Promise<unknown> {
  return waitFor(JSON.stringify(command).slice(0, 80), async () => {
    const { body } = await client.send(path, command);
    return body.errors === undefined;
  });
}

/** Waits until a server, with each of its workers, knows a table or a collection. */
export function untilKnown(server: RunningServer, path: string): Promise<unknown> {
  return withDataClient(server, (client) =>
    waitFor(`${path} in each server`, async () => {
      const replies = await Promise.all(
        Array.from({ length: connectionsOfAll }, () => client.send(path, { findOne: {} })),
      );
      return replies.every(({ body }) => body.errors === undefined);
    }),
  );
}
