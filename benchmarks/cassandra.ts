// `npm run bench:cassandra`: rows and documents in a cluster against the bare driver, and what searches find; what
// watching costs the nodes and us, whether a busy node is called down, and what several workers bring.
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { CassandraMeasurement } from './cassandra-runs/cassandra-measurement.js';
import { measureDocuments } from './cassandra-runs/documents-run.js';
import { measureLoad } from './cassandra-runs/load-run.js';
import { measureRecall } from './cassandra-runs/recall-run.js';
import { measureServing } from './cassandra-runs/serving-run.js';
import { measureSimulated } from './cassandra-runs/simulated-run.js';
import { measureWatching } from './cassandra-runs/watching-run.js';
import { measureWorkers } from './cassandra-runs/workers-run.js';
import { describeMachine, formatFigures } from './figures.js';

/** By the names that the command line takes. */
const measurements: Readonly<Record<string, CassandraMeasurement>> = {
  serving: measureServing,
  documents: measureDocuments,
  recall: measureRecall,
  watching: measureWatching,
  simulated: measureSimulated,
  load: measureLoad,
  workers: measureWorkers,
};

const help = `usage: npm run bench:cassandra -- [options] [${Object.keys(measurements).join('|')}]...
  --seconds N  of each span that is measured; a run of serving and documents takes a tenth of it (60)
  --rounds N   spans watched and unwatched of one real node, and runs of serving and documents, by turns (3)
  --vectors N  rows that are searched in serving and recall (10000)
  --nodes N    simulated nodes (100)
  --tables N   tables of users in the cluster (20)
  --minutes N  of load on a real node (30)`;

const { positionals, values: options } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '60' },
    rounds: { type: 'string', default: '3' },
    vectors: { type: 'string', default: '10000' },
    nodes: { type: 'string', default: '100' },
    tables: { type: 'string', default: '20' },
    minutes: { type: 'string', default: '30' },
    help: { type: 'boolean', default: false },
  },
});

if (options.help) console.log(help);
else await main();

async function main(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'colonnade-bench-cassandra-'));
  const numbers = {
    seconds: Number(options.seconds),
    rounds: Number(options.rounds),
    vectors: Number(options.vectors),
    nodes: Number(options.nodes),
    tables: Number(options.tables),
    minutes: Number(options.minutes),
  };
  try {
    for (const name of positionals.length === 0 ? Object.keys(measurements) : positionals) {
      const measure = measurements[name];
      if (measure === undefined) throw new Error(`there is no "${name}"\n${help}`);
      const { figures, notes } = await measure({ directory: join(directory, name), ...numbers });
      console.log([`\n${name}\n`, formatFigures(figures), '', ...notes].join('\n'));
      console.log(
        `load of the machine at the end: ${loadavg()
          .map((load) => load.toFixed(1))
          .join(' ')}`,
      );
    }
    console.log(`\n${describeMachine()}`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
