// Measures the index itself: speed at a recall, filters, churn, memory.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { restoreSnapshot, saveSnapshot } from '../../src/data-service/engine/embedded/vectors/snapshot.js';
import { runScript } from '../child-process.js';
import type { Figure } from '../figures.js';
import { type Contender, exactNeighbours, makeRivals, type OurIndex } from './contenders.js';
import { cpuSeconds, limit, ratesOf, recallOf, tune } from './measure.js';
import { type VectorData, vectorAt } from './vector-data.js';

/** How long to measure. */
export interface Settings {
  readonly rounds: number;
  readonly seconds: number;
  /** A folder of indexes that were built before, if they may be used. */
  readonly cache: string | undefined;
}

const wantedRecall = 0.98;
const checkedQueries = 500;
const filteredQueries = 200;

/** Queries per second at a recall against every library, building, and reopening from a snapshot. */
export async function measureIndexes(
  own: OurIndex,
  data: VectorData,
  settings: Settings,
): Promise<readonly Figure[]> {
  const truth = exactNeighbours(data, checkedQueries, limit);
  const rivals = makeRivals(data);
  const buildRates = await buildAll([own, ...rivals], data, settings);
  const tuned = [own, ...rivals].flatMap((contender) => {
    const found = tune(contender, truth, wantedRecall);
    const text = found === undefined ? 'never reached' : `breadth ${found.breadth}, recall ${found.recall}`;
    console.log(`${contender.name}: ${text}`);
    return found === undefined ? [] : [{ contender, ...found }];
  });
  const works = tuned.map(
    ({ contender }) =>
      (run: number) =>
        void contender.search(run % data.queryCount, limit),
  );
  const rates = new Map(
    ratesOf(works, settings.rounds, settings.seconds).map((rate, at) => [tuned[at]?.contender, rate]),
  );
  for (const [contender, rate] of rates) console.log(`${contender?.name}: ${Math.round(rate)} queries/s`);
  const best = Math.max(
    ...rivals.filter(({ precision }) => precision === 'float32').map((rival) => rates.get(rival) ?? 0),
  );
  const against = (name: string, reference: number): Figure => ({
    name: `queries at recall ${wantedRecall}, against ${name}`,
    value: rates.get(own) ?? 0,
    unit: '/s',
    reference,
    target: { kind: 'atLeast', limit: 1 },
  });
  const bf16 = rivals.find(({ name }) => name === 'usearch bf16');
  return [
    against('the best float32 library', best),
    ...(bf16 === undefined ? [] : [against('usearch bf16', rates.get(bf16) ?? 0)]),
    ...buildFigures(buildRates.get(own)),
    await measureReopening(own),
  ];
}

/** Rows per second of processor time, for the indexes that were not built before. */
async function buildAll(
  contenders: readonly Contender[],
  data: VectorData,
  { cache }: Settings,
): Promise<ReadonlyMap<Contender, number>> {
  const rates = new Map<Contender, number>();
  for (const contender of contenders) {
    const startSeconds = cpuSeconds();
    const isNew = await contender.build(data, cache);
    const rate = data.rowCount / (cpuSeconds() - startSeconds);
    if (isNew) rates.set(contender, rate);
    console.log(`${contender.name}: ${isNew ? `built ${Math.round(rate)} rows/s` : 'built before'}`);
  }
  return rates;
}

function buildFigures(rate: number | undefined): readonly Figure[] {
  if (rate === undefined) return [];
  return [
    { name: 'build, one thread', value: rate, unit: 'rows/s', target: { kind: 'atLeast', limit: 4000 } },
  ];
}

