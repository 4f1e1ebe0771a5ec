// The long form of the random documents: `node dist/tests/documents/run-model.js --commands 200000 [--seed 1]`.
import { parseArgs } from 'node:util';
import { newSeed } from '../seeded-random.js';
import { compareWithModel } from './compare-with-model.js';

const { values } = parseArgs({
  options: {
    commands: { type: 'string', default: '20000' },
    seed: { type: 'string', default: `${newSeed()}` },
  },
});
console.log(`seed ${values.seed}`);
const { commands, documents } = await compareWithModel(Number(values.commands), Number(values.seed));
console.log(`${commands} commands, ${documents} documents`);
