// The long run on demand: node dist/tests/differential/run.js --plans 100000 --seed 1
import { parseArgs } from 'node:util';
import { checkedEngine } from '../../src/data-service/engine/checked-engine.js';
import { openLazyEngine } from '../conformance/lazy-engine.js';
import { newDataDirectory, openEmbedded } from '../conformance/open-embedded.js';
import { compareSeed, describeDifference } from './compare-engines.js';
import { readsPerScenario } from './scenario.js';

const { values } = parseArgs({
  options: { plans: { type: 'string', default: '10000' }, seed: { type: 'string', default: '1' } },
});
const plans = Number(values.plans);
const firstSeed = Number(values.seed);
if (!(plans >= 1) || !Number.isInteger(firstSeed)) throw new Error('--plans and --seed take whole numbers');

const embedded = checkedEngine(await openEmbedded(newDataDirectory()));
const lazy = checkedEngine(openLazyEngine());
let rowsCompared = 0;
let pagesCompared = 0;
const scenarios = Math.ceil(plans / readsPerScenario);
for (let done = 0; done < scenarios; done += 1) {
  const seed = firstSeed + done;
  const { difference, pages, rows } = await compareSeed(seed, embedded, lazy);
  pagesCompared += pages;
  rowsCompared += rows;
  if (difference !== undefined) {
    console.log(describeDifference(seed, difference));
    process.exitCode = 1;
    break;
  }
}
console.log(`${pagesCompared} pages with ${rowsCompared} rows compared from seed ${firstSeed} on`);
await Promise.all([embedded.close(), lazy.close()]);
