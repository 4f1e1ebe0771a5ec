// The runs behind the figures of rows.ts: which load meets which server, and what is compared with what.
import { runLoad, runScript, type ServerProcess } from './child-process.js';
import { type Figure, median } from './figures.js';
import type { LoadPlan, LoadReport } from './load-plan.js';
import type { RawSqliteReport } from './raw-sqlite.js';
import { rowsPerInsertMany } from './requests.js';

/** How long one run takes, how many runs a figure has, and the size of the read table. */
export interface RowRunSettings {
  readonly seconds: number;
  readonly rounds: number;
  readonly rowCount: number;
}

/** What `throughput` finds. */
export interface Throughput {
  readonly figures: readonly Figure[];
  readonly insertsPerSecond: number;
}

const rowsPerPage = 50;
const rowsPerRawGroup = 800;
/** Filling and paging end when they are done; this bounds a server that is far too slow. */
const maxWholeTableSeconds = 180;

/** The runs of one benchmark; each load is a process of its own. */
export class RowRuns {
  readonly #settings: RowRunSettings;
  #errorCount = 0;

  constructor(settings: RowRunSettings) {
    this.#settings = settings;
  }

  /** Failed requests so far, of all runs. */
  get errorCount(): number {
    return this.#errorCount;
  }

  /** Fills the read table. */
  async fill(server: ServerProcess): Promise<void> {
    const requests = this.#settings.rowCount / rowsPerInsertMany;
    const plan = { request: 'fill', connections: 16, requests, seconds: maxWholeTableSeconds } as const;
    const report = await this.#load(server, plan);
    if (report.requests < requests)
      throw new Error(`the table could not be filled in ${maxWholeTableSeconds} s`);
  }

  /** Requests and rows per second beside those of the references, and the rate of single inserts. */
  async throughput(server: ServerProcess, reference: ServerProcess): Promise<Throughput> {
    const inserts = await this.#alternate(
      async () => (await this.#inserts(reference)).requestsPerSecond,
      () => this.insertsPerSecond(server),
    );
    const finds = await this.#alternate(
      async () => (await this.#finds(reference)).requestsPerSecond,
      async () => (await this.#finds(server)).requestsPerSecond,
    );
    const bulk = await this.#alternate(
      () => this.#rawRowsPerSecond(),
      () => this.#bulkRowsPerSecond(server),
    );
    const bulkName = `insertMany of ${rowsPerInsertMany}, 16 connections, against raw SQLite`;
    return {
      insertsPerSecond: inserts.value,
      figures: [
        { name: 'durable insertOne, 256 connections', ...inserts, unit: 'req/s', target: atLeast(0.6) },
        { name: 'findOne by key, 64 connections', ...finds, unit: 'req/s', target: atLeast(0.55) },
        { name: bulkName, ...bulk, unit: 'rows/s', target: atLeast(0.6) },
      ],
    };
  }

  /** Single inserts per second. */
  async insertsPerSecond(server: ServerProcess): Promise<number> {
    return (await this.#inserts(server)).requestsPerSecond;
  }

  /** The slowest hundredth of finds, beside other work compared with alone. */
  async tails(server: ServerProcess, insertsPerSecond: number): Promise<readonly Figure[]> {
    const alone: number[] = [];
    const besidePages: number[] = [];
    const besideInserts: number[] = [];
    const ratePerSecond = insertsPerSecond / 2;
    for (let round = 0; round < this.#settings.rounds; round += 1) {
      alone.push((await this.#finds(server)).p99Ms);
      const pages = this.#load(server, { request: 'page', connections: 1 });
      besidePages.push((await this.#finds(server)).p99Ms);
      await pages;
      const inserts = this.#load(server, { request: 'insertOne', connections: 256, ratePerSecond });
      besideInserts.push((await this.#finds(server)).p99Ms);
      await inserts;
    }
    const compared = { unit: 'ms', reference: median(alone), target: atMost(2.5) };
    return [
      { name: 'p99 of findOne beside paging, against alone', value: median(besidePages), ...compared },
      {
        name: 'p99 of findOne beside half of all inserts, against alone',
        value: median(besideInserts),
        ...compared,
      },
    ];
  }

  /** The most memory while one client pages through the whole read table. */
  async pagingMemory(server: ServerProcess): Promise<Figure> {
    const { rowCount } = this.#settings;
    let mostMb = server.residentMb();
    const sampling = setInterval(() => {
      mostMb = Math.max(mostMb, server.residentMb());
    }, 50);
    const requests = Math.ceil(rowCount / rowsPerPage);
    await this.#load(server, { request: 'page', connections: 1, requests, seconds: maxWholeTableSeconds });
    clearInterval(sampling);
    return {
      name: `memory while paging through ${rowCount} rows`,
      value: mostMb,
      unit: 'MB',
      target: atMost(250),
    };
  }

  #inserts(server: ServerProcess): Promise<LoadReport> {
    return this.#load(server, { request: 'insertOne', connections: 256 });
  }

  #finds(server: ServerProcess): Promise<LoadReport> {
    return this.#load(server, { request: 'findOne', connections: 64 });
  }

  async #bulkRowsPerSecond(server: ServerProcess): Promise<number> {
    const report = await this.#load(server, { request: 'insertMany', connections: 16 });
    return report.requestsPerSecond * rowsPerInsertMany;
  }

  async #rawRowsPerSecond(): Promise<number> {
    const plan = { seconds: this.#settings.seconds, rowsPerGroup: rowsPerRawGroup };
    return (await runScript<RawSqliteReport>('raw-sqlite.js', plan)).rowsPerSecond;
  }

  async #load(server: ServerProcess, plan: PartialPlan): Promise<LoadReport> {
    const { seconds, rowCount } = this.#settings;
    const report = await runLoad({ seconds, rowCount, ...plan, port: server.port });
    this.#errorCount += report.errors;
    const rate = `${Math.round(report.requestsPerSecond)}/s, p99 ${report.p99Ms.toFixed(2)} ms`;
    const shares = `${report.errors} errors, generator ${Math.round(report.generatorShare * 100)} % busy`;
    console.log(`${plan.request}, ${plan.connections} connections: ${rate}, ${shares}`);
    return report;
  }

  /** Runs both in turn, so that what changes on the machine meets both alike; gives the medians. */
  async #alternate(
    runReference: () => Promise<number>,
    runServer: () => Promise<number>,
  ): Promise<{ readonly reference: number; readonly value: number }> {
    const references: number[] = [];
    const values: number[] = [];
    for (let round = 0; round < this.#settings.rounds; round += 1) {
      references.push(await runReference());
      values.push(await runServer());
    }
    return { reference: median(references), value: median(values) };
  }
}

type PartialPlan = Omit<LoadPlan, 'port' | 'rowCount' | 'seconds'> & { readonly seconds?: number };

function atLeast(limit: number): Figure['target'] {
  return { kind: 'atLeast', limit };
}

function atMost(limit: number): Figure['target'] {
  return { kind: 'atMost', limit };
}
