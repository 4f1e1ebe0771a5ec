// `npm run bench:soak`: whether the memory of a server that works lightly for a long time levels off.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { builtFile } from './bench-servers.js';
import { startServer } from './child-process.js';
import { describeMachine, median } from './figures.js';
import { SoakLoad, type SoakRates } from './soak-load.js';

const help = `usage: npm run bench:soak -- [options]
  --minutes N         how long (15)
  --tables N          tables made, used and dropped a second (1)
  --vector-tables N   the same of tables with a vector index (0.1)
  --searches N        vector searches a second (20)
  --reads N           findOne a second (20)
  --writes N          insertOne a second, on a fixed number of rows (20)
  --node-args TEXT    arguments of the server's Node, separated by blanks
  --environment TEXT  NAME=VALUE for the server, separated by blanks`;

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '15' },
    tables: { type: 'string', default: '1' },
    'vector-tables': { type: 'string', default: '0.1' },
    searches: { type: 'string', default: '20' },
    reads: { type: 'string', default: '20' },
    writes: { type: 'string', default: '20' },
    'node-args': { type: 'string', default: '' },
    environment: { type: 'string', default: '' },
    help: { type: 'boolean', default: false },
  },
});

/** What is read of the server at one moment, in MB (2^20 bytes). */
type Sample = Readonly<Record<(typeof sampled)[number], number>>;

const sampled = ['resident', 'anonymous', 'heap', 'external'] as const;
const fifths = 5;
const sampleEveryMs = 2000;

if (options.help) console.log(help);
else await main();

async function main(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'colonnade-bench-soak-'));
  for (const pair of wordsOf(options.environment)) {
    const [name = '', value = ''] = pair.split('=');
    process.env[name] = value; // the server inherits it
  }
  const args = ['serve', '--port', '0', '--ops-port', '0', '--log-level', 'warn', '--data-dir', directory];
  const entry = builtFile('../server/colonnade.js');
  const [first = entry, ...others] = [...wordsOf(options['node-args']), entry];
  const server = await startServer(first, [...others, ...args]);
  try {
    const rates: SoakRates = {
      tables: Number(options.tables),
      vectorTables: Number(options['vector-tables']),
      searches: Number(options.searches),
      reads: Number(options.reads),
      writes: Number(options.writes),
    };
    const load = new SoakLoad(server.port, rates);
    await load.prepare();
    const samples: Sample[] = [];
    const endMs = performance.now() + Number(options.minutes) * 60_000;
    const running = load.run(endMs);
    for (let nextMs = performance.now(); nextMs < endMs; nextMs += sampleEveryMs) {
      await new Promise((resolve) => setTimeout(resolve, nextMs - performance.now()));
      samples.push(await sampleOf(server.pid, server.opsPort()));
    }
    await running;
    printFifths(samples);
    console.log(`\n${load.describe()}\n${describeMachine()}; ${options.minutes} min`);
    if (load.errorCount > 0) process.exitCode = 1;
  } finally {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

function wordsOf(text: string): readonly string[] {
  return text.split(' ').filter((word) => word !== '');
}

async function sampleOf(pid: number, opsPort: number): Promise<Sample> {
  const metrics = await (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text();
  const status = readIfThere(`/proc/${pid}/status`);
  const inMetrics = (name: string) => megabytes(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1], 1);
  const inStatus = (name: string) =>
    megabytes(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1], 1024);
  return {
    resident: inStatus('VmRSS'),
    anonymous: inStatus('RssAnon'),
    heap: inMetrics('nodejs_heap_size_used_bytes'),
    external: inMetrics('nodejs_external_memory_bytes'),
  };
}

function megabytes(text: string | undefined, unit: number): number {
  return text === undefined ? Number.NaN : (Number(text) * unit) / 2 ** 20;
}

/** Empty where the system has no such file. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** The median of each fifth; what grows for as long as the server works rises from each one to the next. */
function printFifths(samples: readonly Sample[]): void {
  console.log(`| fifth | ${sampled.map((name) => `${name}, MB`).join(' | ')} |`);
  console.log(`|---|${'---|'.repeat(sampled.length)}`);
  for (let fifth = 0; fifth < fifths; fifth += 1) {
    const from = Math.floor((samples.length * fifth) / fifths);
    const part = samples.slice(from, Math.floor((samples.length * (fifth + 1)) / fifths));
    const cells = sampled.map((name) => median(part.map((sample) => sample[name])).toFixed(1));
    console.log(`| ${fifth + 1} | ${cells.join(' | ')} |`);
  }
}
