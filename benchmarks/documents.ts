// `npm run bench:documents`: documents in and out over HTTP, beside a bare HTTP server.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { atRest } from './at-rest.js';
import { builtFile, runBenchmark, type Start, sendCommand } from './bench-servers.js';
import type { ServerProcess } from './child-process.js';
import { documentCollections, documentText } from './document-requests.js';
import { howToInstall, startChroma, startPocketBaseServer } from './document-rivals.js';
import { type Figure, medianPair } from './figures.js';
import { atLeast, atMost, LoadRuns, type PartialPlan } from './load-runs.js';
import type { RequestKind } from './request-kinds.js';
import { rowsPerInsertMany } from './request-source.js';
import { vectorCollection, vectorTable } from './vector-requests.js';

const help = `usage: npm run bench:documents -- [options]
  --seconds N            length of one run (4)
  --rounds N             runs of each figure, whose median counts (3)
  --documents N          documents in the collection that is read (1000000)
  --vectors N            documents with a vector, and rows of the table beside them (20000)
  --pocketbase PROGRAM   PocketBase, measured on the same documents
  --chroma PROGRAM       Chroma, measured on the same vectors
  --server-entry FILE    the server to measure (the built colonnade)`;

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    documents: { type: 'string', default: '1000000' },
    vectors: { type: 'string', default: '20000' },
    pocketbase: { type: 'string' },
    chroma: { type: 'string' },
    'server-entry': { type: 'string', default: builtFile('../server/colonnade.js') },
    help: { type: 'boolean', default: false },
  },
});

const rowCount = Math.ceil(Number(options.documents) / rowsPerInsertMany) * rowsPerInsertMany;
const loads = new LoadRuns({ seconds: Number(options.seconds), rounds: Number(options.rounds), rowCount });
const connections = 64;
const keyspace = '/v1/default_keyspace';
/** Entries of a document of `documentText`, without repeated ones. */
const entriesPerDocument = 24;
const mostFillSeconds = 1_200;
/** Ten seconds after the log was moved into the file it is truncated. */
const longestRestMs = 15_000;

if (options.help) console.log(help);
else await runBenchmark('documents', loads, measure);

async function measure(start: Start, directory: string): Promise<readonly Figure[]> {
  const server = await start(options['server-entry'], 'documents');
  const reference = await start(builtFile('reference-server.js'), 'reference');
  for (const name of Object.values(documentCollections)) {
    const command = { createCollection: { name, options: { lexical: { enabled: false } } } };
    await sendCommand(server.port, keyspace, command);
  }
  await fill(server, 'fillDocuments', rowCount / rowsPerInsertMany);
  await sleep(longestRestMs);
  const figures = [measureSize(join(directory, 'documents'))];
  figures.push(...(await measureInserts(server, reference)));
  await rest(server);
  figures.push(...(await measureRates(server, reference)));
  await rest(server);
  figures.push(...(await measurePages(server)));
  await reference.stop();
  figures.push(...(await measurePocketBase(server, directory)));
  figures.push(...(await measureVectors(server, directory)));
  await server.stop();
  return figures;
}

async function fill(server: ServerProcess, request: RequestKind, requests: number, more: object = {}) {
  const report = await loads.load(server, {
    request,
    connections: 16,
    requests,
    seconds: mostFillSeconds,
    ...more,
  });
  if (report.requests < requests) throw new Error(`${request} did not end in ${mostFillSeconds} s`);
  await rest(server);
}

/** Merges of entries follow on many writes and take a part of a core, which reads would be measured with. */
async function rest(server: ServerProcess): Promise<void> {
  console.log(`at rest after ${Math.round(await atRest(server))} s`);
}

async function measureInserts(server: ServerProcess, reference: ServerProcess): Promise<readonly Figure[]> {
  const name = `insertOne, ${connections} connections`;
  const [inserts, ...more] = await compared(
    name,
    0.25,
    [server, 'insertDocument'],
    [reference, 'insertDocument'],
  );
  const entries = ((inserts?.value ?? 0) * entriesPerDocument * 60) / 1e6;
  const perMinute = { name: 'its index entries', value: entries, unit: 'million/min', target: atLeast(5) };
  return [...(inserts === undefined ? [] : [inserts]), perMinute, ...more];
}

async function measureRates(server: ServerProcess, reference: ServerProcess): Promise<readonly Figure[]> {
  const measured: readonly (readonly [RequestKind, string, number])[] = [
    ['findDocumentById', 'findOne by _id', 0.5],
    ['findDocumentByPath', 'findOne by a path', 0.3],
    ['incrementDocument', 'findOneAndUpdate with $inc', 0.25],
  ];
  const figures: Figure[] = [];
  for (const [request, name, limit] of measured)
    figures.push(
      ...(await compared(
        `${name}, ${connections} connections`,
        limit,
        [server, request],
        [reference, request],
      )),
    );
  return figures;
}

