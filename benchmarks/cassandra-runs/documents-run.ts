// Documents on one real node over HTTP, against the bare driver that sends the same statements to it, by turns.
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { CassandraNode } from '../../tools/start-cassandra/start-cassandra.js';
import { sendCommand } from '../bench-servers.js';
import { runScript, type ServerProcess, startServer } from '../child-process.js';
import { documentCollections, documentText } from '../document-requests.js';
import { documentRowDefinition, documentRowTables } from '../document-row-requests.js';
import { type Figure, median, medianPair } from '../figures.js';
import type { LoadReport } from '../load-plan.js';
import { atLeast, atMost, LoadRuns } from '../load-runs.js';
import { serverEntry } from '../ops-measurement.js';
import type { RequestKind } from '../request-kinds.js';
import { rowsPerInsertMany } from '../request-source.js';
import type { DocumentRequest } from './bare-document-statements.js';
import type { BareDriverPlan } from './bare-driver-load.js';
import { type CassandraMeasurement, engineArgs, withRealNode } from './cassandra-measurement.js';

const documentCount = 20_000;
const connections = 64;
/** Each of them has a hundred documents under way. */
const connectionsOfMany = 4;
const warmSeconds = 8;
/** Runs are short, so that what changes on the machine meets both sides. */
const spansPerRun = 10;
/** Documents or rows a second where processor time is measured: fewer than a busy machine can do. */
const ratePerSecond = 200;

/** A request, the bare statement beside it, how many of these it is, and the request on a row. */
interface Compared {
  readonly name: string;
  readonly request: RequestKind;
  readonly bare: DocumentRequest;
  /** This command on a row with the members of the document; undefined if no command on rows does it. */
  readonly onRow?: RequestKind;
  readonly connections: number;
  readonly statements: number;
}

const one = { connections, statements: 1 };
const compared: readonly Compared[] = [
  {
    ...{ ...one, name: 'insertOne', request: 'insertDocument', bare: 'insertDocument' },
    onRow: 'insertDocumentRow',
  },
  {
    ...{ name: 'documents of insertMany', request: 'insertDocuments', bare: 'insertDocument' },
    ...{ connections: connectionsOfMany, statements: rowsPerInsertMany },
  },
  {
    ...{ ...one, name: 'findOne by _id', request: 'findDocumentById', bare: 'findDocumentById' },
    onRow: 'findDocumentRow',
  },
  { ...one, name: 'findOne by a path', request: 'findDocumentByPath', bare: 'findDocumentByPath' },
  // Rows have no `$inc`: a row is changed without a read before it.
  {
    ...{ ...one, name: '$inc', request: 'incrementDocument', bare: 'incrementDocument' },
    onRow: 'changeDocumentRow',
  },
];

/** Documents a second beside the bare driver's statements, the processor time of the server, and room on disk. */
export const measureDocuments: CassandraMeasurement = ({ directory, seconds, rounds }) =>
  withRealNode(join(directory, 'node'), async (node, cluster) => {
    const dataDirectory = join(directory, 'data');
    mkdirSync(dataDirectory, { recursive: true });
    const server = await startServer(serverEntry, engineArgs(node, dataDirectory));
    try {
      const runs = new LoadRuns({ seconds: seconds / spansPerRun, rounds, rowCount: documentCount });
      await sendCommand(server.port, '/v1', { createKeyspace: { name: 'default_keyspace' } });
      for (const name of Object.values(documentCollections)) {
        const createCollection = { name, options: { lexical: { enabled: false } } };
        await sendCommand(server.port, '/v1/default_keyspace', { createCollection });
      }
      for (const name of Object.values(documentRowTables)) {
        const createTable = { name, definition: documentRowDefinition };
        await sendCommand(server.port, '/v1/default_keyspace', { createTable });
      }
      await runs.fill(server, 'fillDocuments');
      await runs.fill(server, 'fillDocumentRows');
      await cluster.runNodetool(node, 'flush', 'default_keyspace', documentCollections.read);
      const figures = [sizeOnDisk(node)];
      const notes: string[] = [];
      for (const each of compared) {
        const measured = await measureOne(node, server, runs, each);
        figures.push(...measured.figures);
        const cost = measured.costUs.toPrecision(3);
        notes.push(
          `${each.name}: ${cost} µs of the server's processor time for each, at ${ratePerSecond} a second.`,
        );
      }
      if (runs.errorCount > 0) notes.push(`${runs.errorCount} requests failed`);
      return { figures, notes };
    } finally {
      await server.stop();
    }
  });

