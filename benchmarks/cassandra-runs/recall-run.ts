// How many of the truly nearest rows a search finds: over HTTP, and by the bare driver with the same statement.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import driver from 'cassandra-driver';
import type { CassandraNode } from '../../tools/start-cassandra/start-cassandra.js';
import { sendCommand } from '../bench-servers.js';
import { type ServerProcess, startServer } from '../child-process.js';
import { type Figure, median } from '../figures.js';
import { atLeast } from '../load-runs.js';
import { serverEntry } from '../ops-measurement.js';
import { vectorBytes } from '../vector-requests.js';
import { makeVectors, type VectorData, vectorAt } from '../vectors/vector-data.js';
import { type CassandraMeasurement, engineArgs, withRealNode } from './cassandra-measurement.js';

const keyspace = 'default_keyspace';
const name = 'bench_recall';
const [dimension, queryCount, limit] = [384, 200, 10];
/** Rows of one part are one in so many. */
const parts = 50;
const rowsPerInsert = 100;
const insertsAtATime = 4;

const definition = {
  columns: { id: 'int', part: 'int', v: { type: 'vector', dimension } },
  primaryKey: 'id',
} as const;
const indexes = [
  { createVectorIndex: { name: `${name}_v`, definition: { column: 'v', options: { metric: 'cosine' } } } },
  { createIndex: { name: `${name}_part`, definition: { column: 'part' } } },
] as const;

/** The ids of the rows that a search finds, with those of one part alone where one is given. */
type Search = (query: Float32Array, part: number | undefined) => Promise<readonly number[]>;

/** The share of the ten nearest rows among the ten found, with rows in memory and in files. */
export const measureRecall: CassandraMeasurement = ({ directory, vectors }) =>
  withRealNode(join(directory, 'node'), async (node, cluster) => {
    const dataDirectory = join(directory, 'data');
    mkdirSync(dataDirectory, { recursive: true });
    const server = await startServer(serverEntry, engineArgs(node, dataDirectory));
    const client = newClient(node);
    try {
      const data = makeVectors(vectors, dimension, queryCount);
      await fill(server, data);
      const searches = { ours: searchByHttp(server), bare: searchByDriver(client) };
      const runs: Run[] = [];
      for (const place of ['in memory', 'in files'] as const) {
        if (place === 'in files') await cluster.runNodetool(node, 'flush', keyspace, name);
        for (const isFiltered of [false, true]) {
          const what = `${isFiltered ? `one row in ${parts}` : 'all rows'}, ${place}`;
          runs.push(await compare(searches, data, isFiltered, what));
        }
      }
      return { figures: runs.map(({ figure }) => figure), notes: runs.map(({ note }) => note) };
    } finally {
      await client.shutdown();
      await server.stop();
    }
  });

interface Run {
  readonly figure: Figure;
  readonly note: string;
}

function newClient({ place }: CassandraNode): driver.Client {
  return new driver.Client({
    contactPoints: [place.address],
    protocolOptions: { port: place.nativePort },
    localDataCenter: 'datacenter1',
  });
}

async function fill(server: ServerProcess, { rows, rowCount }: VectorData): Promise<void> {
  const path = `/v1/${keyspace}`;
  await sendCommand(server.port, '/v1', { createKeyspace: { name: keyspace } });
  await sendCommand(server.port, path, { createTable: { name, definition } });
  for (const index of indexes) await sendCommand(server.port, `${path}/${name}`, index);
  let next = 0;
  const insertOn = async () => {
    while (next < rowCount) {
      const first = next;
      next += rowsPerInsert;
      const documents = Array.from({ length: Math.min(rowsPerInsert, rowCount - first) }, (_, at) => {
        const id = first + at;
        return { id, part: id % parts, v: binaryOf(vectorAt(rows, dimension, id)) };
      });
      await sendCommand(server.port, `${path}/${name}`, { insertMany: { documents } });
    }
  };
  await Promise.all(Array.from({ length: insertsAtATime }, insertOn));
}

function searchByHttp({ port }: ServerProcess): Search {
  return async (query, part) => {
    const find = {
      ...(part === undefined ? {} : { filter: { part } }),
      sort: { v: binaryOf(query) },
      projection: { id: true },
      options: { limit },
    };
    const reply = await fetch(`http://127.0.0.1:${port}/v1/${keyspace}/${name}`, {
      method: 'POST',
      headers: { token: 'benchmark', 'content-type': 'application/json' },
      body: JSON.stringify({ find }),
    });
    const text = await reply.text();
    const body: { readonly data?: { readonly documents: readonly { readonly id: number }[] } } =
      JSON.parse(text);
    if (body.data === undefined) throw new Error(text);
    return body.data.documents.map(({ id }) => id);
  };
}

function searchByDriver(client: driver.Client): Search {
  const consistency = driver.types.consistencies.localOne;
  return async (query, part) => {
    const where = part === undefined ? '' : ' WHERE "part" = ?';
    const cql = `SELECT "id", "v" FROM "${keyspace}"."${name}"${where} ORDER BY "v" ANN OF ? LIMIT ?`;
    const values = [...(part === undefined ? [] : [part]), vectorBytes(query), limit];
    const { rows } = await client.execute(cql, values, { prepare: true, consistency, fetchSize: limit });
    return rows.map((row) => row['id']);
  };
}

async function compare(
  { ours, bare }: { readonly ours: Search; readonly bare: Search },
  data: VectorData,
  isFiltered: boolean,
  what: string,
): Promise<Run> {
  const found = { ours: 0, bare: 0 };
  const took = { ours: [] as number[], bare: [] as number[] };
  for (let place = 0; place < queryCount; place += 1) {
    const query = vectorAt(data.queries, dimension, place);
    const part = isFiltered ? place % parts : undefined;
    const nearest = nearestRows(data, query, part);
    for (const [side, search] of [
      ['bare', bare],
      ['ours', ours],
    ] as const) {
      const startMs = performance.now();
      const ids = await search(query, part);
      took[side].push(performance.now() - startMs);
      found[side] += ids.filter((id) => nearest.has(id)).length;
    }
  }
  const recall = (side: 'ours' | 'bare') => found[side] / (queryCount * limit);
  const ms = (side: 'ours' | 'bare') => `${median(took[side]).toFixed(1)} ms`;
  return {
    figure: {
      name: `recall@${limit} of ${what}, against the bare driver`,
      ...{ value: recall('ours'), reference: recall('bare'), unit: '', target: atLeast(1) },
    },
    note: `${what}: recall ${recall('ours').toFixed(4)}, bare ${recall('bare').toFixed(4)}; p50 ${ms('ours')}, bare ${ms('bare')}.`,
  };
}

/** By comparing all rows, whose vectors have length 1. */
function nearestRows({ rows, rowCount }: VectorData, query: Float32Array, part: number | undefined) {
  const scored: { readonly id: number; readonly score: number }[] = [];
  for (let id = part ?? 0; id < rowCount; id += part === undefined ? 1 : parts) {
    let score = 0;
    for (const [at, element] of vectorAt(rows, dimension, id).entries()) score += element * (query[at] ?? 0);
    scored.push({ id, score });
  }
  scored.sort((one, other) => other.score - one.score);
  return new Set(scored.slice(0, limit).map(({ id }) => id));
}

function binaryOf(vector: Float32Array) {
  return { $binary: vectorBytes(vector).toString('base64') };
}
