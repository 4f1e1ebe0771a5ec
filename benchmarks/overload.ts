// `npm run bench:overload`: a server with a heap of 1 GB under everything that clients can do to it at the same time.
import { parseArgs } from 'node:util';
import type { Attack } from '../tests/faults/overload-attack.js';
import { attackNamed, attacks, shareConnections } from '../tests/faults/overload-attacks.js';
import type { AttackTally } from '../tests/faults/overload-messages.js';
import { type OverloadReport, runOverload } from '../tests/faults/overload-run.js';
import { fullSizes, smallSizes } from '../tests/faults/overload-tables.js';
import { describeMachine, type Figure, formatFigures, isMet } from './figures.js';
import { atMost } from './load-runs.js';

const help = `usage: npm run bench:overload -- [options]
  --only NAME[,NAME]   these attacks only, each with all of its connections
  --list               the attacks
  --minutes N          how long they last (10)
  --connections N      of all attacks together (500, with --only as many as they have)
  --settle N           seconds before everything must be as before (60)
  --small              less data, as in the tests: it is made in seconds
  --heap N             the server's heap in MB (1024)
  --stop-at N          the server is stopped when it has more memory than so many MB (3072)`;

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    list: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '10' },
    connections: { type: 'string' },
    settle: { type: 'string', default: '60' },
    small: { type: 'boolean', default: false },
    heap: { type: 'string', default: '1024' },
    'stop-at': { type: 'string', default: '3072' },
    help: { type: 'boolean', default: false },
  },
});

const mostResidentMb = 1536;
const mostFindMs = 150;
const mostConnectMs = 100;
const mostTurnMs = 100;
const mixtureConnections = 500;

if (options.help) console.log(help);
else if (options.list)
  for (const attack of attacks) console.log(`${attack.name} (${attack.connections}): ${attack.help}`);
else await main();

async function main(): Promise<void> {
  const chosen: readonly Attack[] = options.only?.split(',').map(attackNamed) ?? attacks;
  const ofMixture = options.only === undefined ? mixtureConnections : undefined;
  const connections = options.connections === undefined ? ofMixture : Number(options.connections);
  const report = await runOverload({
    attacks: chosen,
    connections,
    sizes: options.small ? smallSizes : fullSizes,
    seconds: Number(options.minutes) * 60,
    watchSeconds: 10,
    settleSeconds: Number(options.settle),
    stallSeconds: 30,
    patienceSeconds: 60,
    requestTimeoutSeconds: 20,
    heapMb: Number(options.heap),
    stopAtMb: Number(options['stop-at']),
    log: (line) => console.log(line),
  });
  const share = [...shareConnections(chosen, connections).values()].reduce((sum, count) => sum + count, 0);
  const figures = figuresOf(report);
  console.log(`\n${formatTallies(report.tallies)}\n\n${formatFigures(figures)}`);
  console.log(`\n${share} connections for ${options.minutes} min; ${describeMachine()}`);
  const missed = figures.filter((figure) => !isMet(figure)).map(({ name }) => `missed target: ${name}`);
  const faults = [...faultsOf(report), ...missed];
  for (const fault of faults) console.log(fault);
  if (faults.length > 0) process.exitCode = 1;
}

function formatTallies(tallies: readonly AttackTally[]): string {
  const lines = tallies.map(({ name, connections, verdicts, outcomes }) => {
    const { done, refused, cut, wrong } = verdicts;
    const shown = Object.entries(outcomes).map(([outcome, count]) => `${count} × ${outcome}`);
    return `| ${[name, connections, done, refused, cut, wrong, shown.join(', ')].join(' | ')} |`;
  });
  const head =
    '| attack | connections | done | refused | cut off | wrong | outcomes |\n|---|---|---|---|---|---|---|';
  return [head, ...lines].join('\n');
}

function figuresOf({ before, during, after, kept }: OverloadReport): readonly Figure[] {
  const memory: Figure = {
    name: 'highest memory',
    value: during?.maxResidentMb ?? Number.NaN,
    unit: 'MB',
    target: atMost(mostResidentMb),
  };
  const memoryAfterwards: Figure = {
    name: 'memory afterwards, against before',
    value: after?.lastResidentMb ?? Number.NaN,
    reference: before.lastResidentMb ?? Number.NaN,
    unit: 'MB',
    target: atMost(2),
  };
  const showsMemory = before.maxResidentMb !== undefined; // not every system does
  const ms = (name: string, value: number | undefined, limit: number): Figure => ({
    name,
    value: value ?? Number.NaN,
    unit: 'ms',
    target: atMost(limit),
  });
  return [
    ...(showsMemory ? [memory] : []),
    ms('p50 of findOne beside it', during?.findOne.p50Ms, mostFindMs),
    ms('p99 of findOne beside it', during?.findOne.p99Ms, mostFindMs),
    ms('longest findOne beside it', during?.findOne.maxMs, Number.POSITIVE_INFINITY),
    ms('p99 of a new connection and its first reply', during?.connect.p99Ms, mostConnectMs),
    ms('longest of these', during?.connect.maxMs, Number.POSITIVE_INFINITY),
    ms('longest turn of the data service', during?.longestTurnMs, mostTurnMs),
    ms('longest turn of the operations service', during?.longestOpsTurnMs, mostTurnMs),
    count('findOne that failed beside it', during?.findOne.failed),
    count('new connections that failed', during?.connect.failed),
    count('acknowledged writes that were lost', kept.flatMap(({ lost }) => lost).length),
    ...(showsMemory ? [memoryAfterwards] : []),
    {
      name: 'p99 of findOne afterwards, against before',
      value: after?.findOne.p99Ms ?? Number.NaN,
      reference: before.findOne.p99Ms,
      unit: 'ms',
      target: atMost(2),
    },
  ];
}

function count(name: string, value: number | undefined): Figure {
  return { name, value: value ?? Number.NaN, unit: '', target: atMost(0) };
}

function faultsOf({ end, kept, tallies, during }: OverloadReport): readonly string[] {
  const ended =
    end === undefined
      ? []
      : [`the server ${end.wasStopped ? 'was stopped' : `ended (${end.code ?? end.signal})`}\n${end.stderr}`];
  const wrong = tallies.flatMap(({ name, wrong: shown }) => shown.map((outcome) => `${name}: ${outcome}`));
  const failures = [...(during?.findOne.failures ?? []), ...(during?.connect.failures ?? [])];
  return [...ended, ...kept.flatMap(({ lost }) => lost), ...wrong, ...failures];
}
