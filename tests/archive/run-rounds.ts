// `npm run restores`: rounds of servers that lose their data directory, or their archive while another server waits to
// take over, with the archive behind a store that fails.
import { parseArgs } from 'node:util';
import { makeTemporaryDirectory } from '../acceptance/start-server.js';
import { newSeed, seededRandom } from '../seeded-random.js';
import type { WayBack } from './next-first-server.js';
import { playOnStore, playPartitionsOnStore } from './play-on-store.js';
import { playPartitions } from './play-partitions.js';
import { playRounds } from './play-rounds.js';
import { gatewayProgram } from './s3-gateway.js';

const help = `usage: npm run restores -- [options]
  --rounds N        how many rounds (300)
  --back WAY        how the next first server comes about: restore (the default), promotion or mixed
  --acknowledge     with --archive-acknowledge yes: no acknowledged change may be missing
  --takeover        with --archive-takeover yes
  --two             rounds of two servers, of which one loses the store, is stopped, or has a wrong clock
  --moments N       how many random moments of the rounds are restored at the end (50); not with --two
  --within MS       after which an acknowledged change must be in the archive (1000); more on a busy machine
  --seed N          of the random choices (random)
  --directory       the archive is in a directory, not in the object store whose program S3_GATEWAY names`;

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '300' },
    back: { type: 'string', default: 'restore' },
    acknowledge: { type: 'boolean', default: false },
    takeover: { type: 'boolean', default: false },
    two: { type: 'boolean', default: false },
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
  const startedMs = Date.now();
  console.log(`seed ${options.seed}`);
  const playing = {
    ...{ rounds: Number(options.rounds), withinMs: Number(options.within) },
    isAcknowledgedByArchive: options.acknowledge,
    random: seededRandom(Number(options.seed)),
    report: console.log,
  };
  const problems = options.two ? await playTwo(playing) : await playOne(playing);
  for (const problem of problems) console.error(problem);
  console.log(`${problems.length} problems, ${Math.round((Date.now() - startedMs) / 1000)} s`);
  if (problems.length > 0) process.exitCode = 1;
}

type Playing = Pick<
  Parameters<typeof playRounds>[0],
  'rounds' | 'withinMs' | 'isAcknowledgedByArchive' | 'random' | 'report'
>;

async function playOne(playing: Playing): Promise<readonly string[]> {
  const rounds = { ...playing, ways: wayBack(options.back), moments: Number(options.moments) };
  const serverArgs = serverArgsOf(options.takeover);
  const place = { archive: makeTemporaryDirectory(), args: [], serverArgs };
  const { acknowledged, faults, mostBehindMs, problems } = options.directory
    ? await playRounds({ ...rounds, place, proxy: undefined })
    : await playOnStore(gatewayProgram ?? '', { ...rounds, serverArgs });
  console.log(
    `${acknowledged} changes, ${faults} requests that met a fault, at most ${mostBehindMs} ms behind when killed`,
  );
  return problems;
}

async function playTwo(playing: Playing): Promise<readonly string[]> {
  const serverArgs = serverArgsOf(true);
  const machine = { place: { archive: makeTemporaryDirectory(), args: [], serverArgs }, proxy: undefined };
  const { acknowledged, takeovers, problems } = options.directory
    ? await playPartitions({ ...playing, machines: [machine, machine] })
    : await playPartitionsOnStore(gatewayProgram ?? '', { ...playing, serverArgs });
  console.log(`${acknowledged} changes, ${takeovers} servers that were there when another one took over`);
  return problems;
}

function serverArgsOf(isTakeover: boolean): readonly string[] {
  // A busy machine does not renew a lease of a second in time, and ships nothing without it.
  const lease = ['--archive-lease', '3'];
  const takeover = isTakeover ? ['--archive-takeover', 'yes'] : [];
  return [...lease, ...takeover, ...(options.acknowledge ? ['--archive-acknowledge', 'yes'] : [])];
}

function wayBack(text: string): WayBack {
  if (text === 'restore' || text === 'promotion' || text === 'mixed') return text;
  throw new RangeError(`--back is ${text}: it is restore, promotion or mixed`);
}
