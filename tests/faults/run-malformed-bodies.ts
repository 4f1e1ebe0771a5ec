// The long form: `node dist/tests/faults/run-malformed-bodies.js --bodies 100000 [--seed 1]`.
import { parseArgs } from 'node:util';
import { newSeed } from '../seeded-random.js';
import { sendMalformedBodies } from './malformed-bodies.js';

const { values } = parseArgs({
  options: {
    bodies: { type: 'string', default: '100000' },
    seed: { type: 'string', default: `${newSeed()}` },
  },
});
const [bodies, seed] = [Number(values.bodies), Number(values.seed)];
console.log(`${bodies} bodies, seed ${seed}`);
const { refused, done } = await sendMalformedBodies(bodies, seed);
console.log(`${refused} refused, ${done} valid after all, no harm done`);