interface Measured {
  readonly figures: readonly Figure[];
  /** Processor time of the server for each document, in µs. */
  readonly costUs: number;
}

async function measureOne(
  node: CassandraNode,
  server: ServerProcess,
  runs: LoadRuns,
  { name, request, bare, onRow, connections: count, statements }: Compared,
): Promise<Measured> {
  const bareRate = async (seconds: number) => {
    const { address, nativePort: port } = node.place;
    const plan: BareDriverPlan = {
      ...{ address, port, request: bare, concurrency: connections, seconds },
      rowCount: documentCount,
    };
    const report = await runScript<LoadReport>('cassandra-runs/bare-driver-load.js', plan);
    if (report.errors > 0) throw new Error(`${report.errors} statements of the bare driver failed`);
    console.log(`${bare} by the bare driver: ${Math.round(report.requestsPerSecond)}/s`);
    return report.requestsPerSecond;
  };
  const ours = async (seconds: number) => {
    const plan = { request, connections: count, seconds };
    return (await runs.load(server, plan)).requestsPerSecond * statements;
  };
  // A request takes more processor time where fewer come, so both are compared at the same rate.
  const costAtRate = async (kind: RequestKind) => {
    const plan = { request: kind, connections: count, ratePerSecond: ratePerSecond / statements };
    return (await runs.load(server, plan)).costUs / statements;
  };
  const once = async (seconds: number) => {
    const rate = { reference: await bareRate(seconds), value: await ours(seconds) };
    const reference = onRow === undefined ? Number.NaN : await costAtRate(onRow);
    return { rate, cost: { reference, value: await costAtRate(request) } };
  };
  await once(warmSeconds);
  const rounds = await runs.repeat(() => once(runs.settings.seconds));
  const rates = medianPair(rounds.map(({ rate }) => rate));
  const against = `${name}, against the bare driver`;
  const figures: Figure[] = [{ name: against, unit: '/s', ...rates, target: atLeast(0.3) }];
  if (onRow !== undefined)
    figures.push({
      ...{ name: `processor time of ${name}, against that on a row`, unit: 'µs', target: atMost(1.3) },
      ...medianPair(rounds.map(({ cost }) => cost)),
    });
  return { figures, costUs: median(rounds.map(({ cost }) => cost.value)) };
}

/** The files of the collection, with their indexes, against the texts of its documents. */
function sizeOnDisk({ place }: CassandraNode): Figure {
  const keyspace = join(place.directory, 'data', 'default_keyspace');
  const table = readdirSync(keyspace).find((name) => name.startsWith(`${documentCollections.read}-`));
  if (table === undefined) throw new Error(`${keyspace} has no files of the collection`);
  const folder = join(keyspace, table);
  const files = readdirSync(folder, { withFileTypes: true }).filter((file) => file.isFile());
  const bytes = files.reduce((sum, file) => sum + statSync(join(folder, file.name)).size, 0);
  let textBytes = 0;
  for (let number = 0; number < documentCount; number += 1)
    textBytes += Buffer.byteLength(documentText(number));
  const megabyte = 1_000_000;
  return {
    ...{ name: 'files of the collection, against its texts', unit: 'MB', target: atMost(5) },
    ...{ value: bytes / megabyte, reference: textBytes / megabyte },
  };
}
