// Searches for rows by the engine alone, in this process: what is left of a find without HTTP and JSON.
import { openEmbeddedEngine } from '../../src/data-service/engine/embedded/embedded-engine.js';
import type { Engine } from '../../src/data-service/engine/engine.js';
import { matchAll } from '../../src/data-service/query/filter.js';
import { finishRead, type ReadPlan } from '../../src/data-service/query/read.js';
import { systemClock } from '../../src/foundation/telemetry/clock.js';
import { type VectorData, vectorAt } from './vector-data.js';

/** The searches of one run. */
export interface EngineRun {
  readonly table: string;
  readonly limit: number;
  /** Searches under way at a time. */
  readonly lanes: number;
  readonly seconds: number;
}

/** Searches per second, by the clock, in a data directory of its own. */
export async function engineRate(dataDirectory: string, data: VectorData, run: EngineRun): Promise<number> {
  const onFatal = (error: Error) => {
    throw error;
  };
  const engine = await openEmbeddedEngine({
    dataDirectory,
    clock: systemClock,
    readTimeoutMs: 60_000,
    onFatal,
  });
  try {
    const plans = await plansOf(engine, data, run);
    // As a server that was started anew: the snapshot is loaded and the code compiled.
    await rateOf(engine, plans, { ...run, seconds: 2 });
    return await rateOf(engine, plans, run);
  } finally {
    await engine.close();
  }
}

async function rateOf(engine: Engine, plans: readonly ReadPlan[], run: EngineRun): Promise<number> {
  const startMs = performance.now();
  let searches = 0;
  const search = async () => {
    while (performance.now() - startMs < run.seconds * 1000) {
      const plan = plans[searches % plans.length];
      searches += 1;
      if (plan !== undefined) await finishRead(plan, await engine.readRows(plan));
    }
  };
  await Promise.all(Array.from({ length: run.lanes }, search));
  return (searches / (performance.now() - startMs)) * 1000;
}

async function plansOf(
  engine: Engine,
  data: VectorData,
  { table: name, limit }: EngineRun,
): Promise<readonly ReadPlan[]> {
  const table = (await engine.readSchema()).keyspaces.get('default_keyspace')?.tables.get(name);
  const id = table?.columnsByName.get('id');
  const column = table?.columnsByName.get('v');
  if (table === undefined || id === undefined || column === undefined)
    throw new Error(`there is no table ${name} of the benchmark`);
  const plan = { table, columns: [id], filter: matchAll, order: table.keyOrder, after: null, limit };
  return Array.from({ length: data.queryCount }, (_, at) => {
    const query = vectorAt(data.queries, data.dimension, at);
    return { ...plan, wantsPosition: false, search: { column, query, metric: 'cosine' as const } };
  });
}