/** By the clock, from the snapshot's file to an index that can be searched. */
async function measureReopening({ shape, index }: OurIndex): Promise<Figure> {
  const directory = mkdtempSync(join(tmpdir(), 'colonnade-bench-snapshot-'));
  try {
    const file = join(directory, 'index.graph');
    await saveSnapshot(file, shape, index, () => ({ sequence: 0, version: 0 }));
    const startMs = performance.now();
    if (restoreSnapshot(file, shape) === undefined) throw new Error('the snapshot was not restored');
    return {
      name: 'reopening from a snapshot',
      value: performance.now() - startMs,
      unit: 'ms',
      target: { kind: 'atMost', limit: 5000 },
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Speed and recall where a part of the rows passes; the filter is ready. */
export function measureFilters(own: OurIndex, data: VectorData, settings: Settings): readonly Figure[] {
  tune(own, exactNeighbours(data, checkedQueries, limit), wantedRecall);
  return [10, 100, 1000].flatMap((oneIn): readonly Figure[] => {
    const labels = Float64Array.from({ length: data.rowCount }, (_, row) => row).filter(
      (row) => (Math.imul(row, 0x9e3779b1) >>> 0) % oneIn === 0,
    );
    const filter = own.index.setFilter(labels);
    let breadth = limit;
    const searchFiltered = (run: number) => {
      own.setBreadth(breadth);
      return [...own.search(run % data.queryCount, limit, filter)];
    };
    const truth = exactNeighbours(rowsOf(data, labels), filteredQueries, limit);
    const places = new Map(Array.from(labels, (label, place) => [label, place]));
    const recall = () => {
      const isHit = (query: number) => (label: number) => truth[query]?.has(places.get(label) ?? -1) ?? false;
      const hits = truth.map((_, query) => searchFiltered(query).filter(isHit(query)).length);
      return hits.reduce((sum, count) => sum + count, 0) / filteredQueries / limit;
    };
    while (recall() < wantedRecall && breadth < 200) breadth += 4;
    console.log(`one in ${oneIn}: breadth ${breadth}`);
    const works = [
      (run: number) => void own.search(run % data.queryCount, limit),
      (run: number) => void searchFiltered(run),
    ];
    const [unfiltered = 0, filtered = 0] = ratesOf(works, settings.rounds, settings.seconds);
    const name = `one row in ${oneIn} passes`;
    return [
      {
        name: `${name}: recall`,
        value: recall(),
        unit: '',
        target: { kind: 'atLeast', limit: oneIn === 10 ? 0.98 : 1 },
      },
      {
        name: `${name}: queries, against no filter`,
        value: filtered,
        unit: '/s',
        reference: unfiltered,
        target: { kind: 'atLeast', limit: oneIn === 10 ? 0.5 : 1 },
      },
    ];
  });
}

function rowsOf(data: VectorData, labels: Float64Array): VectorData {
  const rows = new Float32Array(labels.length * data.dimension);
  for (const [at, label] of labels.entries())
    rows.set(vectorAt(data.rows, data.dimension, label), at * data.dimension);
  return { ...data, rows, rowCount: labels.length };
}

/** The recall that is lost when a fifth of the rows is removed and added again; this changes the index. */
export function measureChurn(own: OurIndex, data: VectorData): Figure {
  const truth = exactNeighbours(data, checkedQueries, limit);
  const before = tune(own, truth, wantedRecall)?.recall ?? 0;
  for (let row = 0; row < data.rowCount; row += 5) own.index.remove(row);
  while (own.index.work(1024)) {}
  for (let row = 0; row < data.rowCount; row += 5) {
    own.index.put(row, vectorAt(data.rows, data.dimension, row));
  }
  while (own.index.work(1024)) {}
  const after = recallOf(own, truth);
  console.log(`recall before churn ${before}, after ${after}`);
  return {
    name: 'recall lost by removing and adding a fifth',
    value: before - after,
    unit: '',
    target: { kind: 'atMost', limit: 0.01 },
  };
}

/** The memory that an index adds to a process, against the floats in it. */
export async function measureMemory(rowCount: number, dimension: number): Promise<Figure> {
  const { grownBytes } = await runScript<{ readonly grownBytes: number }>('vectors/memory-run.js', {
    rowCount,
    dimension,
  });
  return {
    name: 'memory, against the float32 values',
    value: grownBytes / 2 ** 20,
    unit: 'MB',
    reference: (rowCount * dimension * 4) / 2 ** 20,
    target: { kind: 'atMost', limit: dimension >= 384 ? 0.5 : 0.7 },
  };
}
