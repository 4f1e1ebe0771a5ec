// The thread for large requests ends when nobody has needed it for a while, and not before.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it, mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { LargeRequestThreadClient } from '../../src/bin/large-requests/large-request-thread-client.js';
import type { HostingEngine } from '../../src/data-service/engine/embedded/embedded-engine.js';
import type { EngineHost } from '../../src/data-service/engine/embedded/guest-engine.js';
import { loadConfig } from '../../src/foundation/config/load-config.js';
import { Traffic } from '../../src/foundation/telemetry/traffic.js';
import { createTableNamed, keyspace, makeKeyspace } from '../conformance/engine-steps.js';
import { newDataDirectory, openEmbedded } from '../conformance/open-embedded.js';
import { withoutEmbedding } from '../without-embedding.js';

const longMs = 3_600_000;
const listing = { findKeyspaces: {} };

describe('the thread for large requests, when nobody needs it', () => {
  const dataDirectory = newDataDirectory();
  let engine: HostingEngine;
  before(async () => {
    engine = await openEmbedded(dataDirectory);
    await makeKeyspace(engine);
    await createTableNamed(engine, 'rows', { columns: { id: 'int', note: 'text' } });
  });
  after(() => engine.close());

  /** Writes wait until `letWrite`; `isWriting` resolves when one does. */
  let write: { mayGoOn: Promise<void>; letWrite: () => void; isWriting: Promise<void>; begin: () => void };
  /** Threads that were started, and how many of them have ended. */
  let threads = { started: 0, ended: 0 };
  let client: LargeRequestThreadClient;
  const count = (worker: Worker) => {
    threads.started += 1;
    worker.once('exit', () => {
      threads.ended += 1;
    });
  };
  const untilEnd = async () => {
    const givenUpMs = Date.now() + 20_000;
    while (threads.ended === 0) {
      assert.ok(Date.now() < givenUpMs, 'the thread does not end');
      await nextTurn();
    }
  };
  beforeEach(() => {
    const [goingOn, writing] = [makeSignal(), makeSignal()];
    write = {
      mayGoOn: goingOn.given,
      letWrite: goingOn.give,
      isWriting: writing.given,
      begin: writing.give,
    };
    threads = { started: 0, ended: 0 };
    process.on('worker', count);
    const { host } = engine;
    const calls: EngineHost = {
      ...host,
      write: async (wanted) => {
        write.begin();
        await write.mayGoOn;
        return host.write(wanted);
      },
    };
    client = new LargeRequestThreadClient({
      data: {
        config: configOf(dataDirectory),
        pageStateKey: Buffer.alloc(32),
        localModels: [],
        providersText: undefined,
        readTimeoutMs: 10_000,
        shared: undefined,
      },
      hostThread: () => ({ calls, ended: () => {} }),
      ...withoutEmbedding,
      watch: { counter: new Traffic() },
    });
    mock.timers.enable({ apis: ['setTimeout'] });
  });
  afterEach(async () => {
    mock.timers.reset();
    process.off('worker', count);
    await client.close();
  });

  const ask = async (command: unknown, table?: string) => {
    const address = table === undefined ? {} : { keyspace, table };
    const answer = await client.answer({
      body: Buffer.from(JSON.stringify(command)),
      address,
      header: () => undefined,
    });
    return Buffer.from(answer.bytes ?? answer.body).toString();
  };

  it('ends behind the last of several requests, and is there again for the next one', async () => {
    await Promise.all(Array.from({ length: 5 }, () => ask(listing)));
    assert.equal(threads.started, 1);
    mock.timers.tick(longMs);
    await untilEnd();
    assert.match(await ask(listing), /default_keyspace/);
    assert.equal(threads.started, 2);
  });

  it('ends also where the request that came first takes until long after the others, and not before', async () => {
    const first = ask({ insertOne: { document: { id: 1, note: 'x' } } }, 'rows');
    await write.isWriting;
    await ask(listing);
    mock.timers.tick(longMs);
    write.letWrite();
    assert.match(await first, /insertedIds/);
    assert.match(await ask(listing), /default_keyspace/);
    assert.equal(threads.started, 1, 'the same thread continues');
    mock.timers.tick(longMs);
    await untilEnd();
  });

  it('does not end while a request runs that came within the time', async () => {
    await ask(listing);
    mock.timers.tick(9_000);
    const second = ask({ insertOne: { document: { id: 2, note: 'x' } } }, 'rows');
    mock.timers.tick(9_000);
    await write.isWriting;
    mock.timers.tick(9_000);
    write.letWrite();
    assert.match(await second, /insertedIds/);
    assert.equal(threads.started, 1);
    mock.timers.tick(longMs);
    await untilEnd();
  });
});

function makeSignal(): { readonly given: Promise<void>; readonly give: () => void } {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}

function configOf(dataDirectory: string) {
  return loadConfig(['--data-dir', dataDirectory, '--log-level', 'silent'], {
    environment: {},
    readFile: () => '{}',
  });
}
