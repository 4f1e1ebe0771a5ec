// Opens a connection every few milliseconds, sends one request on it, and reports how long the replies took.
import { openConnection } from './http-connection.js';
import { createLatencyHistogram } from './latency-histogram.js';
import type { NewConnectionsPlan, NewConnectionsReport } from './load-plan.js';
import { requestKinds } from './request-kinds.js';

async function run(plan: NewConnectionsPlan): Promise<NewConnectionsReport> {
  const { port, seconds, rowCount, ratePerSecond, request } = plan;
  const source = requestKinds[request]({ connection: 0, connections: 1, rowCount });
  const latencies = createLatencyHistogram();
  const endMs = performance.now() + seconds * 1000;
  const asked: Promise<void>[] = [];
  let maxMs = 0;
  let errors = 0;
  const ask = async (): Promise<void> => {
    const startMs = performance.now();
    const elapsedMs = await new Promise<number>((resolve, reject) => {
      const opening = openConnection(
        port,
        ({ isSuccess }) => {
          if (!isSuccess) errors += 1;
          resolve(performance.now() - startMs);
          opening.then((connection) => connection.close(), reject);
        },
        reject,
      );
      opening.then(
        (connection) =>
          connection.send(typeof source.path === 'string' ? source.path : source.path(), source.next()),
        reject,
      );
    });
    maxMs = Math.max(maxMs, elapsedMs);
    latencies.record(elapsedMs * 1000);
  };
  while (performance.now() < endMs) {
    asked.push(
      ask().catch((error: Error) => {
        errors += 1;
        console.error(error.message);
      }),
    );
    await new Promise((resolve) => setTimeout(resolve, 1000 / ratePerSecond));
  }
  await Promise.all(asked);
  return {
    connections: asked.length,
    p50Ms: latencies.percentileMs(0.5),
    p99Ms: latencies.percentileMs(0.99),
    maxMs,
    errors,
  };
}

// The plan is our own, written by load-runs.ts.
const plan = JSON.parse(process.argv[2] ?? '') as NewConnectionsPlan;
console.log(JSON.stringify(await run(plan)));
process.exit(0);
