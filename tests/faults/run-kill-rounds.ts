// The long form of the kill tests: `node dist/tests/faults/run-kill-rounds.js --rounds 200 [--seed 1]`.
import { parseArgs } from 'node:util';
import { newSeed } from '../seeded-random.js';
import { runKilledFirstStarts, runKillRounds } from './kill-rounds.js';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '100' }, seed: { type: 'string', default: `${newSeed()}` } },
});
const [rounds, seed] = [Number(values.rounds), Number(values.seed)];
console.log(`${rounds} rounds, seed ${seed}`);
const { acknowledged, longestRecoveryMs } = await runKillRounds(rounds, seed);
console.log(
  `${acknowledged} acknowledged writes survived; longest recovery ${Math.round(longestRecoveryMs)} ms`,
);
await runKilledFirstStarts(rounds, seed);
console.log(`${rounds} directories whose first start was killed serve`);
