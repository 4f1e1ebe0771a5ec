// Servers of two worker processes for tests. Their cluster cannot be reached, and these tests need none.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { waitFor } from './ops-client.js';
import { type RunningServer, withServer } from './start-server.js';

/** The reply to a request. */
export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The common name of the server's certificate. */
  readonly certificate: string | undefined;
}

/** Over a connection of its own, so that any worker may answer. */
export function ask(url: string, command?: string): Promise<Reply> {
  const isTls = url.startsWith('https:');
  const options = {
    agent: false as const,
    rejectUnauthorized: false,
    ...(command === undefined ? {} : { method: 'POST', headers: { 'content-type': 'application/json' } }),
  };
  return new Promise((resolve, reject) => {
    const sent = (isTls ? tlsRequest : plainRequest)(url, options, (response) => {
      const certificate = isTls ? (response.socket as TLSSocket).getPeerCertificate().subject.CN : undefined;
      let body = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        body += part;
      });
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body,
          certificate: certificate === undefined ? undefined : String(certificate),
        }),
      );
    });
    sent.on('error', reject);
    sent.end(command);
  });
}

/** Runs work with a server whose data port is served by workers. */
export async function withWorkers(
  args: readonly string[],
  work: (server: RunningServer) => Promise<void>,
  dataDir?: string,
): Promise<void> {
  // Nothing listens on port 1.
  const cluster = [
    '--engine',
    'cassandra',
    '--cassandra-contact-points',
    '127.0.0.1',
    '--cassandra-port',
    '1',
  ];
  const all = [...cluster, '--cassandra-local-datacenter', 'dc1', '--workers', '2', ...args];
  await withServer({ args: all, ...(dataDir === undefined ? {} : { dataDir }) }, work);
}

/** The replies to `/health/live`, by the process, until as many processes as wanted have answered. */
export async function askUntil(url: string, count: number, isWanted = (_: Reply, _pid: number) => true) {
  const replies = new Map<number, Reply>();
  let asked = 0;
  while (replies.size < count) {
    asked += 1;
    assert.ok(asked < 2000, `only ${[...replies.keys()]} answered`);
    const reply = await ask(`${url}/health/live`);
    const { pid } = JSON.parse(reply.body);
    if (isWanted(reply, pid)) replies.set(pid, reply);
  }
  return { pids: [...replies.keys()], asked };
}

/** Also false for a process that has ended and that its parent, such as a container's first process, does not fetch. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !existsSync('/proc/self/stat') || !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}

/** Resolves when none of the processes runs any more. */
export async function allGone(pids: readonly number[]): Promise<void> {
  await waitFor('the end of the workers', async () => !pids.some(isRunning));
}

/** The sum of the replies of the data port so far. */
export async function repliesCounted({ opsUrl }: RunningServer): Promise<number> {
  const { body } = await ask(`${opsUrl}/metrics`);
  const counts = [...body.matchAll(/^colonnade_data_http_replies_total\{status="\d+"\} (\d+)$/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}
