// The index beside the libraries of Python: processor time of a search at some recalls, under filters, beside inserts.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { GraphIndex, VectorFilter } from '../../src/data-service/engine/embedded/vectors/graph-index.js';
import { exactNeighbours, OurIndex } from './contenders.js';
import { cpuSeconds, limit, ratesOf, recallOf, tune } from './measure.js';
import { type VectorData, vectorAt } from './vector-data.js';

/** The program and how it is measured. */
export interface LibrarySettings {
  /** A Python with the packages of requirements.txt; without it only our index is measured. */
  readonly python: string | undefined;
  readonly rounds: number;
  readonly seconds: number;
}

const recalls = [0.95, 0.99, 0.999];
const filteredRecall = 0.98;
const shares = [0.5, 0.1, 0.01, 0.001];
const checkedQueries = 200;
/** What the engine searches with for ten rows. */
const servedBreadth = 80;
/** 500 inserts in each second of the processor's time. */
const inserts = { slots: 300, slotSeconds: 0.01, insertsInSlot: 5 } as const;
const besideInserts = 'beside 500 inserts a second';

/** A filter by name, with the rows that pass and the nearest of them to each checked query. */
interface MeasuredFilter {
  readonly name: string;
  readonly labels: Float64Array;
  readonly truth: readonly ReadonlySet<number>[];
}

/** A line of the table. */
interface Line {
  readonly library: string;
  readonly kind: string;
  readonly recall: number | null;
  /** Processor time of a search; for the kind of building, rows a second. Null if the recall was not reached. */
  readonly microseconds: number | null;
}

