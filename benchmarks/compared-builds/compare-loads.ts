// Measures two servers by turns: an older build and this one.

import { untilIdle } from '../at-rest.js';
import { sendCommand } from '../bench-servers.js';
import type { ServerProcess } from '../child-process.js';
import { type LoadRuns, maxWholeTableSeconds, type PartialPlan } from '../load-runs.js';
import { rowsPerInsertMany } from '../request-source.js';
import { vectorTable } from '../vector-requests.js';
import type { Comparison, Measured, Sides } from './comparison.js';
import { type MeasuredWork, vectorSearches, type WorkArea, workAreas } from './measured-works.js';

/** How many rows are stored before requests are measured, and how many vectors a bulk load has. */
export interface ComparedSizes {
  readonly rows: number;
  readonly vectors: number;
}

const keyspace = '/v1/default_keyspace';
/** Most programs load vectors with few requests at a time. */
const bulkConnections = 5;
const { dimension } = vectorTable.definition.columns.v;
const bulkName = `bulk load of vectors of ${dimension} dimensions, ${bulkConnections} connections`;

/** The comparisons of one run. */
export class ComparedLoads {
  readonly #loads: LoadRuns;
  readonly #servers: Sides<ServerProcess>;
  readonly #sizes: ComparedSizes;

  constructor(loads: LoadRuns, servers: Sides<ServerProcess>, sizes: ComparedSizes) {
    this.#loads = loads;
    this.#servers = servers;
    this.#sizes = sizes;
  }

  /** The works of areas whose name contains the text. A line names each area that a build refuses. */
  async measure(part: string): Promise<readonly Comparison[]> {
    const found: Comparison[] = [];
    for (const area of workAreas)
      if (area.name.includes(part)) found.push(...(await this.#measureArea(area)));
    if ('vectors'.includes(part)) found.push(...(await this.#measureVectors()));
    return found;
  }

  async #measureArea({ name, create, fills, works }: WorkArea): Promise<readonly Comparison[]> {
    try {
      for (const server of this.#both()) await create(server.port);
    } catch (error) {
      console.log(`${name} are left out, because a build refuses them: ${String(error).slice(0, 300)}`);
      return [];
    }
    for (const server of this.#both()) {
      for (const request of fills) await this.#loads.fill(server, request, this.#sizes.rows);
      await untilIdle(server);
    }
    const found: Comparison[] = [];
    for (const work of works) found.push(await this.#compare(work));
    return found;
  }

  async #compare({ name, request, connections, rows = 1 }: MeasuredWork): Promise<Comparison> {
    const plan: PartialPlan = { request, connections, rowCount: this.#sizes.rows };
    // The first requests of a kind compile functions.
    for (const server of this.#both())
      await this.#loads.load(server, { ...plan, seconds: this.#loads.settings.seconds / 2 });
    const rounds = await this.#byTurns(async (server): Promise<Measured> => {
      const { requestsPerSecond, costUs, p99Ms } = await this.#loads.load(server, plan);
      return { value: requestsPerSecond * rows, costUs: costUs / rows, p99Ms };
    });
    for (const server of this.#both()) await untilIdle(server);
    return { name, unit: rows === 1 ? 'req/s' : 'rows/s', isBetter: 'higher', rounds };
  }

  async #measureVectors(): Promise<readonly Comparison[]> {
    const loads = await this.#byTurns((server) => this.#loadVectors(server));
    const line = (name: string, key: 'acknowledged' | 'rested'): Comparison => ({
      name: `${bulkName}, ${name}`,
      unit: 'rows/s',
      isBetter: 'higher',
      rounds: loads.map(({ older, newer }) => ({ older: older[key], newer: newer[key] })),
    });
    const found = [line('acknowledged', 'acknowledged'), line('until the index is at rest', 'rested')];
    for (const search of vectorSearches) found.push(await this.#compare(search));
    return found;
  }

  /** Loads a new table with an index, and waits until nothing of the load is left to do. */
  async #loadVectors(server: ServerProcess): Promise<Record<'acknowledged' | 'rested', Measured>> {
    const { name, definition, index } = vectorTable;
    await sendCommand(server.port, keyspace, { dropTable: { name, options: { ifExists: true } } });
    await sendCommand(server.port, keyspace, { createTable: { name, definition } });
    await sendCommand(server.port, `${keyspace}/${name}`, { createVectorIndex: index });
    await untilIdle(server);
    const rows = this.#sizes.vectors;
    const before = server.cpuSeconds();
    const load = await this.#loads.load(server, {
      request: 'fillVectors',
      connections: bulkConnections,
      requests: rows / rowsPerInsertMany,
      rowCount: rows,
      seconds: maxWholeTableSeconds,
    });
    const acknowledged = load.requestsPerSecond * rowsPerInsertMany;
    const restMs = await untilIdle(server);
    return {
      acknowledged: { value: acknowledged, costUs: load.costUs / rowsPerInsertMany, p99Ms: load.p99Ms },
      rested: {
        value: rows / (rows / acknowledged + restMs / 1000),
        costUs: ((server.cpuSeconds() - before) * 1e6) / rows,
      },
    };
  }

  /** Measures both builds in each round; the one that begins changes from round to round. */
  async #byTurns<Found>(run: (server: ServerProcess) => Promise<Found>): Promise<readonly Sides<Found>[]> {
    const { older, newer } = this.#servers;
    let isOlderFirst = false;
    return this.#loads.repeat(async () => {
      isOlderFirst = !isOlderFirst;
      if (isOlderFirst) return { older: await run(older), newer: await run(newer) };
      const found = await run(newer);
      return { older: await run(older), newer: found };
    });
  }

  #both(): readonly ServerProcess[] {
    return [this.#servers.older, this.#servers.newer];
  }
}
