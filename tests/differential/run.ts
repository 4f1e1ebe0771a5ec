// The long run on demand: node dist/tests/differential/run.js --plans 100000 --seed 1 [--at-once] [--extended]
// Long reads go in small slices; with --at-once as in a server, where small tables have one.
import { parseArgs } from 'node:util';
import { checkedEngine } from '../../src/data-service/engine/checked-engine.js';
import { chooseReadOrder } from '../../src/data-service/engine/embedded/statements/read-order.js';
import { newDataDirectory, openEmbedded, smallSlices } from '../conformance/open-embedded.js';
import { openMemoryEngine } from '../memory-engine/memory-engine.js';
import { compareEngines } from './compare-engines.js';
import { compareSeeds } from './compare-seeds.js';
import { readsPerScenario } from './scenario.js';

const { values } = parseArgs({
  options: {
    plans: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    'at-once': { type: 'boolean', default: false },
    extended: { type: 'boolean', default: false },
  },
});
const plans = Number(values.plans);
const firstSeed = Number(values.seed);
if (!(plans >= 1) || !Number.isInteger(firstSeed)) throw new Error('--plans and --seed take whole numbers');

const dialect = values.extended ? 'extended' : 'strict';
const slices = values['at-once'] ? {} : { slices: smallSlices };
const embedded = checkedEngine(await openEmbedded(newDataDirectory(), { dialect, ...slices }));
const memory = checkedEngine(openMemoryEngine({ dialect, orderOf: chooseReadOrder }));
const seeds = Array.from({ length: Math.ceil(plans / readsPerScenario) }, (_, at) => firstSeed + at);
const { pages, rows, difference } = await compareSeeds(seeds, (seed) =>
  compareEngines(seed, embedded, memory, dialect),
);
if (difference !== undefined) {
  console.log(difference);
  process.exitCode = 1;
}
console.log(`${pages} pages with ${rows} rows compared from seed ${firstSeed} on`);
await Promise.all([embedded.close(), memory.close()]);
