// The long form of the rounds of damage: `node dist/tests/faults/run-damage-rounds.js --rounds 200 [--seed 1]`.
import { parseArgs } from 'node:util';
import { newSeed } from '../seeded-random.js';
import { runDamageRounds } from './damage-rounds.js';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '200' }, seed: { type: 'string', default: `${newSeed()}` } },
});
const [rounds, seed] = [Number(values.rounds), Number(values.seed)];
console.log(`${rounds} rounds, seed ${seed}`);
const { found, harmless, undetected } = await runDamageRounds(rounds, seed, (line) => console.log(line));
console.log(`${found} found, ${harmless.length} harmless, ${undetected.length} not detected`);
process.exitCode = undetected.length === 0 ? 0 : 1;
