// Starts servers whose rows are in a real Cassandra cluster, and talks to them.
import { type RunningServer, type StartOptions, startServer } from '../acceptance/start-server.js';

/** A reply of the data port or the operations port. */
export interface ServerReply {
  readonly status: number;
  readonly text: string;
}

/** Starts a server on the cluster with this CQL port. */
export function startOnCluster(
  nativePort: number,
  { args = [], ...options }: StartOptions = {},
): Promise<RunningServer> {
  return startServer({
    ...options,
    args: [
      ...['--engine', 'cassandra', '--cassandra-contact-points', '127.0.0.1'],
      ...['--cassandra-port', String(nativePort), '--cassandra-local-datacenter', 'datacenter1'],
      ...args,
    ],
  });
}

/** Posts JSON; the token goes into the header. */
export async function post(url: string, body: object, token?: string): Promise<ServerReply> {
  const headers = { 'content-type': 'application/json', ...(token === undefined ? {} : { token }) };
  const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: reply.status, text: await reply.text() };
}

/** The token of a user of the cluster. */
export function tokenOf(username: string, password: string): string {
  const encoded = [username, password].map((text) => Buffer.from(text).toString('base64'));
  return `Cassandra:${encoded.join(':')}`;
}
