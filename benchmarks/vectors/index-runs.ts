// What the index itself is measured by: speed at a recall, filters, churn, memory.

import { runScript } from '../child-process.js';
import type { Figure } from '../figures.js';
import { type Contender, exactNeighbours, makeRivals, OurIndex } from './contenders.js';
import { cpuSeconds, limit, ratesOf, threadedRate, tune } from './measure.js';
import { type VectorData, vectorAt } from './vector-data.js';

/** How long to measure. */
export interface Settings {
  readonly rounds: number;
  readonly seconds: number;
}

const wantedRecall = 0.98;
const checkedQueries = 500;
const filteredQueries = 200;

/** Queries per second at a recall against every library, building, and two threads against one. */
export async function measureIndexes(data: VectorData, settings: Settings): Promise<readonly Figure[]> {
  const truth = exactNeighbours(data, checkedQueries, limit);
  const ours = new OurIndex(data);
  const rivals = makeRivals(data);
  const buildRates = new Map<Contender, number>();
  for (const contender of [ours, ...rivals]) {
    const startSeconds = cpuSeconds();
    contender.build(data);
    buildRates.set(contender, data.rowCount / (cpuSeconds() - startSeconds));
    console.log(`${contender.name}: built ${Math.round(buildRates.get(contender) ?? 0)} rows/s`);
  }
  const tuned = [ours, ...rivals].flatMap((contender) => {
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
  const own = rates.get(ours) ?? 0;
  const best = Math.max(
    ...rivals.filter(({ precision }) => precision === 'float32').map((rival) => rates.get(rival) ?? 0),
  );
  const against = (name: string, reference: number): Figure => ({
    name: `queries at recall ${wantedRecall}, against ${name}`,
    value: own,
    unit: '/s',
    reference,
    target: { kind: 'atLeast', limit: 1 },
  });
  const bf16 = rivals.find(({ name }) => name === 'usearch bf16');
  const breadth = tuned[0]?.breadth ?? 64;
  const one = await threadedRate(ours, data, breadth, 1, settings.seconds * 3);
  const two = await threadedRate(ours, data, breadth, 2, settings.seconds * 3);
  return [
    against('the best float32 library', best),
    ...(bf16 === undefined ? [] : [against('usearch bf16', rates.get(bf16) ?? 0)]),
    {
      name: 'two threads against one',
      value: two,
      unit: '/s',
      reference: one,
      target: { kind: 'atLeast', limit: 1.8 },
    },
    {
      name: 'build, one thread',
      value: buildRates.get(ours) ?? 0,
      unit: 'rows/s',
      target: { kind: 'atLeast', limit: 4000 },
    },
  ];
}

/** Speed and recall where a part of the rows passes; the filter is ready. */
export function measureFilters(data: VectorData, settings: Settings): readonly Figure[] {
  const ours = new OurIndex(data);
  ours.build(data);
  tune(ours, exactNeighbours(data, checkedQueries, limit), wantedRecall);
  return [10, 100, 1000].flatMap((oneIn): readonly Figure[] => {
    const labels = Float64Array.from({ length: data.rowCount }, (_, row) => row).filter(
      (row) => (Math.imul(row, 0x9e3779b1) >>> 0) % oneIn === 0,
    );
    const filter = ours.index.setFilter(labels);
    let breadth = limit;
    const searchFiltered = (run: number) => {
      const query = vectorAt(data.queries, data.dimension, run % data.queryCount);
      return ours.index.searchFiltered(query, { limit, breadth }, filter);
    };
    const truth = exactNeighbours(rowsOf(data, labels), filteredQueries, limit);
    const places = new Map(Array.from(labels, (label, place) => [label, place]));
    const recall = () => {
      const isHit = (query: number) => (label: number) => truth[query]?.has(places.get(label) ?? -1) ?? false;
      const hits = truth.map(
        (_, query) =>
          searchFiltered(query)
            .map(({ label }) => label)
            .filter(isHit(query)).length,
      );
      return hits.reduce((sum, count) => sum + count, 0) / filteredQueries / limit;
    };
    while (recall() < wantedRecall && breadth < 200) breadth += 4;
    console.log(`one in ${oneIn}: breadth ${breadth}`);
    const works = [
      (run: number) => void ours.search(run % data.queryCount, limit),
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

/** What recall loses when a fifth of the rows is removed and put in again. */
export function measureChurn(data: VectorData): Figure {
  const truth = exactNeighbours(data, checkedQueries, limit);
  const ours = new OurIndex(data);
  ours.build(data);
  const before = tune(ours, truth, wantedRecall)?.recall ?? 0;
  for (let row = 0; row < data.rowCount; row += 5) ours.index.remove(row);
  while (ours.index.work(1024)) {}
  for (let row = 0; row < data.rowCount; row += 5) {
    ours.index.put(row, vectorAt(data.rows, data.dimension, row));
  }
  while (ours.index.work(1024)) {}
  let hits = 0;
  for (const [place, neighbours] of truth.entries()) {
    for (const label of ours.search(place, limit)) if (neighbours.has(label)) hits += 1;
  }
  const after = hits / truth.length / limit;
  console.log(`recall before churn ${before}, after ${after}`);
  return {
    name: 'recall lost by removing and adding a fifth',
    value: before - after,
    unit: '',
    target: { kind: 'atMost', limit: 0.01 },
  };
}

/** Growth of a process by an index, against the floats in it. */
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
    target: { kind: 'atMost', limit: dimension >= 384 ? 1.4 : 1.7 },
  };
}
