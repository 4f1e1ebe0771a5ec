// Sends requests over many connections and reports rate and latencies, as a process of its own.
import { type HttpConnection, openConnection, type RawReply } from './http-connection.js';
import { createLatencyHistogram } from './latency-histogram.js';
import type { LoadPlan, LoadReport } from './load-plan.js';
import { requestKinds } from './request-kinds.js';
import type { RequestSource } from './request-source.js';

/** A connection, its requests, and when the one under way was due; `undefined` when it is idle. */
interface Lane {
  readonly source: RequestSource;
  readonly connection: HttpConnection;
  dueMs: number | undefined;
}

const maxShownErrors = 3;

/** One load, from its first connection to its report. */
class LoadRun {
  readonly #plan: LoadPlan;
  readonly #latencies = createLatencyHistogram();
  readonly #lanes: Lane[] = [];
  #sent = 0;
  #done = 0;
  #errors = 0;
  #finish = (): void => {};

  constructor(plan: LoadPlan) {
    this.#plan = plan;
  }

  async run(): Promise<LoadReport> {
    const finished = new Promise<void>((resolve) => {
      this.#finish = resolve;
    });
    for (let index = 0; index < this.#plan.connections; index += 1)
      this.#lanes.push(await this.#openLane(index));
    const before = performance.eventLoopUtilization();
    const startMs = performance.now();
    const timers = [setTimeout(() => this.#finish(), this.#plan.seconds * 1000)];
    if (this.#plan.ratePerSecond === undefined) {
      for (const lane of this.#lanes) this.#sendNext(lane, startMs);
    } else {
      timers.push(this.#sendAtRate(startMs, this.#plan.ratePerSecond));
    }
    await finished;
    const elapsedSeconds = (performance.now() - startMs) / 1000;
    for (const timer of timers) clearTimeout(timer); // ends an interval, too
    for (const { connection } of this.#lanes) connection.close();
    return {
      requests: this.#done,
      requestsPerSecond: this.#done / elapsedSeconds,
      p50Ms: this.#latencies.percentileMs(0.5),
      p99Ms: this.#latencies.percentileMs(0.99),
      p999Ms: this.#latencies.percentileMs(0.999),
      errors: this.#errors,
      generatorShare: performance.eventLoopUtilization(before).utilization,
    };
  }

  async #openLane(index: number): Promise<Lane> {
    const { connections, port, request, rowCount, place } = this.#plan;
    const source: RequestSource = requestKinds[request]({ connection: index, connections, rowCount, place });
    const connection = await openConnection(
      port,
      (reply) => this.#takeReply(index, reply),
      (error) => {
        this.#countError(error.message);
        this.#finish();
      },
    );
    return { source, connection, dueMs: undefined };
  }

  #sendNext(lane: Lane, dueMs: number): void {
    if (this.#sent >= (this.#plan.requests ?? Number.POSITIVE_INFINITY)) return;
    this.#sent += 1;
    lane.dueMs = dueMs;
    const { path, method } = lane.source;
    const body = lane.source.next();
    lane.connection.send(typeof path === 'string' ? path : path(), body, method);
  }

  #takeReply(index: number, reply: RawReply): void {
    const lane = this.#lanes[index];
    if (lane?.dueMs === undefined) throw new Error('a reply that nobody waits for');
    const nowMs = performance.now();
    this.#latencies.record((nowMs - lane.dueMs) * 1000);
    lane.dueMs = undefined;
    this.#done += 1;
    if (reply.isSuccess) lane.source.onReply?.(reply.body());
    else this.#countError(reply.body());
    if (this.#done >= (this.#plan.requests ?? Number.POSITIVE_INFINITY)) this.#finish();
    else if (this.#plan.ratePerSecond === undefined) this.#sendNext(lane, nowMs);
  }

  /** Latency counts from the moment a request was due: a server that stalls cannot hide what waited for it. */
  #sendAtRate(startMs: number, ratePerSecond: number): NodeJS.Timeout {
    let count = 0;
    return setInterval(() => {
      const nowMs = performance.now();
      for (const lane of this.#lanes) {
        const dueMs = startMs + (count / ratePerSecond) * 1000;
        if (dueMs > nowMs) return;
        if (lane.dueMs !== undefined) continue;
        count += 1;
        this.#sendNext(lane, dueMs);
      }
    }, 1);
  }

  #countError(text: string): void {
    this.#errors += 1;
    if (this.#errors <= maxShownErrors) console.error(`${this.#plan.request} failed: ${text.slice(0, 400)}`);
  }
}

// The plan is our own, written by child-process.ts.
const plan = JSON.parse(process.argv[2] ?? '') as LoadPlan;
console.log(JSON.stringify(await new LoadRun(plan).run()));
process.exit(0);
