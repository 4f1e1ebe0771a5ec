// The nodes of a cluster are stopped in order and started again, one after another, under a load on rows, on an index
// and on documents: no request fails.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningServer } from '../acceptance/start-server.js';
import { DataClient } from '../faults/data-client.js';
import { type SeededRandom, seededRandom } from '../seeded-random.js';
import { startOnCluster, untilAccepted } from './cluster-servers.js';
import { untilAllAreUp } from './nodes-up.js';
import { cassandraSkipReason, useCassandra } from './use-cassandra.js';

const [rows, documents] = ['/rolling/rows', '/rolling/documents'];
const rowCount = 100;
const tagCount = 20;
const documentCount = 40;
const clientsPerRequest = 1;
const mostRestMs = 100;
/** So many answers to each request are waited for in each state of the cluster. */
const answersPerState = 25;
const stateSeconds = 120;
/** Requests may be over time where processors are scarce: these of a hundred at most. */
const mostTimeoutsInHundred = 1;

/** A request, and what its answer must have. */
interface LoadedRequest {
  readonly path: string;
  readonly command: (random: SeededRandom, turn: number) => object;
  readonly expected: RegExp;
}

const tagOf = (number: number) => `tag ${number % tagCount}`;

const requests: readonly LoadedRequest[] = [
  {
    path: rows,
    command: (random) => ({ findOne: { filter: { id: `row ${random.below(rowCount)}` } } }),
    expected: /"document":\{/,
  },
  {
    path: rows,
    command: (random) => ({ find: { filter: { tag: tagOf(random.below(tagCount)) } } }),
    expected: /"documents":\[(\{[^{}]*\},?){5}\]/,
  },
  {
    path: rows,
    command: (random, turn) => ({ insertOne: { document: { id: `new ${random.below(1e9)} ${turn}` } } }),
    expected: /"insertedIds"/,
  },
  {
    path: documents,
    command: (random) => ({ find: { filter: { tag: tagOf(random.below(tagCount)) } } }),
    expected: /"documents":\[(\{[^{}]*\},?){2}\]/,
  },
  {
    path: documents,
    command: (random) => ({
      updateOne: { filter: { _id: random.below(documentCount) }, update: { $inc: { count: 1 } } },
    }),
    expected: /"modifiedCount":1/,
  },
];

/** Sends the requests all the time, and keeps what their replies were. */
class RestartLoad {
  readonly failures: string[] = [];
  timeouts = 0;
  readonly #answers = requests.map(() => 0);
  readonly #client: DataClient;
  #isEnding = false;
  #running: Promise<unknown> = Promise.resolve();

  constructor({ url }: RunningServer) {
    this.#client = new DataClient(url, requests.length * clientsPerRequest);
  }

  start(): void {
    this.#running = Promise.all(
      requests.flatMap((request, at) =>
        Array.from({ length: clientsPerRequest }, (_, client) => this.#send(request, at, client)),
      ),
    );
  }

  get answered(): number {
    return this.#answers.reduce((sum, count) => sum + count, 0);
  }

  /** Waits until each request was answered some more times. */
  async untilAnswered(): Promise<void> {
    const wanted = this.#answers.map((count) => count + answersPerState);
    const isMissing = () => this.#answers.some((count, at) => count < (wanted[at] ?? 0));
    for (const deadline = Date.now() + stateSeconds * 1000; isMissing(); await sleep(20))
      assert.ok(Date.now() < deadline, `${this.#answers} instead of ${wanted} answers; ${this.failures[0]}`);
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    await this.#running;
    this.#client.close();
  }

  async #send({ path, command, expected }: LoadedRequest, at: number, client: number): Promise<void> {
    const random = seededRandom(1 + at * clientsPerRequest + client);
    for (let turn = 0; !this.#isEnding; turn += 1) {
      const sent = command(random, turn);
      const { text, body } = await this.#client.send(path, sent);
      if (expected.test(text) && body.errors === undefined) this.#answers[at] = (this.#answers[at] ?? 0) + 1;
      else if (body.errors?.[0]?.errorCode.startsWith('TIMEOUT_') === true) this.timeouts += 1;
      else this.failures.push(`${JSON.stringify(sent)}: ${text.slice(0, 500)}`);
      await sleep(random.below(mostRestMs));
    }
  }
}

describe('the nodes of a cluster that are restarted one after another', {
  skip: cassandraSkipReason(),
}, () => {
  const cluster = useCassandra({ nodeCount: 3 });
  let server: RunningServer;
  before(async () => {
    server = await startOnCluster(cluster(), ['--workers', '2']);
    await fill(server);
  });
  after(() => server.stop());

  it('cost no request', async (test) => {
    const load = new RestartLoad(server);
    load.start();
    try {
      await load.untilAnswered();
      for (const node of cluster().nodes) {
        await node.stop();
        await load.untilAnswered();
        await node.restart();
        await untilAllAreUp(cluster());
        await load.untilAnswered();
      }
    } finally {
      await load.end();
    }
    test.diagnostic(`${load.answered} answers, ${load.timeouts} over time`);
    assert.deepEqual(load.failures.slice(0, 5), []);
    assert.ok(load.timeouts * 100 <= load.answered * mostTimeoutsInHundred, `${load.timeouts} timeouts`);
  });

  it('reads by an index behind the death of a node on a cluster: answered once the others know of it', async () => {
    cluster().nodes[2]?.signal('SIGKILL');
    const client = new DataClient(server.url);
    const codes = new Set<string | undefined>();
    let inARow = 0;
    for (const deadline = Date.now() + stateSeconds * 1000; inARow < answersPerState; ) {
      const { body } = await client.send(rows, { find: { filter: { tag: tagOf(0) } } });
      const code = body.errors?.[0]?.errorCode;
      if (code !== undefined) codes.add(code);
      inARow = code === undefined ? inARow + 1 : 0;
      assert.ok(Date.now() < deadline, [...codes].join());
    }
    client.close();
    codes.delete('TIMEOUT_READING_DATA');
    assert.deepEqual([...codes], []);
  });
});

/** Makes the table and the collection with three replicas, and waits until both workers read them. */
async function fill({ url }: RunningServer): Promise<void> {
  const client = new DataClient(url, 16);
  const replication = { class: 'NetworkTopologyStrategy', datacenter1: 3 };
  const definition = { columns: { id: 'text', tag: 'text' }, primaryKey: 'id' };
  await client.mustSend('', { createKeyspace: { name: 'rolling', options: { replication } } });
  await client.mustSend('/rolling', { createTable: { name: 'rows', definition } });
  await untilAccepted(client, rows, { createIndex: { name: 'rows_tag', definition: { column: 'tag' } } });
  await untilAccepted(client, '/rolling', { createCollection: { name: 'documents' } });
  const newRows = Array.from({ length: rowCount }, (_, at) => ({ id: `row ${at}`, tag: tagOf(at) }));
  await untilAccepted(client, rows, { insertMany: { documents: newRows } });
  const newDocuments = Array.from({ length: documentCount }, (_, at) => ({ _id: at, tag: tagOf(at) }));
  for (const document of newDocuments) await untilAccepted(client, documents, { insertOne: { document } });
  for (const { path, command, expected } of requests)
    for (let [inARow, deadline] = [0, Date.now() + stateSeconds * 1000]; inARow < 8; ) {
      const { text } = await client.send(path, command(seededRandom(inARow), inARow));
      inARow = expected.test(text) ? inARow + 1 : 0;
      assert.ok(Date.now() < deadline, text.slice(0, 500));
    }
  client.close();
}
