// The thread for large requests may end at any time: its requests are refused, and the next one starts it again.
import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { LargeRequestThreadClient } from '../../src/bin/large-requests/large-request-thread-client.js';
import type { EngineHost } from '../../src/data-service/engine/embedded/guest-engine.js';
import { NoRoomForLargeRequest } from '../../src/data-service/http/large-requests.js';
import { loadConfig } from '../../src/foundation/config/load-config.js';
import { Traffic } from '../../src/foundation/telemetry/traffic.js';
import { unpackNativeReply } from '../../src/ops-service/clusters/data-service-link.js';
import { bodyText } from '../body-text.js';
import { createTableNamed, keyspace, makeKeyspace } from '../conformance/engine-steps.js';
import { newDataDirectory, openEmbedded } from '../conformance/open-embedded.js';
import { dataRoutesOver } from '../data-routes.js';
import { withoutEmbedding } from '../without-embedding.js';

describe('the thread for large requests', () => {
  const traffic = new Traffic();
  const workers: Worker[] = [];
  const keepWorker = (worker: Worker) => workers.push(worker);
  let client: LargeRequestThreadClient;
  let close = async () => {};
  before(async () => {
    const dataDirectory = newDataDirectory();
    const engine = await openEmbedded(dataDirectory);
    const config = configFor(dataDirectory);
    process.on('worker', keepWorker);
    client = new LargeRequestThreadClient({
      data: {
        config,
        pageStateKey: Buffer.alloc(32),
        localModels: [],
        providersText: undefined,
        readTimeoutMs: 10_000,
        shared: undefined,
      },
      hostThread: () => ({ calls: engine.host, ended: () => {} }),
      ...withoutEmbedding,
      watch: { counter: traffic },
    });
    close = async () => {
      await client.close();
      await engine.close();
      process.off('worker', keepWorker);
    };
  });
  after(() => close());

  const ask = async (command: unknown, keyspace?: string) => {
    const body = Buffer.from(JSON.stringify(command));
    const address = keyspace === undefined ? {} : { keyspace };
    const answer = await client.answer({ body, address, header: () => undefined });
    return Buffer.from(answer.bytes ?? answer.body).toString();
  };
  const listing = { findKeyspaces: {} };

  it('answers, and gives commands back that change the schema', async () => {
    assert.equal(await ask(listing), '{"status":{"keyspaces":["default_keyspace"]}}');
    const change = { dropTable: { name: 't' } };
    assert.equal(await ask(change, 'default_keyspace'), JSON.stringify(change));
  });

  it('refuses what was under way when it ended, and is there again for the next request', async () => {
    const [worker] = workers;
    assert.ok(worker !== undefined);
    const many = Array.from({ length: 6 }, () => ask(listing));
    await worker.terminate();
    const results = await Promise.allSettled(many);
    const refused = results.filter(({ status }) => status === 'rejected');
    assert.ok(refused.length > 0, 'none was under way');
    for (const result of refused)
      assert.ok(
        result.status === 'rejected' && /ended with code 1/.test(String(result.reason)),
        String(result),
      );
    assert.match(await ask(listing), /default_keyspace/);
    assert.ok(workers.length > 1);
  });

  it('refuses requests when it is closed', async () => {
    await client.close();
    await assert.rejects(ask(listing), NoRoomForLargeRequest);
  });
});

describe('a thread for large requests that runs out of memory', { timeout: 60_000 }, () => {
  const insertRow = { insertOne: { document: { id: 1 } } };
  const findRow = { findOne: { filter: { id: 1 } } };

  it('ends: what wrote nothing gets 503, and what may have written is a fault of the server', async (test) => {
    const { ask, traffic, writes } = await openClient(test, 64);
    assert.match((await ask(findRow)).text, /"document":null/);
    const writing = ask(insertRow);
    await writeBegins(test, traffic);
    const [wrote, ate] = await Promise.all([writing, ask(memoryEater)]);
    assert.deepEqual([ate.status, ate.retryAfter, ate.codes], [503, '1', ['UNAVAILABLE_DATABASE']]);
    assert.match(ate.text, /exceeded their memory/);
    assert.deepEqual([wrote.status, wrote.retryAfter], [200, undefined]);
    assert.deepEqual(wrote.codes, ['UNEXPECTED_SERVER_ERROR']);
    assert.deepEqual(traffic.take().pending, { read: 0, write: 0 });
    writes.end();
    assert.match((await ask(findRow)).text, /"document":\{"id":1\}/);
  });

  it('ends: what only read beside a write gets 503', async (test) => {
    const { ask, traffic, reads, workers } = await openClient(test);
    reads.hold();
    const reading = ask(findRow);
    await reads.begun;
    const writing = ask(insertRow);
    await writeBegins(test, traffic);
    const [worker] = workers;
    worker?.emit(
      'error',
      Object.assign(new Error('as Node reports it'), { code: 'ERR_WORKER_OUT_OF_MEMORY' }),
    );
    const [read, wrote] = await Promise.all([reading, writing]);
    assert.deepEqual([read.status, read.retryAfter, read.codes], [503, '1', ['UNAVAILABLE_DATABASE']]);
    assert.deepEqual(wrote.codes, ['UNEXPECTED_SERVER_ERROR']);
    assert.deepEqual(traffic.take().pending, { read: 0, write: 0 });
  });
});