/** Measures our index in both forms, then the libraries, and prints a line for each figure. */
export async function compareLibraries(data: VectorData, settings: LibrarySettings): Promise<void> {
  const filters = shares.flatMap((share) => [independentFilter(data, share), correlatedFilter(data, share)]);
  const truth = exactNeighbours(data, checkedQueries, limit);
  for (const quantization of ['int8', 'none'] as const) {
    await measureOurs(new OurIndex(data, quantization), data, { filters, truth, settings });
  }
  if (settings.python === undefined) {
    console.log(
      'The libraries are not measured: `python3 -m venv libraries && libraries/bin/pip install -r ' +
        'benchmarks/vectors/requirements.txt`, then --python libraries/bin/python',
    );
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'colonnade-bench-libraries-'));
  try {
    writeData(folder, data, filters, truth);
    await runPython(settings.python, { folder, dimension: data.dimension, rounds: settings.rounds });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Wanted {
  readonly filters: readonly MeasuredFilter[];
  readonly truth: readonly ReadonlySet<number>[];
  readonly settings: LibrarySettings;
}

async function measureOurs(own: OurIndex, data: VectorData, { filters, truth, settings }: Wanted) {
  const { rounds, seconds } = settings;
  const line = (kind: string, recall: number | null, microseconds: number | null) =>
    print({ library: own.name, kind, recall, microseconds });
  const microsecondsOf = (filter?: VectorFilter) => {
    const search = (run: number) => void own.search(run % data.queryCount, limit, filter);
    return 1e6 / (ratesOf([search], rounds, seconds)[0] ?? Number.NaN);
  };
  const start = cpuSeconds();
  await own.build(data);
  line('rows built a second', null, data.rowCount / (cpuSeconds() - start));
  for (const wanted of recalls) {
    const tuned = tune(own, truth, wanted);
    line(`recall ${wanted}`, tuned?.recall ?? null, tuned === undefined ? null : microsecondsOf());
  }
  own.setBreadth(servedBreadth);
  for (const { name, labels, truth: nearest } of filters) {
    const filter = own.index.setFilter(labels);
    const recall = recallOf({ search: (at, count) => own.search(at, count, filter) }, nearest);
    line(name, recall, microsecondsOf(filter));
  }
  line(besideInserts, null, measureInserts(own.index, own, data));
}

/** Microseconds of a search while rows are put and linked, whose time counts. */
function measureInserts(
  index: GraphIndex,
  own: OurIndex,
  { rows, dimension, rowCount, queryCount }: VectorData,
) {
  const start = cpuSeconds();
  let searched = 0;
  for (let slot = 0; slot < inserts.slots; slot += 1) {
    for (let place = 0; place < inserts.insertsInSlot; place += 1) {
      const row = slot * inserts.insertsInSlot + place;
      index.put(rowCount + row, vectorAt(rows, dimension, row));
    }
    while (index.work(8)) {}
    while (cpuSeconds() - start < (slot + 1) * inserts.slotSeconds) {
      for (let i = 0; i < 5; i += 1) void own.search(searched++ % queryCount, limit);
    }
  }
  return ((cpuSeconds() - start) / searched) * 1e6;
}

/** A share of the rows, whatever their vectors are. */
function independentFilter(data: VectorData, share: number): MeasuredFilter {
  const passes = (row: number) => (Math.imul(row, 0x9e3779b1) >>> 0) / 2 ** 32 < share;
  const labels = Array.from({ length: data.rowCount }, (_, row) => row).filter(passes);
  return withTruth(data, `filter of ${share * 100} %`, labels);
}

/** The share of the rows that is nearest to the first one: most queries are far from all of them. */
function correlatedFilter(data: VectorData, share: number): MeasuredFilter {
  const { rows, dimension, rowCount } = data;
  const first = vectorAt(rows, dimension, 0);
  const products = Array.from({ length: rowCount }, (_, row) => {
    const vector = vectorAt(rows, dimension, row);
    return { row, product: vector.reduce((sum, value, i) => sum + value * (first[i] ?? 0), 0) };
  });
  products.sort((left, right) => right.product - left.product);
  const labels = products.slice(0, Math.round(rowCount * share)).map(({ row }) => row);
  return withTruth(data, `filter of ${share * 100} %, correlated`, labels);
}

function withTruth(data: VectorData, name: string, labels: readonly number[]): MeasuredFilter {
  const { dimension, rows } = data;
  const passing = new Float32Array(labels.length * dimension);
  for (const [at, label] of labels.entries()) passing.set(vectorAt(rows, dimension, label), at * dimension);
  const nearest = exactNeighbours({ ...data, rows: passing, rowCount: labels.length }, checkedQueries, limit);
  const truth = nearest.map((places) => new Set([...places].map((place) => labels[place] ?? -1)));
  return { name, labels: Float64Array.from(labels), truth };
}

function writeData(
  folder: string,
  data: VectorData,
  filters: readonly MeasuredFilter[],
  truth: readonly ReadonlySet<number>[],
): void {
  mkdirSync(folder, { recursive: true });
  const listsOf = (sets: readonly ReadonlySet<number>[]) => sets.map((set) => [...set]);
  const named = (partOf: (filter: MeasuredFilter) => unknown) =>
    Object.fromEntries(filters.map((filter) => [filter.name, partOf(filter)]));
  writeFileSync(join(folder, 'rows'), data.rows);
  writeFileSync(join(folder, 'queries'), data.queries);
  writeFileSync(join(folder, 'truth.json'), JSON.stringify(listsOf(truth)));
  const passing = named(({ labels }) => [...labels]);
  const nearest = named(({ truth: sets }) => listsOf(sets));
  writeFileSync(join(folder, 'filters.json'), JSON.stringify({ passing, truth: nearest }));
}

async function runPython(python: string, where: object): Promise<void> {
  const script = fileURLToPath(new URL('../../../benchmarks/vectors/library_run.py', import.meta.url));
  const plan = { ...where, limit, recalls, filteredRecall, servedBreadth, besideInserts, ...inserts };
  const one = { OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1' };
  const child = spawn(python, [script, JSON.stringify(plan)], {
    env: { ...process.env, ...one },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (more: string) => {
    text += more;
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    // Our own script wrote them; libraries also print lines of their own.
    for (const line of lines) if (line.startsWith('{')) print(JSON.parse(line) as Line);
  });
  const status = await new Promise((resolve) => child.once('close', resolve));
  if (status !== 0) throw new Error(`the libraries ended with ${String(status)}`);
}

function print({ library, kind, recall, microseconds }: Line): void {
  const figure = microseconds === null ? 'not reached' : microseconds.toFixed(1);
  const found = recall === null ? '' : `recall ${recall.toFixed(4)}`;
  console.log([library.padEnd(16), kind.padEnd(28), figure.padStart(12), found].join(' ').trimEnd());
}
