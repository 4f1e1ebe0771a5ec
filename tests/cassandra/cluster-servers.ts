// Real servers whose rows are in the nodes of a test, with the table of a register load.

import type { CassandraNodes } from '../../tools/start-cassandra/start-cassandra.js';
import { waitFor } from '../acceptance/ops-client.js';
import { type RunningServer, startServer } from '../acceptance/start-server.js';
import { withDataClient } from '../faults/data-client.js';
import { registerTable } from './register-load.js';

/** A server that uses all nodes of the cluster, with further options. */
export function startOnCluster(
  { nodes }: CassandraNodes,
  further: readonly string[] = [],
): Promise<RunningServer> {
  const places = nodes.map(({ place }) => place);
  return startServer({
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
  for (const server of servers) {
    await withDataClient(server, (client) =>
      waitFor('the table in each server', async () => {
        const { body } = await client.send(`/${keyspace}/${name}`, { findOne: {} });
        return body.errors === undefined;
      }),
    );
  }
}
