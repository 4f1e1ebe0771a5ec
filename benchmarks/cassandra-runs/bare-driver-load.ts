// A process that sends the statements of our engine by the bare driver: the reference of `serving-run.ts` and
// `documents-run.ts`.
import { randomUUID } from 'node:crypto';
import driver from 'cassandra-driver';
import { createLatencyHistogram } from '../latency-histogram.js';
import type { LoadReport } from '../load-plan.js';
import { benchmarkTable, randomRow } from '../requests.js';
import { queryVectors, vectorBytes, vectorTable } from '../vector-requests.js';
import { type BareStatement, type DocumentRequest, documentStatement } from './bare-document-statements.js';

/** The requests on rows whose statements are compared. */
export type ServedRequest = 'insertOne' | 'findOne' | 'searchVectors';

/** One load; the argument, as JSON. */
export interface BareDriverPlan {
  readonly address: string;
  readonly port: number;
  readonly request: ServedRequest | DocumentRequest;
  /** Statements that wait for their result at a time. */
  readonly concurrency: number;
  readonly seconds: number;
  readonly rowCount: number;
}

const { keyspace, readTable, writeTable, definition } = benchmarkTable;
const names = Object.keys(definition.columns)
  .map((name) => `"${name}"`)
  .join(', ');
const { localQuorum, localOne } = driver.types.consistencies;

const statements: Readonly<Record<ServedRequest, (plan: BareDriverPlan) => BareStatement>> = {
  insertOne: () => ({
    cql: `INSERT INTO "${keyspace}"."${writeTable}" (${names}) VALUES (?, ?, ?, ?, ?, ?)`,
    values: () => {
      const { id, name, age, score, active, created } = randomRow(randomUUID());
      return [id, name, age, score, active, new Date(created)];
    },
    ...{ consistency: localQuorum, isConditional: false },
  }),
  findOne: ({ rowCount }) => ({
    cql: `SELECT ${names} FROM "${keyspace}"."${readTable}" WHERE "id" = ?`,
    values: () => [`row-${Math.floor(Math.random() * rowCount)}`],
    ...{ consistency: localQuorum, isConditional: false },
  }),
  searchVectors: () => {
    const queries = queryVectors().map(vectorBytes);
    const { name, limit } = vectorTable;
    return {
      cql: `SELECT "id", "title", "v" FROM "${keyspace}"."${name}" ORDER BY "v" ANN OF ? LIMIT ${limit}`,
      values: () => [queries[Math.floor(Math.random() * queries.length)]],
      ...{ consistency: localOne, isConditional: false },
    };
  },
};

const plan: BareDriverPlan = JSON.parse(process.argv[2] ?? ''); // the benchmark wrote it
console.log(JSON.stringify(await run()));
process.exit(0);

function isOfRows(request: BareDriverPlan['request']): request is ServedRequest {
  return Object.hasOwn(statements, request);
}

async function run(): Promise<LoadReport> {
  const client = new driver.Client({
    contactPoints: [plan.address],
    protocolOptions: { port: plan.port },
    localDataCenter: 'datacenter1',
    isMetadataSyncEnabled: true,
  });
  await client.connect();
  const latencies = createLatencyHistogram();
  const { request } = plan;
  const { cql, values, consistency, isConditional } = isOfRows(request)
    ? statements[request](plan)
    : await documentStatement(client, { request, rowCount: plan.rowCount });
  const counts = { done: 0, errors: 0 };
  const send = async () => {
    const startMs = performance.now();
    try {
      const options = { prepare: true, consistency, isIdempotent: !isConditional };
      const { rows } = await client.execute(cql, values(), options);
      if (isConditional && rows[0]?.['[applied]'] !== true)
        throw new Error('the statement was not carried out');
    } catch (error) {
      counts.errors += 1;
      if (counts.errors === 1) console.error(String(error));
    }
    latencies.record((performance.now() - startMs) * 1000);
    counts.done += 1;
  };
  await send(); // prepares
  const before = performance.eventLoopUtilization();
  const [startMs, doneBefore] = [performance.now(), counts.done];
  const endMs = startMs + plan.seconds * 1000;
  const sendOn = async () => {
    while (performance.now() < endMs) await send();
  };
  await Promise.all(Array.from({ length: plan.concurrency }, sendOn));
  const requests = counts.done - doneBefore;
  return {
    requests,
    requestsPerSecond: requests / ((performance.now() - startMs) / 1000),
    p50Ms: latencies.percentileMs(0.5),
    p99Ms: latencies.percentileMs(0.99),
    p999Ms: latencies.percentileMs(0.999),
    errors: counts.errors,
    generatorShare: performance.eventLoopUtilization(before).utilization,
  };
}
