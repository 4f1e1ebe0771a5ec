// `npm run bench:ab`: another commit of this repository beside this one, in one run by turns.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { builtFile, type Start, withServers } from './bench-servers.js';
import { buildCommit, commitOf, newestRelease } from './compared-builds/build-commit.js';
import { ComparedLoads } from './compared-builds/compare-loads.js';
import { type Comparison, formatComparisons, type Sides, slowerWorks } from './compared-builds/comparison.js';
import { describeMachine } from './figures.js';
import { LoadRuns } from './load-runs.js';
import { rowsPerInsertMany } from './request-source.js';

const help = `usage: npm run bench:ab -- [COMMIT] [options]
  COMMIT                 the commit to compare with (the newest release)
  --short                three rounds of a second on small tables, in about three minutes
  --only TEXT            areas whose name contains the text: rows, documents, words, vectors, process
  --seconds N            length of one run (4)
  --rounds N             runs of each figure, whose median counts (5)
  --rows N               rows and documents of each read table (100000)
  --vectors N            rows of a bulk load of vectors (20000)`;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    seconds: { type: 'string' },
    rounds: { type: 'string' },
    rows: { type: 'string' },
    vectors: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const usual = options.short
  ? { seconds: 1, rounds: 3, rows: 10_000, vectors: 3_000, idleMs: 3_000 }
  : { seconds: 4, rounds: 5, rows: 100_000, vectors: 20_000, idleMs: 30_000 };
const rows = wholeRequests(options.rows, usual.rows);
const loads = new LoadRuns({
  seconds: Number(options.seconds ?? usual.seconds),
  rounds: Number(options.rounds ?? usual.rounds),
  rowCount: rows,
});

if (options.help) console.log(help);
else await main(positionals[0] ?? newestRelease() ?? commitInFile());

/** Compared until there is a release. */
function commitInFile(): string {
  return readFileSync(new URL('../../benchmarks/compared-commit', import.meta.url), 'utf8').trim();
}

async function main(name: string): Promise<void> {
  const commit = commitOf(name);
  if (commit === undefined) {
    console.error(`this clone has no commit ${name}`);
    process.exitCode = 2;
    return;
  }
  const build = mkdtempSync(join(tmpdir(), 'colonnade-bench-ab-'));
  try {
    console.log(`building ${commit.slice(0, 12)}`);
    const entries = { older: buildCommit(commit, build), newer: builtFile('../server/colonnade.js') };
    const found = await withServers('ab', (start) => measure(start, entries));
    const { seconds, rounds } = loads.settings;
    console.log(`\n${formatComparisons(found)}\n`);
    console.log(`${name} → this build; ${describeMachine()}; ${rows} rows, ${rounds} × ${seconds} s`);
    const slower = slowerWorks(found);
    console.log(slower.length === 0 ? 'nothing is more than a tenth worse' : 'more than a tenth worse:');
    for (const line of slower) console.log(`  ${line}`);
    if (loads.errorCount > 0) throw new Error(`${loads.errorCount} requests failed`);
  } finally {
    rmSync(build, { recursive: true, force: true });
  }
}

async function measure(start: Start, entries: Sides<string>): Promise<readonly Comparison[]> {
  const found = 'process'.includes(options.only) ? await measureStarts(start, entries) : [];
  const servers = { older: await start(entries.older, 'older'), newer: await start(entries.newer, 'newer') };
  const sizes = { rows, vectors: wholeRequests(options.vectors, usual.vectors) };
  return [...(await new ComparedLoads(loads, servers, sizes).measure(options.only)), ...found];
}

/** Each start has a new data directory; the memory is that of a server that got no request. */
async function measureStarts(start: Start, entries: Sides<string>): Promise<readonly Comparison[]> {
  let count = 0;
  const startOne = async (entry: string, idleMs: number) => {
    count += 1;
    const server = await start(entry, `start-${count}`);
    await sleep(idleMs);
    const found = { startMs: server.startToReadyMs, memoryMb: server.residentMb() };
    await server.stop();
    return found;
  };
  const rounds = await loads.repeat(async () => ({
    older: await startOne(entries.older, usual.idleMs),
    newer: await startOne(entries.newer, usual.idleMs),
  }));
  const line = (name: string, unit: string, key: 'startMs' | 'memoryMb'): Comparison => ({
    name,
    unit,
    isBetter: 'lower',
    rounds: rounds.map(({ older, newer }) => ({
      older: { value: older[key] },
      newer: { value: newer[key] },
    })),
  });
  return [line('start to ready', 'ms', 'startMs'), line('memory when idle', 'MB', 'memoryMb')];
}

/** Tables are filled by requests of a hundred rows. */
function wholeRequests(given: string | undefined, usually: number): number {
  return Math.ceil(Number(given ?? usually) / rowsPerInsertMany) * rowsPerInsertMany;
}
