// A process that searches with the engine itself, without HTTP, and reports how many searches it did.
import { readFileSync } from 'node:fs';
import { openEmbeddedEngine } from '../../src/data-service/engine/embedded/embedded-engine.js';
import { finishRead } from '../../src/data-service/query/read.js';
import { parseReadRequest, planRead, searchPage } from '../../src/data-service/query/read-request.js';
import { JsonNumber } from '../../src/foundation/json/json-value.js';
import { systemClock } from '../../src/foundation/telemetry/clock.js';

/** The settings of a run. */
export interface EnginePlan {
  /** A data directory with a linked index of the column `v` of a table in `default_keyspace`. */
  readonly dataDirectory: string;
  readonly tableName: string;
  /** A file of the queries' floats, one after the other. */
  readonly queriesPath: string;
  readonly dimension: number;
  readonly limit: number;
  /** Searches at the same time. */
  readonly lanes: number;
  readonly warmSeconds: number;
  readonly seconds: number;
}

/** The result of a run. */
export interface EngineReport {
  readonly searchesPerSecond: number;
}

const plan = JSON.parse(process.argv[2] ?? '{}') as EnginePlan; // the benchmark's own
const { dataDirectory, tableName, queriesPath, dimension, limit, lanes, warmSeconds, seconds } = plan;
const engine = await openEmbeddedEngine({
  dataDirectory,
  clock: systemClock,
  readTimeoutMs: 60_000,
  onFatal: (error) => {
    throw error;
  },
  onVectorSearch: (by) => {
    if (by === 'index') return;
    throw new Error('the index was not ready'); // comparisons of every row would be measured
  },
});
const table = (await engine.readSchema()).keyspaces.get('default_keyspace')?.tables.get(tableName);
if (table === undefined) throw new Error(`there is no table ${tableName}`);
const bytes = readFileSync(queriesPath);
const queries = Array.from({ length: bytes.length / dimension / 4 }, (_, query) => {
  const floats = new Float32Array(bytes.buffer, bytes.byteOffset + query * dimension * 4, dimension);
  const vector = [...floats].map((float) => new JsonNumber(String(float)));
  const clauses = { sort: new Map([['v', vector]]), projection: new Map([['id', true]]), limit };
  const request = parseReadRequest({ filter: undefined, ...clauses }, table);
  return planRead(request, searchPage(limit));
});

let searches = 0;
async function search(forSeconds: number): Promise<number> {
  const startMs = performance.now();
  searches = 0;
  const lane = async () => {
    while (performance.now() - startMs < forSeconds * 1000) {
      searches += 1;
      const query = queries[searches % queries.length];
      if (query !== undefined) await finishRead(query, await engine.readRows(query));
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return (searches / (performance.now() - startMs)) * 1000;
}

await search(warmSeconds);
console.log(JSON.stringify({ searchesPerSecond: await search(seconds) } satisfies EngineReport));
await engine.close();
