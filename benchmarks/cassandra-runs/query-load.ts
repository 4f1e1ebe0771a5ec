// A process that writes and reads rows of a node as fast as it answers, until a message stops it.
import { openSession } from '../../src/foundation/cassandra/open-session.js';

/** What to load; the argument, as JSON. */
export interface QueryLoadPlan {
  readonly address: string;
  readonly port: number;
  /** Queries that wait at a time. */
  readonly concurrency: number;
  readonly firstId: number;
}

/** What was sent. */
export interface QueryLoadReport {
  readonly answered: number;
  readonly failed: number;
}

/** Another load has its ids elsewhere. */
const idsOfLoad = 1_000_000;
const timeoutMs = 10_000;

const plan: QueryLoadPlan = JSON.parse(process.argv[2] ?? ''); // the benchmark wrote it
const session = openSession({ contactPoints: [plan.address], port: plan.port, timeoutMs });
const problem = await session.connect();
if (problem !== undefined) throw new Error(problem);
let [answered, failed, isStopped, next] = [0, 0, false, 0];
process.once('message', () => {
  isStopped = true;
});
await Promise.all(Array.from({ length: plan.concurrency }, askOn));
process.send?.({ answered, failed } satisfies QueryLoadReport);
process.disconnect();
await session.close();

async function askOn(): Promise<void> {
  while (!isStopped) {
    const id = plan.firstId + (next++ % idsOfLoad);
    const cql =
      next % 2 === 0
        ? `INSERT INTO load.rows (id, name, note) VALUES (${id}, 'name of ${id}', '${'x'.repeat(200)}')`
        : `SELECT id, name, note FROM load.rows WHERE id = ${id}`;
    try {
      await session.query(cql, 10);
      answered += 1;
    } catch {
      failed += 1; // a node under such a load may be late; that is counted
    }
  }
}
