// The process that watches an overloaded server: its memory, its turns, small requests beside the load, kept writes.
import { createLatencyHistogram } from '../../benchmarks/latency-histogram.js';
import { DataClient } from './data-client.js';
import { RudeClient, requestHead } from './overload-client.js';
import { WriteLedger } from './overload-ledger.js';
import type { Latencies, ObserverPlan, ObserverRequest, Watched } from './overload-messages.js';
import { keyspace, smallRows } from './overload-tables.js';
import { TurnWatch } from './overload-turns.js';
import { residentMbOf } from './resident-memory.js';

const findEveryMs = 20;
const writeEveryMs = 50;
const connectEveryMs = 250;
const memoryEveryMs = 100;
const metricsEveryMs = 1000;
const connections = 32;
const shownFailures = 3;
const connectPatienceMs = 60_000;

// The plan is our own, written by the driver.
const plan = JSON.parse(process.argv[2] ?? '') as ObserverPlan;
const client = new DataClient(plan.url, connections);
const ledger = new WriteLedger();
const turns = new TurnWatch();

/** Latencies of requests that are due at their time, whether those before are answered or not. */
class LatencyWatch {
  readonly #histogram = createLatencyHistogram();
  readonly #underWay = new Set<number>();
  readonly #failures: string[] = [];
  #count = 0;
  #failed = 0;
  #maxMs = 0;

  /** `send` rejects, or gives what is wrong. */
  async take(dueMs: number, send: () => Promise<string | undefined>): Promise<void> {
    this.#underWay.add(dueMs);
    const failure = await send().catch((error: unknown) => String(error));
    this.#underWay.delete(dueMs);
    this.#record(dueMs);
    if (failure === undefined) return;
    this.#failed += 1;
    if (this.#failures.length < shownFailures) this.#failures.push(failure);
  }

  /** What still waits counts with what it has waited. */
  end(): Latencies {
    for (const dueMs of this.#underWay) this.#record(dueMs);
    const percentileMs = (share: number) => this.#histogram.percentileMs(share);
    return {
      count: this.#count,
      failed: this.#failed,
      p50Ms: percentileMs(0.5),
      p99Ms: percentileMs(0.99),
      maxMs: this.#maxMs,
      failures: this.#failures,
    };
  }

  #record(dueMs: number): void {
    const elapsedMs = performance.now() - dueMs;
    this.#count += 1;
    this.#maxMs = Math.max(this.#maxMs, elapsedMs);
    this.#histogram.record(elapsedMs * 1000);
  }
}

/** What is seen from `begin` to `end`. */
class Watch {
  readonly #findOne = new LatencyWatch();
  readonly #connect = new LatencyWatch();
  readonly #write = new LatencyWatch();
  readonly #timers: NodeJS.Timeout[];
  #maxResidentMb: number | undefined;
  #lastResidentMb: number | undefined;

  constructor() {
    turns.begin();
    this.#timers = [
      every(findEveryMs, (dueMs) => this.#findOne.take(dueMs, findSmall)),
      every(writeEveryMs, (dueMs) => this.#write.take(dueMs, () => ledger.write(client))),
      every(connectEveryMs, (dueMs) => this.#connect.take(dueMs, askOnNewConnection)),
      every(metricsEveryMs, () => turns.read(plan.opsUrl)),
      every(memoryEveryMs, async () => this.#readMemory()),
    ];
  }

  end(): Watched {
    for (const timer of this.#timers) clearInterval(timer);
    return {
      maxResidentMb: this.#maxResidentMb,
      lastResidentMb: this.#lastResidentMb,
      findOne: this.#findOne.end(),
      connect: this.#connect.end(),
      write: this.#write.end(),
      longestTurnMs: turns.longestMs('data'),
      longestOpsTurnMs: turns.longestMs('operations'),
      openConnections: turns.openConnections,
    };
  }

  #readMemory(): void {
    const resident = residentMbOf(plan.pid);
    if (resident === undefined) return;
    this.#lastResidentMb = resident;
    this.#maxResidentMb = Math.max(this.#maxResidentMb ?? 0, resident);
  }
}

let watch: Watch | undefined;
process.on('disconnect', () => process.exit());
process.on('message', (request: ObserverRequest) => {
  switch (request.kind) {
    case 'begin':
      watch = new Watch();
      break;
    case 'end':
      process.send?.(watch?.end());
      break;
    case 'check':
      void ledger.check(request.url).then((check) => process.send?.(check));
      break;
  }
});

/** Calls at fixed times from now on; a call that comes late counts from when it was due. */
function every(periodMs: number, call: (dueMs: number) => Promise<void>): NodeJS.Timeout {
  let dueMs = performance.now();
  return setInterval(() => {
    for (const nowMs = performance.now(); dueMs <= nowMs; dueMs += periodMs) void call(dueMs);
  }, periodMs);
}

async function findSmall(): Promise<string | undefined> {
  const id = Math.floor(Math.random() * smallRows);
  const { httpStatus, text } = await client.send(`${keyspace}/small`, { findOne: { filter: { id } } });
  return httpStatus === 200 && text.includes(`"row ${id}"`)
    ? undefined
    : `${httpStatus} ${text.slice(0, 300)}`;
}

async function askOnNewConnection(): Promise<string | undefined> {
  const connection = await RudeClient.connect(Number(new URL(plan.url).port));
  connection.write(requestHead({ method: 'GET', path: '/health/live' }, 0));
  const outcome = await connection.read(connectPatienceMs);
  connection.destroy();
  return outcome.kind === 'reply' && outcome.status === 200 ? undefined : JSON.stringify(outcome);
}
