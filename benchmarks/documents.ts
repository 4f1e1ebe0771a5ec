// `npm run bench:documents`: documents in and out over HTTP, beside a bare HTTP server.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { builtFile, runBenchmark, type Start, sendCommand } from './bench-servers.js';
import type { ServerProcess } from './child-process.js';
import { documentCollections, documentText } from './document-requests.js';
import type { Figure } from './figures.js';
import { atLeast, atMost, LoadRuns } from './load-runs.js';
import type { RequestKind } from './request-kinds.js';
import { rowsPerInsertMany } from './request-source.js';

const help = `usage: npm run bench:documents -- [options]
  --seconds N            length of one run (4)
  --rounds N             runs of each figure, whose median counts (3)
  --documents N          documents in the collection that is read (1000000)
  --server-entry FILE    the server to measure (the built colonnade)`;

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    documents: { type: 'string', default: '1000000' },
    'server-entry': { type: 'string', default: builtFile('../server/colonnade.js') },
    help: { type: 'boolean', default: false },
  },
});

const rowCount = Math.ceil(Number(options.documents) / rowsPerInsertMany) * rowsPerInsertMany;
const loads = new LoadRuns({ seconds: Number(options.seconds), rounds: Number(options.rounds), rowCount });
const connections = 64;
/** Entries of a document of `documentText`, without repeated ones. */
const entriesPerDocument = 24;
const mostFillSeconds = 1_200;

if (options.help) console.log(help);
else await runBenchmark('documents', loads, measure);

async function measure(start: Start, directory: string): Promise<readonly Figure[]> {
  const server = await start(options['server-entry'], 'documents');
  const reference = await start(builtFile('reference-server.js'), 'reference');
  for (const name of Object.values(documentCollections)) {
    const command = { createCollection: { name, options: { lexical: { enabled: false } } } };
    await sendCommand(server.port, '/v1/default_keyspace', command);
  }
  await fill(server);
  const figures = [measureSize(join(directory, 'documents'))];
  figures.push(...(await measureInserts(server, reference)));
  figures.push(...(await measureRates(server, reference)));
  figures.push(...(await measurePages(server)));
  await reference.stop();
  await server.stop();
  return figures;
}

async function fill(server: ServerProcess): Promise<void> {
  const requests = rowCount / rowsPerInsertMany;
  const request = 'fillDocuments';
  const report = await loads.load(server, { request, connections: 16, requests, seconds: mostFillSeconds });
  if (report.requests < requests)
    throw new Error(`the collection could not be filled in ${mostFillSeconds} s`);
}

async function measureInserts(server: ServerProcess, reference: ServerProcess): Promise<readonly Figure[]> {
  const inserts = await alternate('insertDocument', server, reference);
  const entries = (inserts.value * entriesPerDocument * 60) / 1e6;
  return [
    { name: `insertOne, ${connections} connections`, ...inserts, unit: 'req/s', target: atLeast(0.25) },
    { name: 'its index entries', value: entries, unit: 'million/min', target: atLeast(5) },
  ];
}

async function measureRates(server: ServerProcess, reference: ServerProcess): Promise<readonly Figure[]> {
  const measured: readonly (readonly [RequestKind, string, number])[] = [
    ['findDocumentById', 'findOne by _id', 0.5],
    ['findDocumentByPath', 'findOne by a path', 0.3],
    ['incrementDocument', 'findOneAndUpdate with $inc', 0.25],
  ];
  const figures: Figure[] = [];
  for (const [request, name, limit] of measured) {
    const pair = await alternate(request, server, reference);
    figures.push({
      name: `${name}, ${connections} connections`,
      ...pair,
      unit: 'req/s',
      target: atLeast(limit),
    });
  }
  return figures;
}

function alternate(request: RequestKind, server: ServerProcess, reference: ServerProcess) {
  const rate = async (target: ServerProcess) =>
    (await loads.load(target, { request, connections })).requestsPerSecond;
  return loads.alternate(
    () => rate(reference),
    () => rate(server),
  );
}

/** The time to the first page, by one client. */
async function measurePages(server: ServerProcess): Promise<readonly Figure[]> {
  const measured: readonly (readonly [RequestKind, string])[] = [
    ['pageByCity', 'equality, one document in 300'],
    ['pageByScore', 'a range of a number'],
    ['pageByTag', 'an array element'],
    ['pageByExists', '$exists, one document in 1000'],
    ['pageBySize', '$size, one document in 4'],
    ['pageByTwo', 'two equalities'],
    ['pageByTwoFrequent', 'a frequent equality and a range'],
  ];
  const figures: Figure[] = [];
  for (const [request, name] of measured) {
    const { p50Ms } = await loads.load(server, { request, connections: 1 });
    figures.push({ name: `first page by ${name}, p50`, value: p50Ms, unit: 'ms', target: atMost(3) });
  }
  return figures;
}

/** While only the collection that is read has documents. */
function measureSize(directory: string): Figure {
  const sampled = 1_000;
  let characters = 0;
  for (let at = 0; at < sampled; at += 1)
    characters += documentText(Math.floor((at * rowCount) / sampled)).length;
  const bytes = ['data.db', 'data.db-wal'].reduce((sum, name) => sum + sizeOf(join(directory, name)), 0);
  const reference = ((characters / sampled) * rowCount) / 1e6;
  const name = 'data file, against the text of the documents';
  return { name, value: bytes / 1e6, reference, unit: 'MB', target: atMost(3.5) };
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
