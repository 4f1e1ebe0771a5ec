// `npm run bench:vectors`: the vector index against usearch and hnswlib, and served over HTTP against in-process.
import { mkdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { describeMachine, type Figure, formatFigures } from './figures.js';
import { OurIndex } from './vectors/contenders.js';
import { measureChurn, measureFilters, measureIndexes, measureMemory } from './vectors/index-runs.js';
import { compareLibraries } from './vectors/library-runs.js';
import { measureServer } from './vectors/server-runs.js';
import { makeVectors } from './vectors/vector-data.js';

const help = `usage: npm run bench:vectors -- [options]
  --rows N       rows (100000)
  --dimension N  values of a vector (384)
  --rounds N     runs of each figure, whose median counts (5)
  --seconds N    length of one run, of the processor's time (1)
  --only PART    index, filters, churn, memory, server or libraries (which runs only if it is named)
  --python FILE  for libraries: a Python with the packages of benchmarks/vectors/requirements.txt
  --cache DIR    takes indexes from this folder that an earlier run left there, and leaves those it builds;
                 what a library needs to build is measured only when it builds`;

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '100000' },
    dimension: { type: 'string', default: '384' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '1' },
    only: { type: 'string' },
    python: { type: 'string' },
    cache: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

if (options.help) console.log(help);
else await main();

async function main(): Promise<void> {
  const { cache } = options;
  if (cache !== undefined) mkdirSync(cache, { recursive: true });
  const settings = { rounds: Number(options.rounds), seconds: Number(options.seconds), cache };
  const isWanted = (part: string) => options.only === undefined || options.only === part;
  if (options.only === 'libraries') {
    const data = makeVectors(Number(options.rows), Number(options.dimension), 1000);
    await compareLibraries(data, { ...settings, python: options.python });
    return;
  }
  const figures: Figure[] = [];
  // First, and in a process of its own: nothing else may count.
  if (isWanted('memory')) figures.push(await measureMemory(Number(options.rows), Number(options.dimension)));
  if (options.only !== 'memory') {
    const data = makeVectors(Number(options.rows), Number(options.dimension), 1000);
    const ours = new OurIndex(data);
    if (isWanted('index')) figures.push(...(await measureIndexes(ours, data, settings)));
    else await ours.build(data, cache);
    if (isWanted('filters')) figures.push(...measureFilters(ours, data, settings));
    if (isWanted('server')) figures.push(...(await measureServer(ours, data, settings)));
    // Last, since it leaves another index behind.
    if (isWanted('churn')) figures.push(measureChurn(ours, data));
  }
  console.log(`\n${formatFigures(figures)}\n\n${describeMachine()}; ${options.rows} × ${options.dimension}`);
}
