// `npm run histories`: rounds of loads on rows and documents of three nodes that fail, each with its own seed.
import { appendFileSync, cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { missingForCassandra } from '../../../tools/start-cassandra/cassandra-jars.js';
import { type CassandraNodes, startCassandra } from '../../../tools/start-cassandra/start-cassandra.js';
import { newSeed, type SeededRandom, seededRandom } from '../../seeded-random.js';
import { HistoryServers } from './history-servers.js';
import type { FaultyNode } from './node-faults.js';
import { playRound, type RoundResult } from './play-round.js';
import { isAbort, type RunLimits, runLimits } from './run-limits.js';
import { compileTroubles, troubledProcess } from './troubles.js';

const help = `usage: npm run histories -- [options]
  --hours N        how long (4), at most 596; the last round is ended early
  --rounds N       at most so many rounds
  --seed N         of the first round; the seeds of the others are drawn from it (random)
  --soak           tables and collections come and go meanwhile
  --directory DIR  where the nodes keep their data, and what is written of failures (histories)
  --results FILE   gets one line for each round (DIR/results.jsonl)`;

const nodeCount = 3;
const mostProblems = 20;

const { values: options } = parseArgs({
  options: {
    hours: { type: 'string', default: '4' },
    rounds: { type: 'string' },
    seed: { type: 'string', default: String(newSeed()) },
    soak: { type: 'boolean', default: false },
    directory: { type: 'string', default: 'histories' },
    results: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const missing = missingForCassandra();
if (options.help) console.log(help);
else if (missing !== undefined) {
  console.error(`Cassandra cannot be started: ${missing}`);
  process.exitCode = 1;
} else await main();

async function main(): Promise<void> {
  const limits = runLimits(options);
  const interruption = new AbortController();
  const interrupt = () => interruption.abort();
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  const directory = resolve(options.directory);
  const nodesDirectory = join(directory, 'nodes');
  if (existsSync(nodesDirectory)) throw new Error(`${nodesDirectory} is there: another run may use it`);
  mkdirSync(nodesDirectory, { recursive: true });
  const end = setTimeout(interrupt, limits.timeMs);
  try {
    await playRounds(directory, nodesDirectory, limits, interruption.signal);
  } catch (error) {
    if (!isAbort(error, interruption.signal)) throw error;
    console.error('interrupted');
  } finally {
    clearTimeout(end);
    rmSync(nodesDirectory, { recursive: true, force: true });
  }
}

async function playRounds(
  directory: string,
  nodesDirectory: string,
  limits: RunLimits,
  interruption: AbortSignal,
): Promise<void> {
  const library = compileTroubles(nodesDirectory);
  const troubles = new Map(
    Array.from({ length: nodeCount }, (_, at) => {
      const address = `127.0.0.${at + 1}`;
      return [address, troubledProcess(library, join(nodesDirectory, `troubles-${address}`))] as const;
    }),
  );
  const processOf = (address: string) => {
    const process = troubles.get(address);
    if (process === undefined) throw new Error(`there are no troubles for ${address}`);
    return process;
  };
  const cluster = await startCassandra({
    directory: nodesDirectory,
    // The build has no pom: it is beside the source.
    toolFolder: fileURLToPath(new URL('../../../../tools/start-cassandra', import.meta.url)),
    nodeCount,
    // Nodes start again every few minutes.
    compilesSimply: true,
    syncsWrites: true,
    environmentOf: (address) => processOf(address).environment,
    interruption,
  });
  const servers = new HistoryServers(cluster, library, nodesDirectory);
  try {
    const nodes = cluster.nodes.map((node) => ({ node, process: processOf(node.place.address) }));
    await playSeeds({ cluster, nodes, servers, directory, limits, interruption });
  } finally {
    await servers.stop();
    await cluster.stop();
  }
}

interface Run {
  readonly cluster: CassandraNodes;
  readonly nodes: readonly FaultyNode[];
  readonly servers: HistoryServers;
  readonly directory: string;
  readonly limits: RunLimits;
  readonly interruption: AbortSignal;
}

async function playSeeds(run: Run): Promise<void> {
  const { cluster, nodes, servers, directory, limits, interruption } = run;
  const seeds = seededRandom(limits.seed);
  let { seed } = limits;
  for (let round = 0; round < limits.rounds && !interruption.aborted; round += 1) {
    const clockMs = serverClockOf(seededRandom(seed ^ 1));
    const { all, agreeing } = await servers.withClock(clockMs);
    const startedAt = new Date();
    const stage = { cluster, nodes, servers: all, agreeing, interruption };
    try {
      const result = await playRound(stage, seed, options.soak);
      writeResult(directory, { seed, startedAt, clockMs, result });
    } catch (error) {
      writeResult(directory, { seed, startedAt, clockMs, result: brokenRound(error) });
      throw error;
    }
    seed = seeds.below(2 ** 31);
  }
}

/** The result of a round that could not be played to its end. */
function brokenRound(error: unknown): RoundResult {
  const problem = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { faults: [], calls: {}, memoryMb: [], problems: [problem], notes: null };
}

/** What the clock of the second server is ahead in a round: in two of three nothing. */
function serverClockOf(random: SeededRandom): number {
  if (options.soak || !random.oneIn(3)) return 0;
  return (random.oneIn(2) ? 1 : -1) * (2_000 + random.below(300_000));
}

interface PlayedRound {
  readonly seed: number;
  readonly startedAt: Date;
  readonly clockMs: number;
  readonly result: RoundResult;
}

function writeResult(directory: string, { seed, startedAt, clockMs, result }: PlayedRound): void {
  const { problems, notes, faults, ...others } = result;
  const seconds = Math.round((Date.now() - startedAt.getTime()) / 1000);
  const line = {
    ...{ startedAt, kind: options.soak ? 'soak' : 'histories', seed, seconds },
    faults: [...faults, ...(clockMs === 0 ? [] : [`wrongClock of ${clockMs} ms on server 2`])],
    ...others,
    verdict: problems.length === 0 ? 'held' : 'failed',
    problems: problems.slice(0, mostProblems),
  };
  const text = JSON.stringify(line);
  appendFileSync(options.results ?? join(directory, 'results.jsonl'), `${text}\n`);
  console.log(text);
  if (problems.length === 0) return;
  process.exitCode = 1;
  writeFileSync(join(directory, `failed-${seed}.json`), JSON.stringify({ ...line, problems, notes }));
  for (let node = 1; node <= nodeCount; node += 1)
    cpSync(
      join(directory, 'nodes', `node${node}`, 'logs'),
      join(directory, `failed-${seed}-logs`, `node${node}`),
      {
        recursive: true,
      },
    );
}