type Side = readonly [target: ServerProcess, request: RequestKind, place?: string];

/** The rates of both sides in turn, and the processor's time of both, which says more on a busy machine. */
async function compared(
  name: string,
  limit: number,
  ours: Side,
  other: Side,
  more: Partial<PartialPlan> = {},
): Promise<readonly Figure[]> {
  const costs: { readonly reference: number; readonly value: number }[] = [];
  let cost = 0;
  const rate = async ([target, request, place]: Side) => {
    const { requestsPerSecond, costUs } = await loads.load(target, { connections, ...more, request, place });
    if (target === other[0]) cost = costUs;
    else costs.push({ reference: cost, value: costUs });
    return requestsPerSecond;
  };
  const pair = await loads.alternate(
    () => rate(other),
    () => rate(ours),
  );
  return [
    { name, ...pair, unit: 'req/s', target: atLeast(limit) },
    {
      name: 'processor time of the same',
      ...medianPair(costs),
      unit: 'µs',
      target: atMost(Math.round(10 / limit) / 10),
    },
  ];
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

/** Ours and PocketBase in turn, on the same documents. */
async function measurePocketBase(server: ServerProcess, directory: string): Promise<readonly Figure[]> {
  if (options.pocketbase === undefined) {
    console.log(howToInstall.pocketBase);
    return [];
  }
  const { server: rival } = await startPocketBaseServer(options.pocketbase, join(directory, 'pocketbase'));
  await fill(rival, 'fillPocketBase', rowCount, { connections });
  const figures: Figure[] = [];
  const measured: readonly (readonly [RequestKind, RequestKind, string])[] = [
    ['insertDocument', 'insertPocketBase', 'insertOne'],
    ['findDocumentById', 'findPocketBaseById', 'findOne by _id'],
    ['findDocumentByPath', 'findPocketBaseByPath', 'findOne by a path (theirs has an index)'],
    ['incrementDocument', 'incrementPocketBase', 'findOneAndUpdate with $inc'],
    ['pageByCity', 'pagePocketBaseByCity', 'first page by equality'],
    ['pageByScore', 'pagePocketBaseByScore', 'first page by a range'],
    ['pageByTag', 'pagePocketBaseByTag', 'first page by an array element'],
    ['pageByExists', 'pagePocketBaseByExists', 'first page by $exists'],
    ['pageByTwo', 'pagePocketBaseByTwo', 'first page by two equalities'],
    ['pageByTwoFrequent', 'pagePocketBaseByTwoFrequent', 'first page by a frequent equality and a range'],
  ];
  for (const [ours, theirs, name] of measured) {
    const more = ours.startsWith('page') ? { connections: 4 } : {};
    figures.push(
      ...(await compared(`${name}, against PocketBase`, 1, [server, ours], [rival, theirs], more)),
    );
  }
  await rival.stop();
  return figures;
}

/** Searches of a collection against those of a table, and against Chroma. */
async function measureVectors(server: ServerProcess, directory: string): Promise<readonly Figure[]> {
  const vectorCount = Math.ceil(Number(options.vectors) / rowsPerInsertMany) * rowsPerInsertMany;
  const requests = vectorCount / rowsPerInsertMany;
  const size = { rowCount: vectorCount };
  const { name, definition, index } = vectorTable;
  await sendCommand(server.port, keyspace, { createTable: { name, definition } });
  await sendCommand(server.port, `${keyspace}/${name}`, { createVectorIndex: index });
  await sendCommand(server.port, keyspace, { createCollection: vectorCollection });
  await fill(server, 'fillVectors', requests, size);
  await fill(server, 'fillVectorDocuments', requests, size);
  const more = { connections: 16, ...size };
  const ours = [server, 'searchVectorDocuments'] as const;
  // Both are of one server: the first search of each builds its index.
  await loads.load(server, { request: 'searchVectors', ...more });
  await loads.load(server, { request: 'searchVectorDocuments', ...more });
  const onTable = await loads.alternate(
    async () => (await loads.load(server, { request: 'searchVectors', ...more })).requestsPerSecond,
    async () => (await loads.load(server, { request: 'searchVectorDocuments', ...more })).requestsPerSecond,
  );
  const figures: Figure[] = [
    { name: 'vector find, against a table', ...onTable, unit: 'req/s', target: atLeast(0.9) },
  ];
  if (options.chroma === undefined) {
    console.log(howToInstall.chroma);
    return figures;
  }
  const { server: rival, place } = await startChroma(options.chroma, join(directory, 'chroma'));
  await fill(rival, 'fillChroma', requests, { ...size, place, connections: 4 });
  figures.push(
    ...(await compared('vector find, against Chroma', 1, ours, [rival, 'searchChroma', place], more)),
  );
  await rival.stop();
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