describe('a native query with large rows', () => {
  it('leaves the queue when its client leaves', async (test) => {
    const { ask, client, traffic, reads, writes } = await openClient(test);
    reads.hold();
    const reading = ask({ findOne: { filter: { id: 1 } } });
    await reads.begun;
    const writing = ask({ insertOne: { document: { id: 1 } } });
    await writeBegins(test, traffic);
    const query = `SELECT * FROM ${keyspace}.rows WHERE id = 1`;
    const [stays, leaves] = [new AbortController(), new AbortController()];
    const kept = client.runNative(query, stays.signal);
    const left = client.runNative(query, leaves.signal);
    leaves.abort();
    await assert.rejects(left, { constructor: NoRoomForLargeRequest, message: 'its client disconnected' });
    writes.end();
    await writing;
    reads.end();
    await reading;
    assert.deepEqual(unpackNativeReply((await kept).result).rows, [['1']]);
  });
});

/** A million objects take some 200 MB. */
const memoryEater = { findOne: { filter: { id: Array.from({ length: 900_000 }, () => ({})) } } };
const largeBody = 200_000;

/** Calls of which one waits until the test ends it. */
class Held {
  readonly begun: Promise<void>;
  #begin: () => void = () => {};
  #ended: Promise<void> = Promise.resolve();
  end: () => void = () => {};

  constructor() {
    this.begun = new Promise((resolve) => {
      this.#begin = resolve;
    });
  }

  /** The next call waits. */
  hold(): void {
    this.#ended = new Promise((resolve) => {
      this.end = resolve;
    });
  }

  async pass<Result>(result: Promise<Result>): Promise<Result> {
    const ended = this.#ended;
    this.#ended = Promise.resolve();
    this.#begin();
    await ended;
    return result;
  }
}

async function writeBegins({ signal }: TestContext, traffic: Traffic): Promise<void> {
  while (traffic.take().pending.write === 0) {
    signal.throwIfAborted();
    await nextTurn();
  }
}

/** Routes to the thread for large requests. The first write is held until the test ends it. */
async function openClient(test: TestContext, heapMb?: number) {
  const dataDirectory = newDataDirectory();
  const engine = await openEmbedded(dataDirectory);
  await makeKeyspace(engine);
  await createTableNamed(engine, 'rows', { columns: { id: 'int' } });
  const workers: Worker[] = [];
  const keepWorker = (worker: Worker) => workers.push(worker);
  process.on('worker', keepWorker);
  const traffic = new Traffic();
  const [reads, writes] = [new Held(), new Held()];
  writes.hold();
  const { host } = engine;
  const calls: EngineHost = {
    ...host,
    write: (write) => writes.pass(host.write(write)),
    schemaGeneration: (wanted) => reads.pass(host.schemaGeneration(wanted)),
  };
  const client = new LargeRequestThreadClient({
    data: {
      config: configFor(dataDirectory),
      pageStateKey: Buffer.alloc(32),
      localModels: [],
      providersText: undefined,
      readTimeoutMs: 10_000,
      shared: undefined,
    },
    hostThread: () => ({ calls, ended: () => {} }),
    ...withoutEmbedding,
    watch: { counter: traffic },
    ...(heapMb !== undefined && { heapMb }),
  });
  test.after(async () => {
    for (const { end } of [reads, writes]) end();
    for (const worker of workers) await worker.terminate();
    await client.close();
    await engine.close();
    process.off('worker', keepWorker);
  });
  const routes = dataRoutesOver(engine, { largeRequests: client });
  const ask = async (command: object) => {
    const reply = await routes.answer({
      method: 'POST',
      path: `/v1/${keyspace}/rows`,
      query: '',
      remoteAddress: '127.0.0.1',
      header: () => undefined,
      body: Buffer.from(JSON.stringify(command).padEnd(largeBody)),
    });
    const text = bodyText(reply);
    const { errors = [] }: { errors?: { errorCode: string }[] } = JSON.parse(text);
    const codes = errors.map(({ errorCode }) => errorCode);
    return { status: reply.status, retryAfter: reply.headers?.['retry-after'], codes, text };
  };
  return { ask, client, traffic, reads, writes, workers };
}

function configFor(dataDirectory: string) {
  return loadConfig(['--data-dir', dataDirectory, '--log-level', 'silent'], {
    environment: {},
    readFile: () => '{}',
  });
}
