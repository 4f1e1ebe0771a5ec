// What a second worker brings where the cluster is not the limit: the same loads on one process and on two, by turns,
// with a simulated node.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cpuSecondsOf, runLoad, type ServerProcess, startServer } from '../child-process.js';
import { type Figure, medianPair } from '../figures.js';
import { serverEntry } from '../ops-measurement.js';
import { type SimulatedNodes, startNodes } from '../simulated-cassandra/start-nodes.js';
import type { CassandraMeasurement } from './cassandra-measurement.js';

const connections = 64;
const requests = ['findOne', 'insertOne'] as const;

/** Requests per second with two workers, against one. */
export const measureWorkers: CassandraMeasurement = async ({ directory, seconds, rounds }) => {
  const nodes = await startNodes({ nodes: 1, tables: 0, hasRows: true });
  const start = (workers: number) => startOn(nodes, join(directory, String(workers)), workers);
  const servers: ServerProcess[] = [];
  try {
    const [one, two] = [await start(1), await start(2)];
    servers.push(one, two);
    const figures: Figure[] = [];
    const notes: string[] = [];
    for (const request of requests) {
      const pairs = [];
      for (let round = 0; round < rounds; round += 1) {
        const reference = await measure(one, nodes, request, seconds);
        const value = await measure(two, nodes, request, seconds);
        notes.push(`${request}, 1 worker: ${reference.note}`, `${request}, 2 workers: ${value.note}`);
        pairs.push({ reference: reference.requestsPerSecond, value: value.requestsPerSecond });
      }
      const name = `${request} with two workers, against one, ${connections} connections`;
      figures.push({ name, ...medianPair(pairs), unit: 'req/s', target: { kind: 'atLeast', limit: 1.5 } });
    }
    return { figures, notes };
  } finally {
    for (const server of servers) await server.stop();
    nodes.stop();
  }
};

function startOn(nodes: SimulatedNodes, directory: string, workers: number): Promise<ServerProcess> {
  return startServer(serverEntry, [
    ...['serve', '--port=0', '--ops-port=0', '--log-level=error', `--data-dir=${directory}`],
    ...[
      '--engine=cassandra',
      `--cassandra-contact-points=${nodes.seeds[0]}`,
      '--cassandra-local-datacenter=dc0',
    ],
    ...[`--cassandra-port=${nodes.port}`, `--workers=${workers}`],
  ]);
}

/** The rate, and where the time of the processors was spent. */
async function measure(
  server: ServerProcess,
  nodes: SimulatedNodes,
  request: (typeof requests)[number],
  seconds: number,
) {
  const spent = () => [nodes.cpuSeconds(), ...processesOf(server.pid).map(cpuSecondsOf)];
  const before = spent();
  const report = await runLoad({ port: server.port, request, connections, seconds, rowCount: 1000 });
  if (report.errors > 0) throw new Error(`${report.errors} requests failed`);
  const [ofNode = Number.NaN, ...ofServer] = spent().map((after, at) => after - (before[at] ?? 0));
  const share = (used: number) => `${Math.round((used / seconds) * 100)} %`;
  const costUs = (ofServer.reduce((sum, used) => sum + used, 0) * 1e6) / report.requests;
  const note =
    `${Math.round(report.requestsPerSecond)}/s; of one processor the processes of the server took ` +
    `${ofServer.map(share).join(', ')}, the node ${share(ofNode)}, ` +
    `the load generator ${share(report.generatorShare * seconds)}; ` +
    `${costUs.toFixed(0)} µs of the server for a request`;
  return { requestsPerSecond: report.requestsPerSecond, note };
}

/** The process and its workers. */
function processesOf(pid: number): readonly number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return [pid, ...children.split(' ').filter(Boolean).map(Number)];
}
