// `npm run restores`: rounds of servers that lose their data directory, with the archive behind a store that fails.
import { parseArgs } from 'node:util';
import { makeTemporaryDirectory } from '../acceptance/start-server.js';
import { newSeed, seededRandom } from '../seeded-random.js';
import { playOnStore } from './play-on-store.js';
import { playRounds } from './play-rounds.js';
import { gatewayProgram } from './s3-gateway.js';

const help = `usage: npm run restores -- [options]
  --rounds N    how many rounds (300)
  --moments N   how many random moments of them are restored at the end (50)
  --within MS   after which an acknowledged change must be in the archive (1000); more on a busy machine
  --seed N      of the random choices (random)
  --directory   the archive is in a directory, not in the object store whose program S3_GATEWAY names`;

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '300' },
    moments: { type: 'string', default: '50' },
    within: { type: 'string', default: '1000' },
    seed: { type: 'string', default: String(newSeed()) },
    directory: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (options.help) console.log(help);
else if (options.directory || gatewayProgram !== undefined) await main();
else {
  console.error('there is no object store: set S3_GATEWAY to the path of versitygw, or use --directory');
  process.exitCode = 1;
}

async function main(): Promise<void> {
  console.log(`seed ${options.seed}`);
  const playing = {
    ...{ rounds: Number(options.rounds), moments: Number(options.moments), withinMs: Number(options.within) },
    random: seededRandom(Number(options.seed)),
    report: console.log,
  };
  const place = { archive: makeTemporaryDirectory(), args: [] };
  const { acknowledged, faults, problems } = options.directory
    ? await playRounds({ ...playing, place, proxy: undefined })
    : await playOnStore(gatewayProgram ?? '', playing);
  for (const problem of problems) console.error(problem);
  console.log(`${acknowledged} changes, ${faults} requests that met a fault, ${problems.length} problems`);
  if (problems.length > 0) process.exitCode = 1;
}
