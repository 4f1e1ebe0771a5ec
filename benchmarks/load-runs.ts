// Runs loads against servers and adds up what failed: what all benchmarks have in common.
import { runLoad, runScript, type ServerProcess } from './child-process.js';
import { type Figure, medianPair, type Pair } from './figures.js';
import type { LoadPlan, LoadReport, NewConnectionsPlan, NewConnectionsReport } from './load-plan.js';
import type { RawSqlitePlan, RawSqliteReport, RawTableName } from './raw-sqlite.js';
import type { RequestKind } from './request-kinds.js';
import { rowsPerInsertMany } from './request-source.js';
import { undisturbed } from './undisturbed.js';

/** How long one run takes, how many runs a figure has, and the size of the read table. */
export interface RunSettings {
  readonly seconds: number;
  readonly rounds: number;
  readonly rowCount: number;
}

/** A load with what is not as the settings say. */
export type PartialPlan = Omit<LoadPlan, 'port' | 'rowCount' | 'seconds'> &
  Partial<Pick<LoadPlan, 'seconds' | 'rowCount'>>;

const rowsPerRawGroup = 800;
/** Filling and paging end when they are done; this bounds a server that is far too slow. */
export const maxWholeTableSeconds = 180;

const newConnectionsPerSecond = 20;

/** The runs of one benchmark; each load is a process of its own. */
export class LoadRuns {
  readonly settings: RunSettings;
  #errorCount = 0;

  constructor(settings: RunSettings) {
    this.settings = settings;
  }

  /** Failed requests so far, of all runs. */
  get errorCount(): number {
    return this.#errorCount;
  }

  /** Fills a table with rows, by requests of this kind. */
  async fill(server: ServerProcess, request: RequestKind, rowCount = this.settings.rowCount): Promise<void> {
    const requests = rowCount / rowsPerInsertMany;
    const plan = { request, connections: 16, requests, rowCount, seconds: maxWholeTableSeconds } as const;
    const report = await this.load(server, plan);
    if (report.requests < requests)
      throw new Error(`the table could not be filled in ${maxWholeTableSeconds} s`);
  }

  /** Runs a load and says what came of it; `costUs`: processor time of the server for a request. */
  async load(server: ServerProcess, plan: PartialPlan): Promise<LoadReport & { readonly costUs: number }> {
    const { seconds, rowCount } = this.settings;
    const before = server.cpuSeconds();
    const report = await runLoad({ seconds, rowCount, ...plan, port: server.port });
    this.#errorCount += report.errors;
    const rate = `${Math.round(report.requestsPerSecond)}/s, p99 ${report.p99Ms.toFixed(2)} ms`;
    const shares = `${report.errors} errors, generator ${Math.round(report.generatorShare * 100)} % busy`;
    // Says more than the rate where other work runs on the machine; of everything that meets the server meanwhile.
    const costUs = ((server.cpuSeconds() - before) * 1e6) / Math.max(1, report.requests);
    const cost = `${costUs.toPrecision(3)} µs of processor time a request`;
    console.log(`${plan.request}, ${plan.connections} connections: ${rate}, ${shares}, ${cost}`);
    return { ...report, costUs };
  }

  /** Opens connections one after another while the run lasts, and says how long their first replies took. */
  async newConnections(
    server: ServerProcess,
    request: RequestKind,
    rowCount = this.settings.rowCount,
  ): Promise<NewConnectionsReport> {
    const { seconds } = this.settings;
    const plan: NewConnectionsPlan = {
      port: server.port,
      request,
      seconds,
      ratePerSecond: newConnectionsPerSecond,
      rowCount,
    };
    const report = await runScript<NewConnectionsReport>('new-connections.js', plan);
    this.#errorCount += report.errors;
    const { connections, p50Ms, p99Ms, maxMs } = report;
    const latencies = [p50Ms, p99Ms, maxMs].map((ms) => ms.toFixed(1)).join(', ');
    console.log(`${connections} new connections: p50, p99 and longest ${latencies} ms to the first reply`);
    return report;
  }

  /** Rows a second of SQLite alone, in groups as large as the writer's, into a table that has so many rows already. */
  async rawRowsPerSecond(table: RawTableName, rowsBefore: number): Promise<number> {
    const { seconds } = this.settings;
    const plan: RawSqlitePlan = { table, rowsBefore, seconds, rowsPerGroup: rowsPerRawGroup };
    const { rowsPerSecond } = await runScript<RawSqliteReport>('raw-sqlite.js', plan);
    console.log(`SQLite alone, ${rowsBefore} rows before: ${Math.round(rowsPerSecond)} rows/s`);
    return rowsPerSecond;
  }

  /** Both in turn, again and again; gives the pair with the median ratio. */
  async alternate(runReference: () => Promise<number>, runServer: () => Promise<number>): Promise<Pair> {
    return medianPair(
      await this.repeat(async () => {
        const reference = await runReference();
        return { reference, value: await runServer() };
      }),
    );
  }

  /** What each of the rounds found. */
  async repeat<Found>(runRound: () => Promise<Found>): Promise<readonly Found[]> {
    const found: Found[] = [];
    for (let round = 0; round < this.settings.rounds; round += 1) found.push(await undisturbed(runRound));
    return found;
  }
}

/** Met from this limit on. */
export function atLeast(limit: number): Figure['target'] {
  return { kind: 'atLeast', limit };
}

/** Met up to this limit. */
export function atMost(limit: number): Figure['target'] {
  return { kind: 'atMost', limit };
}
