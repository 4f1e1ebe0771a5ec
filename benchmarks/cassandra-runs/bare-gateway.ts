// What a gateway of Node can do at best: parses the same requests, sends the same statements by the bare driver, and
// checks nothing.
import { createServer } from 'node:http';
import driver from 'cassandra-driver';
import { benchmarkTable } from '../requests.js';

/** Where the node is; the argument, as JSON. */
export interface BareGatewayPlan {
  readonly address: string;
  readonly port: number;
}

/** The members of a command that a statement depends on. */
interface Command {
  readonly insertOne?: {
    readonly document: Readonly<Record<string, unknown>> & { readonly created: string };
  };
  readonly findOne?: { readonly filter: { readonly id: string } };
}

const { keyspace, readTable, writeTable, definition } = benchmarkTable;
const columns = Object.keys(definition.columns);
const names = columns.map((name) => `"${name}"`).join(', ');
const insert = `INSERT INTO "${keyspace}"."${writeTable}" (${names}) VALUES (?, ?, ?, ?, ?, ?)`;
const find = `SELECT ${names} FROM "${keyspace}"."${readTable}" WHERE "id" = ?`;
const options = {
  prepare: true,
  consistency: driver.types.consistencies.localQuorum,
  isIdempotent: true,
} as const;

const plan: BareGatewayPlan = JSON.parse(process.argv[2] ?? ''); // the benchmark wrote it
const client = new driver.Client({
  contactPoints: [plan.address],
  protocolOptions: { port: plan.port },
  localDataCenter: 'datacenter1',
});
await client.connect();

async function replyTo({ insertOne, findOne }: Command): Promise<unknown> {
  if (insertOne !== undefined) {
    const { document } = insertOne;
    const values = columns.map((name) => (name === 'created' ? new Date(document.created) : document[name]));
    await client.execute(insert, values, options);
    return { status: { insertedIds: [[document['id']]] } };
  }
  if (findOne === undefined) return { status: 'ready' };
  const { rows } = await client.execute(find, [findOne.filter.id], options);
  const document = Object.fromEntries(columns.map((name) => [name, rows[0]?.get(name)]));
  return { data: { document } };
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const text = Buffer.concat(chunks).toString('utf8');
    // Only the benchmarks' own requests come here.
    replyTo(text === '' ? {} : (JSON.parse(text) as Command)).then(
      (reply) => {
        const body = JSON.stringify(reply);
        const length = Buffer.byteLength(body);
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': length });
        response.end(body);
      },
      (error) => response.writeHead(500).end(String(error)), // the load counts it
    );
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') console.log(`bare gateway on http://127.0.0.1:${address?.port}`);
});
