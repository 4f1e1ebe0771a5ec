// The runs behind the figures of queries.ts: which load meets which server, and what is compared with what.
import type { ServerProcess } from './child-process.js';
import { type Figure, median, medianPair } from './figures.js';
import type { LoadReport } from './load-plan.js';
import { atLeast, atMost, type LoadRuns } from './load-runs.js';
import type { RequestKind } from './request-kinds.js';
import { rowsPerInsertMany } from './request-source.js';

/** A server whose read table has so many rows. */
export interface FilledServer {
  readonly server: ServerProcess;
  readonly rowCount: number;
}

const connections = 64;
const indexed = ['equality', 'range'] as const;

/** The runs of one benchmark. */
export class QueryRuns {
  readonly #runs: LoadRuns;

  constructor(runs: LoadRuns) {
    this.#runs = runs;
  }

  /** Queries per second that an index serves, beside those of the reference. */
  async throughput(server: ServerProcess, reference: ServerProcess): Promise<readonly Figure[]> {
    const figures: Figure[] = [];
    for (const request of indexed) {
      const rates = await this.#runs.alternate(
        async () => (await this.#queries(reference, request)).requestsPerSecond,
        async () => (await this.#queries(server, request)).requestsPerSecond,
      );
      const name = `indexed ${request}, limit 20, ${connections} connections`;
      figures.push({ name, ...rates, unit: 'req/s', target: atLeast(0.4) });
    }
    return figures;
  }

  /** Tails and memory of the same queries on a large table beside those on a small one. */
  async flatness(small: FilledServer, large: FilledServer): Promise<readonly Figure[]> {
    const figures: Figure[] = [];
    for (const request of indexed) {
      const p99s = await this.#runs.alternate(
        async () => (await this.#queries(small.server, request)).p99Ms,
        async () => (await this.#queries(large.server, request)).p99Ms,
      );
      const name = `p99 of indexed ${request}, ${large.rowCount} rows against ${small.rowCount}`;
      figures.push({ name, ...p99s, unit: 'ms', target: atMost(1.5) });
    }
    const memory = `memory after these queries, ${large.rowCount} rows against ${small.rowCount}`;
    const residentMb = { value: large.server.residentMb(), reference: small.server.residentMb() };
    return [...figures, { name: memory, ...residentMb, unit: 'MB', target: atMost(1.5) }];
  }

  /** How fast a filter without an index goes through the table, and what finds by key see of it. */
  async scans(server: ServerProcess): Promise<readonly Figure[]> {
    const figures: Figure[] = [];
    for (const [request, shown] of [
      ['scanForNothing', 'that no row passes'],
      ['scanForFew', 'that one row in 40,000 passes'],
    ] as const) {
      const found = await this.#runs.repeat(async () => {
        const reference = (await this.#queries(server, 'findPlace')).p99Ms;
        const alone = await this.#runs.load(server, { request, connections: 1 });
        const scans = this.#runs.load(server, { request, connections: 1 });
        const value = (await this.#queries(server, 'findPlace')).p99Ms;
        await scans;
        return { scansPerSecond: alone.requestsPerSecond, p99s: { reference, value } };
      });
      const scansPerSecond = median(found.map((round) => round.scansPerSecond));
      const millionsPerSecond = (scansPerSecond * this.#runs.settings.rowCount) / 1e6;
      const unit = 'M rows/s';
      figures.push(
        { name: `unindexed filter ${shown}`, value: millionsPerSecond, unit, target: atLeast(10) },
        {
          name: `p99 of findOne beside an unindexed filter ${shown}, against alone`,
          ...medianPair(found.map(({ p99s }) => p99s)),
          unit: 'ms',
          target: atMost(2.5),
        },
      );
    }
    return figures;
  }

  /** How long one client waits for one row, found by members of its set, beside the same by a number. */
  async members(server: ServerProcess): Promise<readonly Figure[]> {
    const find = async (request: RequestKind) =>
      1000 / (await this.#runs.load(server, { request, connections: 1 })).requestsPerSecond;
    const figures: Figure[] = [];
    for (const [request, what] of [
      ['findByTag', 'one element'],
      ['findByTags', 'two elements'],
    ] as const) {
      const times = await this.#runs.alternate(
        () => find('findByCode'),
        () => find(request),
      );
      const name = `one row by ${what} of an indexed set, against an indexed int`;
      figures.push({ name, ...times, unit: 'ms', target: atMost(3) });
    }
    return figures;
  }

  /** Rows per second into a table with three indexes. */
  async inserts(server: ServerProcess): Promise<Figure> {
    let rowsBefore = 0;
    const rates = await this.#runs.alternate(
      () => this.#runs.rawRowsPerSecond('places', rowsBefore),
      async () => {
        const report = await this.#runs.load(server, { request: 'insertPlaces', connections: 16 });
        rowsBefore += report.requests * rowsPerInsertMany;
        return report.requestsPerSecond * rowsPerInsertMany;
      },
    );
    const name = `insertMany of ${rowsPerInsertMany} with three indexes, 16 connections, against raw SQLite`;
    return { name, ...rates, unit: 'rows/s', target: atLeast(0.7) };
  }

  #queries(server: ServerProcess, request: RequestKind): Promise<LoadReport> {
    return this.#runs.load(server, { request, connections });
  }
}
