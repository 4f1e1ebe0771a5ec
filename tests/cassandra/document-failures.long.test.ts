// Documents that two servers change on three real nodes which hang, stop and die: each change has effect once, or
// perhaps, where the reply says so.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '../acceptance/ops-client.js';
import type { RunningServer } from '../acceptance/start-server.js';
import { DataClient, withDataClient } from '../faults/data-client.js';
import { seededRandom } from '../seeded-random.js';
import { startOnCluster } from './cluster-servers.js';
import { cassandraSkipReason, useCassandra } from './use-cassandra.js';

const path = '/documents/marked';
const documentCount = 200;
const clientsPerServer = 6;
/** The changes that are acknowledged in each phase; a document has at most 1,000 marks. */
const changesPerPhase = 400;
const phaseSeconds = 120;

/** What the replies say of a mark: it is there, it may be there, or it is not. */
type Outcome = 'stored' | 'unknown' | 'refused';

/** Adds marks to documents, each of which has effect at most once, and keeps what the replies say of them. */
class MarkingLoad {
  readonly outcomes = new Map<string, Outcome>();
  readonly codes = new Map<string, number>();
  stored = 0;
  readonly #clients: readonly DataClient[];
  #isEnding = false;
  #running: Promise<unknown> = Promise.resolve();

  constructor(servers: readonly RunningServer[]) {
    this.#clients = servers.map(({ url }) => new DataClient(url, clientsPerServer));
  }

  start(): void {
    const loops = this.#clients.flatMap((client, server) =>
      Array.from({ length: clientsPerServer }, (_, at) => this.#run(client, `${server}.${at}`)),
    );
    this.#running = Promise.all(loops);
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    await this.#running;
    for (const client of this.#clients) client.close();
  }

  async #run(client: DataClient, name: string): Promise<void> {
    const random = seededRandom(Math.round(Number(name) * 10) + 1);
    for (let turn = 0; !this.#isEnding; turn += 1) {
      const mark = `${name}.${turn}`;
      const outcome = await this.#mark(client, random.below(documentCount), mark);
      this.outcomes.set(mark, outcome);
      if (outcome === 'stored') this.stored += 1;
      else await sleep(50);
    }
  }

  async #mark(client: DataClient, id: number, mark: string): Promise<Outcome> {
    const command = {
      updateOne: { filter: { _id: id }, update: { $push: { marks: mark } }, options: { upsert: true } },
    };
    const { body } = await client.send(path, command);
    const code = body.errors?.[0]?.errorCode;
    if (code === undefined) return 'stored';
    this.codes.set(code, (this.codes.get(code) ?? 0) + 1);
    return code === 'TIMEOUT_WRITING_DATA' ? 'unknown' : 'refused';
  }
}

describe('documents on three real nodes that fail', { skip: cassandraSkipReason() }, () => {
  const cluster = useCassandra({ nodeCount: 3, keepsSchema: true });
  const servers: RunningServer[] = [];
  before(async () => {
    for (let at = 0; at < 2; at += 1) servers.push(await startOnCluster(cluster()));
    const [first, second] = servers;
    assert.ok(first !== undefined && second !== undefined);
    await withDataClient(first, async (client) => {
      const replication = { class: 'NetworkTopologyStrategy', datacenter1: 3 };
      await client.mustSend('', { createKeyspace: { name: 'documents', options: { replication } } });
      await client.mustSend('/documents', { createCollection: { name: 'marked' } });
    });
    await withDataClient(second, (client) =>
      waitFor('the collection in the other server', async () => {
        const { body } = await client.send(path, { findOne: {} });
        return body.errors === undefined;
      }),
    );
  });
  after(async () => {
    for (const server of servers) await server.stop();
  });

  it('have each acknowledged change once, and no other twice', async (test) => {
    const load = new MarkingLoad(servers);
    const untilMarked = async () => {
      const wanted = load.stored + changesPerPhase;
      for (const deadline = Date.now() + phaseSeconds * 1000; load.stored < wanted; await sleep(20))
        assert.ok(Date.now() < deadline, `only ${load.stored} of ${wanted} changes were acknowledged`);
    };
    const nodeAt = (place: number) => {
      const node = cluster().nodes[place];
      assert.ok(node !== undefined);
      return node;
    };
    load.start();
    try {
      await untilMarked();
      nodeAt(2).signal('SIGSTOP');
      await untilMarked();
      nodeAt(2).signal('SIGCONT');
      await untilMarked();
      nodeAt(1).signal('SIGKILL');
      await untilMarked();
      await nodeAt(1).restart();
      await untilMarked();
      await nodeAt(2).stop();
      await untilMarked();
      await nodeAt(2).restart();
      await untilMarked();
    } finally {
      nodeAt(2).signal('SIGCONT');
      await load.end();
    }
    const counts = await withDataClient(servers[0] ?? assert.fail(), async (client) => {
      const found = new Map<string, number>();
      for (const { marks } of await client.readAll(path))
        for (const mark of marks as readonly string[]) found.set(mark, (found.get(mark) ?? 0) + 1);
      return found;
    });
    const wrong = [...load.outcomes].filter(([mark, outcome]) => {
      const count = counts.get(mark) ?? 0;
      return outcome === 'stored' ? count !== 1 : outcome === 'refused' ? count !== 0 : count > 1;
    });
    assert.deepEqual(wrong, []);
    const unknown = [...load.outcomes.values()].filter((outcome) => outcome === 'unknown').length;
    test.diagnostic(`${load.stored} stored, ${unknown} unknown; ${JSON.stringify([...load.codes])}`);
  });
});
