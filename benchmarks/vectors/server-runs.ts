// What the index is measured by through the built server: searches over HTTP, filters in SQL, a start with many rows.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { runScript, type ServerProcess, startServer } from '../child-process.js';
import { type Figure, medianPair } from '../figures.js';
import { type HttpConnection, openConnection, type RawReply, requestBytes } from '../http-connection.js';
import { undisturbed } from '../undisturbed.js';
import { exactNeighbours, type OurIndex } from './contenders.js';
import type { EnginePlan, EngineReport } from './engine-run.js';
import type { Settings } from './index-runs.js';
import { limit, ratesOf } from './measure.js';
import { type VectorData, vectorAt } from './vector-data.js';

const lanes = 16;
const rowsPerInsert = 100;
/** What the engine searches with for ten rows. */
const servedBreadth = 80;
const keyspace = '/v1/default_keyspace';
const tableName = 'vectors';
const table = `${keyspace}/${tableName}`;
/** What a server needs until its code is compiled. */
const warmSeconds = 5;

/** A client with some connections. */
class Client {
  readonly #connections: readonly HttpConnection[];
  readonly #waiting: ((reply: RawReply) => void)[];

  private constructor(connections: readonly HttpConnection[], waiting: ((reply: RawReply) => void)[]) {
    this.#connections = connections;
    this.#waiting = waiting;
  }

  static async open(port: number): Promise<Client> {
    const waiting: ((reply: RawReply) => void)[] = [];
    const fail = (error: Error) => {
      throw error;
    };
    const connections = await Promise.all(
      Array.from({ length: lanes }, (_, lane) =>
        openConnection(port, (reply) => waiting[lane]?.(reply), fail),
      ),
    );
    return new Client(connections, waiting);
  }

  /** One request at a time on each lane. */
  async send(lane: number, path: string, body: string): Promise<string> {
    const reply = await this.sendBytes(lane, requestBytes(path, body));
    return reply.body();
  }

  /** Sends a request that is ready. */
  async sendBytes(lane: number, request: Uint8Array): Promise<RawReply> {
    const reply = await new Promise<RawReply>((resolve) => {
      this.#waiting[lane] = resolve;
      this.#connections[lane]?.sendBytes(request);
    });
    if (!reply.isSuccess) throw new Error(reply.body());
    return reply;
  }

  /** Does `work` on every lane, again and again, until it says that there is no more. */
  async onEveryLane(work: (lane: number) => Promise<boolean>): Promise<void> {
    const run = async (lane: number) => {
      while (await work(lane)) {}
    };
    await Promise.all(Array.from({ length: lanes }, (_, lane) => run(lane)));
  }

