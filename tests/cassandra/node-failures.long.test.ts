// A server on three real nodes that stop, hang, are killed and come back, under a light load and under an overload.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '../acceptance/ops-client.js';
import type { RunningServer } from '../acceptance/start-server.js';
import { type DataReply, type ReplyBody, withDataClient } from '../faults/data-client.js';
import { residentMbOf } from '../faults/resident-memory.js';
import { newSeed } from '../seeded-random.js';
import { createRegisterTable, startOnCluster } from './cluster-servers.js';
import { openSession } from './open-cassandra-engine.js';
import { describeAnomaly, findAnomalies } from './register-history.js';
import { RegisterLoad, registerTable } from './register-load.js';
import { cassandraSkipReason, useCassandra } from './use-cassandra.js';

const path = `/${registerTable.keyspace}/${registerTable.name}`;
/**
 * So many calls in a row are answered within this. If every call of a node that hangs took its time limit, it would be
 * longer. Most of it is the time until the other nodes notice that one hangs: half a minute, or much more where
 * processors are scarce. Restarts of nodes are waited for before.
 */
const answersInARow = 400;
const settleSeconds = 120;
/** More than until a commit log is synchronized: see cassandra-yaml.ts. */
const commitLogSeconds = 3;
/** Their rows are twice as many as the statements that a session takes: see docs/limits.md. */
const flood = { requests: 130, rowsEach: 64 };
const mostMegabytes = 700;

