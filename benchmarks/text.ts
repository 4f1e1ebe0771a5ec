// `npm run bench:text`: text search over HTTP beside SQLite's FTS5, and what a text index costs inserts.
import { existsSync, mkdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { builtFile, runBenchmark, type Start } from './bench-servers.js';
import { startServer } from './child-process.js';
import type { Figure } from './figures.js';
import { LoadRuns } from './load-runs.js';
import { FtsIndex } from './text/fts-index.js';
import { InsertRuns } from './text/insert-runs.js';
import { howToInstallTantivy, PeerRuns } from './text/peer-runs.js';
import { SearchRuns } from './text/search-runs.js';
import { makeTexts } from './text/text-data.js';

const help = `usage: npm run bench:text -- [options]
  --seconds N            length of one run of searches (3)
  --rounds N             runs of each figure, whose median counts (3)
  --rows N               rows (1000000)
  --words N              words of a row (40)
  --compared N           rows that are inserted with and without the index to compare the processor time (50000)
  --peer PYTHON          a Python that has tantivy, beside which searches are measured
  --only-peer            no other searches
  --data DIR             keep the filled tables in this directory, and search those that are there
  --server-entry FILE    the server to measure (the built colonnade)`;

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '3' },
    rows: { type: 'string', default: '1000000' },
    words: { type: 'string', default: '40' },
    compared: { type: 'string', default: '50000' },
    data: { type: 'string' },
    peer: { type: 'string' },
    'only-peer': { type: 'boolean', default: false },
    'server-entry': { type: 'string', default: builtFile('../server/colonnade.js') },
    help: { type: 'boolean', default: false },
  },
});

const rowCount = Number(options.rows);
const loads = new LoadRuns({ seconds: Number(options.seconds), rounds: Number(options.rounds), rowCount });

if (options.help) console.log(help);
else await runBenchmark('text', loads, measure);

async function measure(start: Start, temporary: string): Promise<readonly Figure[]> {
  const directory = options.data === undefined ? temporary : resolve(options.data);
  const ftsFile = join(directory, 'fts.db');
  const isFilled = existsSync(ftsFile);
  mkdirSync(directory, { recursive: true });
  // `start` takes a directory within the temporary one.
  const dataDirectory = relative(temporary, join(directory, 'data'));
  const server = await start(options['server-entry'], dataDirectory, '--dialect', 'extended');
  const fts = new FtsIndex(ftsFile);
  const inserts = new InsertRuns(loads, server, fts, makeTexts(Number(options.words)));
  const figures: Figure[] = isFilled
    ? []
    : [...(await inserts.measure(rowCount, Math.min(rowCount, Number(options.compared))))];
  const reference = await startServer(builtFile('text/fts-server.js'), [ftsFile]);
  try {
    if (!options['only-peer'])
      figures.push(...(await new SearchRuns(loads, { server, reference, fts }).measure()));
    if (options.peer === undefined) console.log(howToInstallTantivy);
    else {
      const peer = new PeerRuns(loads, server, options.peer, directory);
      figures.push(...(await peer.measure(makeTexts(Number(options.words)))));
    }
  } finally {
    await reference.stop();
    fts.close();
  }
  return figures;
}
