// The runs behind the figures of rows.ts: which load meets which server, and what is compared with what.
import type { ServerProcess } from './child-process.js';
import { type Figure, medianPair } from './figures.js';
import type { LoadReport } from './load-plan.js';
import { atLeast, atMost, type LoadRuns, maxWholeTableSeconds } from './load-runs.js';
import { rowsPerInsertMany } from './request-source.js';

/** What `throughput` finds. */
export interface Throughput {
  readonly figures: readonly Figure[];
  readonly insertsPerSecond: number;
}

const rowsPerPage = 50;
/** The runs of one benchmark. */
export class RowRuns {
  readonly #runs: LoadRuns;
  /** Rows in the table that is written to. */
  #rowsWritten = 0;

  constructor(runs: LoadRuns) {
    this.#runs = runs;
  }

  /** Requests and rows per second beside those of the references, and the rate of single inserts. */
  async throughput(server: ServerProcess, reference: ServerProcess): Promise<Throughput> {
    const inserts = await this.#runs.alternate(
      async () => (await this.#inserts(reference)).requestsPerSecond,
      () => this.insertsPerSecond(server),
    );
    const finds = await this.#runs.alternate(
      async () => (await this.#finds(reference)).requestsPerSecond,
      async () => (await this.#finds(server)).requestsPerSecond,
    );
    const bulk = await this.#runs.alternate(
      () => this.#runs.rawRowsPerSecond('rows', this.#rowsWritten),
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
    const { requests, requestsPerSecond } = await this.#inserts(server);
    this.#rowsWritten += requests;
    return requestsPerSecond;
  }

  /** The slowest hundredth of finds, beside other work compared with alone. */
  async tails(server: ServerProcess, insertsPerSecond: number): Promise<readonly Figure[]> {
    const ratePerSecond = insertsPerSecond / 2;
    const p99s = await this.#runs.repeat(async () => {
      const reference = (await this.#finds(server)).p99Ms;
      const pages = this.#runs.load(server, { request: 'page', connections: 1 });
      const besidePages = (await this.#finds(server)).p99Ms;
      await pages;
      const inserts = this.#runs.load(server, { request: 'insertOne', connections: 256, ratePerSecond });
      const besideInserts = (await this.#finds(server)).p99Ms;
      await inserts;
      return { reference, besidePages, besideInserts };
    });
    const compare = (work: string, beside: 'besidePages' | 'besideInserts'): Figure => ({
      name: `p99 of findOne beside ${work}, against alone`,
      ...medianPair(p99s.map(({ reference, [beside]: value }) => ({ reference, value }))),
      unit: 'ms',
      target: atMost(2.5),
    });
    return [compare('paging', 'besidePages'), compare('half of all inserts', 'besideInserts')];
  }

  /** The most memory while one client pages through the whole read table. */
  async pagingMemory(server: ServerProcess): Promise<Figure> {
    const { rowCount } = this.#runs.settings;
    let mostMb = server.residentMb();
    const sampling = setInterval(() => {
      mostMb = Math.max(mostMb, server.residentMb());
    }, 50);
    const requests = Math.ceil(rowCount / rowsPerPage);
    await this.#runs.load(server, {
      request: 'page',
      connections: 1,
      requests,
      seconds: maxWholeTableSeconds,
    });
    clearInterval(sampling);
    return {
      name: `memory while paging through ${rowCount} rows`,
      value: mostMb,
      unit: 'MB',
      target: atMost(250),
    };
  }

  #inserts(server: ServerProcess): Promise<LoadReport> {
    return this.#runs.load(server, { request: 'insertOne', connections: 256 });
  }

  #finds(server: ServerProcess): Promise<LoadReport> {
    return this.#runs.load(server, { request: 'findOne', connections: 64 });
  }

  async #bulkRowsPerSecond(server: ServerProcess): Promise<number> {
    const report = await this.#runs.load(server, { request: 'insertMany', connections: 16 });
    this.#rowsWritten += report.requests * rowsPerInsertMany;
    return report.requestsPerSecond * rowsPerInsertMany;
  }
}