describe('a cluster of three real nodes that fail', { skip: cassandraSkipReason() }, () => {
  const cluster = useCassandra({ nodeCount: 3, keepsSchema: true });
  const seed = newSeed();
  let server: RunningServer;
  let load: RegisterLoad;

  before(async () => {
    server = await startOnCluster(cluster());
    await createRegisterTable([server]);
    load = new RegisterLoad({ seed, urls: [server.url], clientsPerServer: 6, mostRestMs: 60 });
    load.start();
  });
  after(async () => {
    await load.stop();
    load.close();
    await server.stop();
  });

  function nodeAt(place: number) {
    const node = cluster().nodes[place];
    assert.ok(node !== undefined);
    return node;
  }

  /** Calls of the load are answered without a failure in between. */
  async function untilAnswered(seconds = settleSeconds): Promise<void> {
    load.inARow = 0;
    for (const deadline = Date.now() + seconds * 1000; load.inARow < answersInARow; await sleep(50))
      assert.ok(Date.now() < deadline, `only ${load.inARow} answers within ${seconds} s`);
  }

  async function untilReady({ url }: RunningServer, status: number): Promise<void> {
    for (const deadline = Date.now() + settleSeconds * 1000; ; await sleep(100)) {
      const reply = await fetch(`${url}/health/ready`);
      const text = await reply.text();
      if (reply.status === status) return;
      assert.ok(Date.now() < deadline, `${reply.status} ${text}`);
    }
  }

  const send = (to: RunningServer, command: object) =>
    withDataClient(to, (client) => client.send(path, command));
  const codeOf = ({ body }: DataReply) => body.errors?.[0]?.errorCode;

  /** Sends a command until its reply has the error code, or none. */
  async function untilCode(to: RunningServer, code: string | undefined, command: object): Promise<void> {
    const seen = new Set<string | undefined>();
    for (const deadline = Date.now() + settleSeconds * 1000; ; await sleep(200)) {
      const found = codeOf(await send(to, command));
      if (found === code) return;
      seen.add(found);
      assert.ok(Date.now() < deadline, `${[...seen].join(', ')} instead of ${code}`);
    }
  }

  /** The first node is the seed: the others find each other by it. */
  async function restart(first: number, ...others: readonly number[]): Promise<void> {
    await nodeAt(first).restart();
    await Promise.all(others.map((place) => nodeAt(place).restart()));
  }

  it('reads by an index through every node as soon as it is made', async () => {
    const columns = Array.from({ length: 8 }, (_, at) => `n${at}`);
    const types = Object.fromEntries(['id', ...columns].map((name) => [name, 'int']));
    const { keyspace } = registerTable;
    const session = await openSession(nodeAt(0).place.nativePort);
    const nodes = await waitFor('three nodes', async () => {
      const up = await session.nodes();
      return up.length === 3 && up;
    });
    // The first server may have started before it could see all of them.
    const own = await startOnCluster(cluster());
    const sendTo = async (place: string, command: object) => {
      const { body } = await withDataClient(own, (client) => client.send(place, command));
      assert.equal(body.errors, undefined);
    };
    try {
      const definition = { columns: types, primaryKey: 'id' };
      await sendTo(`/${keyspace}`, { createTable: { name: 'indexed', definition } });
      for (const column of columns) {
        await sendTo(`/${keyspace}/indexed`, {
          createIndex: { name: `indexed_${column}`, definition: { column } },
        });
        const cql = `SELECT id FROM ${keyspace}.indexed WHERE ${column} = 1`;
        await Promise.all(nodes.map((node) => node.run({ cql, values: [], isIdempotent: true })));
      }
    } finally {
      await own.stop();
      await session.close();
    }
  });

  it('answers while a node hangs, and after it continues', async () => {
    nodeAt(2).signal('SIGSTOP');
    try {
      await untilAnswered();
    } finally {
      // The next tests need the node, also if this one fails.
      nodeAt(2).signal('SIGCONT');
    }
    await untilAnswered();
  });

  it('answers while a node is stopped, and after it came back', async () => {
    await nodeAt(1).stop();
    await untilAnswered();
    await restart(1);
    await untilAnswered();
  });

  it('answers while a node is dead, and after it came back', async () => {
    nodeAt(0).signal('SIGKILL');
    await untilAnswered();
    await restart(0);
    await untilAnswered();
  });

  it('refuses what a minority cannot decide, without doing it', async () => {
    // A killed node loses its last writes, which the other two have. If one of these was killed, too, one node alone
    // would have what they confirmed last.
    nodeAt(0).signal('SIGKILL');
    await sleep(commitLogSeconds * 1000);
    await nodeAt(1).stop();
    const row = { id: 'of a minority', value: '1', copy: '1' };
    await untilCode(server, 'UNAVAILABLE_DATABASE', { findOne: { filter: { id: row.id } } });
    await untilCode(server, 'UNAVAILABLE_DATABASE', { insertOne: { document: row } });
    await restart(0, 1);
    await untilAnswered();
  });

  it('is not ready without its cluster, and recovers by itself, as does a server that started so', async () => {
    // In order: nodes that are all killed lose what their commit logs had not yet written.
    await Promise.all(cluster().nodes.map((node) => node.stop()));
    await untilReady(server, 503);
    const late = await startOnCluster(cluster());
    try {
      for (const each of [server, late]) {
        assert.equal((await fetch(`${each.url}/health/live`)).status, 200);
        await untilReady(each, 503);
        const commands = [{ findOne: {} }, { insertOne: { document: { id: 'nowhere' } } }];
        for (const command of Array.from({ length: 20 }, () => commands).flat())
          assert.equal(codeOf(await send(each, command)), 'FAILED_TO_CONNECT_TO_DATABASE');
      }
      await restart(0, 1, 2);
      for (const each of [server, late]) await untilReady(each, 200);
      await untilAnswered();
      await untilCode(late, undefined, { findOne: {} });
    } finally {
      await late.stop();
    }
  });

  it('refuses what is too much for the cluster, in bounded memory, and recovers', async (test) => {
    for (const node of cluster().nodes) node.signal('SIGSTOP');
    const replies: FloodReply[] = [];
    const flooding = Array.from({ length: flood.requests }, async (_, at) => {
      const documents = Array.from({ length: flood.rowsEach }, (__, row) => ({ id: `flood ${at} ${row}` }));
      const reply = await fetch(`${server.url}/v1${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ insertMany: { documents, options: { ordered: false } } }),
      });
      const body = (await reply.json()) as ReplyBody; // what the envelope looks like
      replies.push({ status: reply.status, retryAfter: reply.headers.get('retry-after'), body });
    });
    try {
      await waitFor('a refusal', async () => replies.some(({ status }) => status === 503));
    } finally {
      for (const node of cluster().nodes) node.signal('SIGCONT');
    }
    await Promise.all(flooding);
    const megabytes = residentMbOf(server.pid);
    for (const { status, retryAfter } of replies) assert.equal(retryAfter, status === 503 ? '1' : null);
    const codes = new Set(
      replies.flatMap(({ body }) => body.errors?.map(({ errorCode }) => errorCode) ?? []),
    );
    test.diagnostic(`${megabytes} MB; failures: ${[...codes].join(', ')}`);
    for (const code of codes)
      assert.ok(['UNAVAILABLE_DATABASE', 'TIMEOUT_WRITING_DATA'].includes(code), code);
    assert.ok(megabytes !== undefined && megabytes < mostMegabytes, `${megabytes} MB`);
    await untilAnswered();
    const stored = replies.flatMap(({ body }) => [body.status?.['insertedIds'] ?? []].flat(2).map(String));
    test.diagnostic(`${stored.length} rows of the flood are stored`);
    const found = await withDataClient(server, async (client) => {
      const rows = await client.readAll(path);
      return new Set(rows.map(({ id }) => id));
    });
    assert.deepEqual(
      stored.filter((id) => !found.has(id)),
      [],
    );
  });

  it('lost no acknowledged write meanwhile, and gave no wrong answer', async (test) => {
    await load.stop();
    await load.readAll();
    const failures = [...load.failures].map(([code, count]) => `${count} ${code}`).join(', ');
    test.diagnostic(`${load.answered} answers, failures: ${failures}`);
    const anomalies = findAnomalies(load.calls);
    assert.equal(
      anomalies.length,
      0,
      [`seed ${seed}`, ...anomalies.slice(0, 5).map(describeAnomaly)].join('\n'),
    );
    assert.deepEqual(load.unexpected.slice(0, 5), []);
  });
});

interface FloodReply {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: ReplyBody;
}
