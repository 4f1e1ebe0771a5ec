// Our HTTP in front of one real node against the bare driver, which sends the same statements to it, by turns.
import { mkdirSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import type { CassandraNode } from '../../tools/start-cassandra/start-cassandra.js';
import { builtFile, sendCommand } from '../bench-servers.js';
import { runScript, type ServerProcess, startServer } from '../child-process.js';
import { type Figure, medianPair, type Pair } from '../figures.js';
import type { LoadReport } from '../load-plan.js';
import { atLeast, atMost, LoadRuns } from '../load-runs.js';
import { serverEntry } from '../ops-measurement.js';
import { rowsPerInsertMany } from '../request-source.js';
import { benchmarkTable } from '../requests.js';
import { vectorTable } from '../vector-requests.js';
import type { BareDriverPlan, ServedRequest } from './bare-driver-load.js';
import type { BareGatewayPlan } from './bare-gateway.js';
import {
  type CassandraMeasurement,
  type CassandraReport,
  engineArgs,
  withRealNode,
} from './cassandra-measurement.js';

const rowCount = 20_000;
const warmSeconds = 10;
const connections = 64;
/** Runs are short, so that what changes on the machine meets both sides. */
const spansPerRun = 10;

/** A load on one side, and what the process in front took of the processors. */
interface Run {
  readonly report: LoadReport;
  /** µs of the processors' time for a request. */
  readonly costUs: number;
}

/** Operations a second, added latency, processor time and memory. */
export const measureServing: CassandraMeasurement = ({ directory, seconds, rounds, vectors }) =>
  withRealNode(join(directory, 'node'), async (node) => {
    const dataDirectory = join(directory, 'data');
    mkdirSync(dataDirectory, { recursive: true });
    const { address, nativePort: port } = node.place;
    const gatewayPlan: BareGatewayPlan = { address, port };
    const started: ServerProcess[] = [];
    const start = async (entry: string, args: readonly string[]) => {
      const process = await startServer(entry, args);
      started.push(process);
      return process;
    };
    try {
      const server = await start(serverEntry, engineArgs(node, dataDirectory));
      const reference = await start(builtFile('reference-server.js'), []);
      const gatewayFile = builtFile('cassandra-runs/bare-gateway.js');
      const gateway = await start(gatewayFile, [JSON.stringify(gatewayPlan)]);
      const runs = new LoadRuns({ seconds: seconds / spansPerRun, rounds, rowCount });
      await prepare(server, runs, vectors);
      return await new ServingRuns({ node, server, reference, gateway, runs }).measure();
    } finally {
      for (const process of started) await process.stop();
    }
  });

async function prepare(server: ServerProcess, runs: LoadRuns, vectorCount: number): Promise<void> {
  const { keyspace, readTable, writeTable, definition } = benchmarkTable;
  await sendCommand(server.port, '/v1', { createKeyspace: { name: keyspace } });
  const path = `/v1/${keyspace}`;
  for (const name of [readTable, writeTable])
    await sendCommand(server.port, path, { createTable: { name, definition } });
  const { name, index } = vectorTable;
  await sendCommand(server.port, path, { createTable: { name, definition: vectorTable.definition } });
  await sendCommand(server.port, `${path}/${name}`, { createVectorIndex: index });
  await runs.fill(server, 'fill');
  await runs.fill(server, 'fillVectors', Math.ceil(vectorCount / rowsPerInsertMany) * rowsPerInsertMany);
}

/** The runs behind the figures. */
class ServingRuns {
  readonly #node: CassandraNode;
  readonly #server: ServerProcess;
  readonly #reference: ServerProcess;
  readonly #gateway: ServerProcess;
  readonly #runs: LoadRuns;
  readonly #notes: string[] = [];

  constructor(parts: {
    readonly node: CassandraNode;
    readonly server: ServerProcess;
    /** The bare HTTP server. */
    readonly reference: ServerProcess;
    /** A bare HTTP server that sends the statements by the bare driver. */
    readonly gateway: ServerProcess;
    readonly runs: LoadRuns;
  }) {
    this.#node = parts.node;
    this.#server = parts.server;
    this.#reference = parts.reference;
    this.#gateway = parts.gateway;
    this.#runs = parts.runs;
  }

  async measure(): Promise<CassandraReport> {
    for (const request of ['insertOne', 'findOne', 'searchVectors'] as const) {
      await this.#bare(request, connections, warmSeconds);
      await this.#ours(this.#server, request, connections, warmSeconds);
      if (request !== 'searchVectors') await this.#ours(this.#gateway, request, connections, warmSeconds);
    }
    const figures = [
      ...(await this.#throughput('insertOne', 'insertOne')),
      ...(await this.#throughput('findOne', 'findOne by key')),
      ...(await this.#throughput('searchVectors', 'ANN limit 10')),
      await this.#addedLatency('insertOne', 'insertOne'),
      await this.#addedLatency('findOne', 'findOne by key'),
    ];
    const memory: Figure = {
      name: 'memory of the process behind all of it',
      value: this.#server.residentMb(),
      unit: 'MB',
      target: atMost(200),
    };
    if (this.#runs.errorCount > 0) this.#notes.push(`${this.#runs.errorCount} requests failed`);
    return { figures: [...figures, memory], notes: this.#notes };
  }

  /** Operations a second beside the bare driver's, and processor time beside that of the bare HTTP server. */
  async #throughput(request: ServedRequest, name: string): Promise<readonly Figure[]> {
    const rounds = await this.#runs.repeat(async () => {
      const bare = await this.#bare(request, connections);
      const ours = await this.#ours(this.#server, request, connections);
      if (request === 'searchVectors') return { bare, ours };
      const gateway = await this.#ours(this.#gateway, request, connections);
      const http = await this.#ours(this.#reference, request, connections);
      return { bare, ours, gateway, http };
    });
    const rates = rounds.map(({ bare, ours }) =>
      pairOf(bare, ours, ({ report }) => report.requestsPerSecond),
    );
    const costs = rounds.flatMap(({ ours, http }) =>
      http === undefined ? [] : [pairOf(http, ours, ({ costUs }) => costUs)],
    );
    const gateways = rounds.flatMap(({ bare, gateway }) =>
      gateway === undefined ? [] : [pairOf(bare, gateway, ({ report }) => report.requestsPerSecond)],
    );
    this.#note(name);
    const throughput: Figure = {
      ...{ name: `${name}, ${connections} connections, against the bare driver`, unit: '/s' },
      ...medianPair(rates),
      target: atLeast(0.55),
    };
    if (costs.length === 0) return [throughput];
    const best = medianPair(gateways);
    this.#notes.push(
      `${name} by a bare HTTP server in front of the driver: ${Math.round(best.value)}/s, ` +
        `${(best.value / best.reference).toFixed(2)} of the bare driver.`,
    );
    const cost: Figure = {
      ...{ name: `processor time for ${name}, against a bare HTTP request`, unit: 'µs' },
      ...medianPair(costs),
      target: atMost(5),
    };
    return [throughput, cost];
  }

  /** The median of one connection, less that of the bare driver. */
  async #addedLatency(request: ServedRequest, name: string): Promise<Figure> {
    const rounds = await this.#runs.repeat(async () => {
      const bare = (await this.#bare(request, 1)).report.p50Ms;
      return { bare, ours: (await this.#ours(this.#server, request, 1)).report.p50Ms };
    });
    const sorted = rounds.map(({ bare, ours }) => ours - bare).sort((one, other) => one - other);
    const value = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
    const medians = rounds.map(({ bare, ours }) => `${ours.toFixed(2)} and ${bare.toFixed(2)}`).join(', ');
    this.#notes.push(`${name} on one connection, medians of each round, ours and bare, in ms: ${medians}.`);
    this.#note(name);
    return { name: `median added to ${name}, one connection`, value, unit: 'ms', target: atMost(0.35) };
  }

  async #bare(request: ServedRequest, concurrency: number, seconds = this.#seconds): Promise<Run> {
    const { address, nativePort: port } = this.#node.place;
    const plan: BareDriverPlan = { address, port, request, concurrency, seconds, rowCount };
    const report = await runScript<LoadReport>('cassandra-runs/bare-driver-load.js', plan);
    if (report.errors > 0) throw new Error(`${report.errors} statements of the bare driver failed`);
    console.log(`${request} by the bare driver, ${concurrency}: ${Math.round(report.requestsPerSecond)}/s`);
    return { report, costUs: Number.NaN };
  }

  async #ours(
    to: ServerProcess,
    request: ServedRequest,
    count: number,
    seconds = this.#seconds,
  ): Promise<Run> {
    const before = to.cpuSeconds();
    const report = await this.#runs.load(to, { request, connections: count, seconds });
    return { report, costUs: ((to.cpuSeconds() - before) * 1e6) / Math.max(1, report.requests) };
  }

  /** What else ran meanwhile shows in the load. */
  #note(name: string): void {
    this.#notes.push(`Load of the machine behind ${name}: ${loadavg()[0]?.toFixed(1)}.`);
  }

  get #seconds(): number {
    return this.#runs.settings.seconds;
  }
}

function pairOf(reference: Run, ours: Run, take: (run: Run) => number): Pair {
  return { reference: take(reference), value: take(ours) };
}
