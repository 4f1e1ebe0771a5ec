// The long form: `node dist/tests/faults/run-grammar-fuzzer.js --commands 1000000 [--seed 1] [--extended]`.
import { parseArgs } from 'node:util';
import { newSeed } from '../seeded-random.js';
import { sendGrammar } from './grammar-fuzzer.js';

const { values } = parseArgs({
  options: {
    commands: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: `${newSeed()}` },
    extended: { type: 'boolean', default: false },
  },
});
const [count, seed] = [Number(values.commands), Number(values.seed)];
console.log(`${count} commands, seed ${seed}`);
console.table(Object.fromEntries(await sendGrammar(count, seed, values.extended ? 'extended' : 'strict')));