  close(): void {
    for (const connection of this.#connections) connection.close();
  }
}

/** Measures the built server. */
export async function measureServer(
  ours: OurIndex,
  data: VectorData,
  settings: Settings,
): Promise<readonly Figure[]> {
  const parent = mkdtempSync(join(tmpdir(), 'colonnade-bench-vectors-'));
  const [directory, copy] = [join(parent, 'served'), join(parent, 'in-process')];
  const queriesPath = join(parent, 'queries');
  const entry = fileURLToPath(new URL('../../server/colonnade.js', import.meta.url));
  const start = () =>
    startServer(entry, ['serve', '--port', '0', '--ops-port', '0', '--data-dir', directory]);
  let server = await start();
  try {
    await withClient(server.port, (client) => fill(client, data));
    await untilLinked(server.port, data);
    const bodies = bodiesOf(data, binaryOf);
    const truth = exactNeighbours(data, 200, limit);
    const recall = await withClient(server.port, (client) => servedRecall(client, bodies, truth));
    console.log(`recall over HTTP ${recall}`);
    await server.stop();
    // A data directory belongs to one process.
    cpSync(directory, copy, { recursive: true });
    writeFileSync(queriesPath, data.queries);
    server = await start();
    const reopenedMs = server.startToReadyMs;
    const { dimension } = data;
    const seconds = settings.seconds * 3;
    const engine = {
      dataDirectory: copy,
      tableName,
      queriesPath,
      dimension,
      limit,
      lanes,
      warmSeconds,
      seconds,
    };
    const rates = await measureRates(server, { ours, data, engine, settings });
    const memory = server.residentMb();
    return [
      ...rates,
      { name: 'recall over HTTP', value: recall, unit: '', target: { kind: 'atLeast', limit: 0.98 } },
      {
        name: 'start to ready with all rows',
        value: reopenedMs,
        unit: 'ms',
        target: { kind: 'atMost', limit: 1000 },
      },
      {
        name: 'memory of the server',
        value: memory,
        unit: 'MB',
        target: { kind: 'atMost', limit: Number.POSITIVE_INFINITY },
      },
    ];
  } finally {
    await server.stop();
    rmSync(parent, { recursive: true, force: true });
  }
}

interface Searches {
  readonly ours: OurIndex;
  readonly data: VectorData;
  /** Makes these searches without HTTP. */
  readonly engine: EnginePlan;
  readonly settings: Settings;
}

/** Searches a second. */
interface Rates {
  /** Over HTTP, the query as the official clients send the vectors that they make. */
  readonly binary: number;
  /** Over HTTP, the query as an array of numbers. */
  readonly numbers: number;
  /** By the engine, in a process that serves nobody. */
  readonly engine: number;
  /** By one thread that does nothing but walk through the graph. */
  readonly index: number;
  /** The time of the server's processors, over HTTP as `binary`. */
  readonly serverMicroseconds: number;
}

/** All ways in turn, with the same breadth. */
async function measureRates(
  server: ServerProcess,
  { ours, data, engine, settings: { rounds: wanted } }: Searches,
): Promise<readonly Figure[]> {
  const { seconds } = engine;
  const [binary, numbers] = [bodiesOf(data, binaryOf), bodiesOf(data, numbersOf)];
  const overHttp = (bodies: readonly string[], forSeconds: number) =>
    withClient(server.port, (client) => searchRate(client, bodies, forSeconds));
  for (const bodies of [numbers, binary]) await overHttp(bodies, warmSeconds);
  const searchIndex = (run: number) => {
    const query = vectorAt(data.queries, data.dimension, run % data.queryCount);
    ours.index.search(query, { limit, breadth: servedBreadth });
  };
  const rounds: Rates[] = [];
  const measureRound = async (): Promise<Rates> => {
    const startSeconds = server.cpuSeconds();
    const rate = await overHttp(binary, seconds);
    const usedSeconds = server.cpuSeconds() - startSeconds;
    return {
      binary: rate,
      numbers: await overHttp(numbers, seconds),
      engine: (await runScript<EngineReport>('vectors/engine-run.js', engine)).searchesPerSecond,
      index: ratesOf([searchIndex], 1, seconds)[0] ?? 0,
      serverMicroseconds: (usedSeconds / (rate * seconds)) * 1e6,
    };
  };
  while (rounds.length < wanted) rounds.push(await undisturbed(measureRound));
  const against = (value: 'binary' | 'numbers', reference: 'engine' | 'index') =>
    medianPair(rounds.map((rates) => ({ value: rates[value], reference: rates[reference] })));
  const figure = { unit: '/s', target: { kind: 'atLeast', limit: 0.7 } } as const;
  return [
    { name: 'searches over HTTP, against the engine in-process', ...against('binary', 'engine'), ...figure },
    { name: 'the same, queries as arrays of numbers', ...against('numbers', 'engine'), ...figure },
    {
      name: "searches over HTTP, against the index alone (by the processor's time)",
      ...against('binary', 'index'),
      ...figure,
    },
    {
      name: 'processor time of the server for a search, against the index alone',
      ...medianPair(
        rounds.map(({ serverMicroseconds: value, index }) => ({ value, reference: 1e6 / index })),
      ),
      unit: 'µs',
      target: { kind: 'atMost', limit: Number.POSITIVE_INFINITY },
    },
  ];
}

async function fill(client: Client, data: VectorData): Promise<void> {
  const columns = { id: 'int', v: { type: 'vector', dimension: data.dimension } };
  const definition = { columns, primaryKey: 'id' };
  await client.send(0, keyspace, JSON.stringify({ createTable: { name: tableName, definition } }));
  await client.send(
    0,
    table,
    JSON.stringify({ createVectorIndex: { name: 'by_v', definition: { column: 'v' } } }),
  );
  let next = 0;
  await client.onEveryLane(async (lane) => {
    if (next >= data.rowCount) return false;
    const from = next;
    next += rowsPerInsert;
    const documents = Array.from({ length: Math.min(rowsPerInsert, data.rowCount - from) }, (_, at) => ({
      id: from + at,
      v: binaryOf(vectorAt(data.rows, data.dimension, from + at)),
    }));
    await client.send(
      lane,
      table,
      JSON.stringify({ insertMany: { documents, options: { ordered: false } } }),
    );
    return true;
  });
}

/** Waits until searches are no faster after a while than before: all rows are linked. */
async function untilLinked(port: number, data: VectorData): Promise<void> {
  const body = findBody(data, 0, binaryOf);
  let before = Number.POSITIVE_INFINITY;
  for (;;) {
    const startMs = performance.now();
    await withClient(port, async (client) => {
      for (let i = 0; i < 20; i += 1) await client.send(0, table, body);
    });
    const elapsedMs = performance.now() - startMs;
    if (elapsedMs > before * 0.8 && elapsedMs < 100) return;
    before = elapsedMs;
    await sleep(5000);
  }
}

/** The server closes connections that rest: each use has its own. */
async function withClient<Result>(port: number, use: (client: Client) => Promise<Result>): Promise<Result> {
  const client = await Client.open(port);
  try {
    return await use(client);
  } finally {
    client.close();
  }
}

function bodiesOf(data: VectorData, write: (vector: Float32Array) => unknown): readonly string[] {
  return Array.from({ length: data.queryCount }, (_, query) => findBody(data, query, write));
}

function findBody(data: VectorData, query: number, write: (vector: Float32Array) => unknown): string {
  const v = write(vectorAt(data.queries, data.dimension, query));
  return JSON.stringify({ find: { sort: { v }, projection: { id: true }, options: { limit } } });
}

async function servedRecall(
  client: Client,
  bodies: readonly string[],
  truth: readonly ReadonlySet<number>[],
): Promise<number> {
  let hits = 0;
  for (const [query, neighbours] of truth.entries()) {
    const reply = JSON.parse(await client.send(0, table, bodies[query] ?? '')) as {
      readonly data: { readonly documents: readonly { readonly id: number }[] };
    };
    for (const { id } of reply.data.documents) if (neighbours.has(id)) hits += 1;
  }
  return hits / truth.length / limit;
}

async function searchRate(client: Client, bodies: readonly string[], seconds: number): Promise<number> {
  const requests = bodies.map((body) => requestBytes(table, body));
  const startMs = performance.now();
  let searches = 0;
  await client.onEveryLane(async (lane) => {
    searches += 1;
    await client.sendBytes(lane, requests[searches % requests.length] ?? new Uint8Array());
    return performance.now() - startMs < seconds * 1000;
  });
  return (searches / (performance.now() - startMs)) * 1000;
}

function numbersOf(vector: Float32Array): readonly number[] {
  return [...vector];
}

function binaryOf(vector: Float32Array): { readonly $binary: string } {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [at, value] of vector.entries()) bytes.writeFloatBE(value, at * 4);
  return { $binary: bytes.toString('base64') };
}
