// The long form of the kills under documents: `node dist/tests/faults/run-document-kills.js --rounds 100 [--seed 1]`.
import { parseArgs } from 'node:util';
import { newSeed } from '../seeded-random.js';
import { runDocumentKills } from './document-kills.js';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '50' }, seed: { type: 'string', default: `${newSeed()}` } },
});
console.log(`${values.rounds} rounds, seed ${values.seed}`);
const acknowledged = await runDocumentKills(Number(values.rounds), Number(values.seed));
console.log(`${acknowledged} acknowledged changes survived`);
