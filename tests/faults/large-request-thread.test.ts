// The thread for large requests may end at any time: its requests are refused, and the next one starts it again.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { LargeRequestLane } from '../../src/bin/large-request-lane.js';
import { NoRoomForLargeRequest } from '../../src/data-service/http/large-requests.js';
import { loadConfig } from '../../src/foundation/config/load-config.js';
import { Traffic } from '../../src/foundation/telemetry/traffic.js';
import { newDataDirectory, openEmbedded } from '../conformance/open-embedded.js';
import { withoutEmbedding } from '../without-embedding.js';

describe('the thread for large requests', () => {
  const traffic = new Traffic();
  const workers: Worker[] = [];
  const keepWorker = (worker: Worker) => workers.push(worker);
  let lane: LargeRequestLane;
  let close = async () => {};
  before(async () => {
    const dataDirectory = newDataDirectory();
    const engine = await openEmbedded(dataDirectory);
    const config = loadConfig(['--data-dir', dataDirectory, '--log-level', 'silent'], {
      environment: {},
      readFile: () => '{}',
    });
    process.on('worker', keepWorker);
    lane = new LargeRequestLane({
      data: { config, pageStateKey: Buffer.alloc(32), readTimeoutMs: 10_000 },
      host: engine.host,
      embedder: withoutEmbedding.embedder,
      counter: traffic,
    });
    close = async () => {
      await lane.close();
      await engine.close();
      process.off('worker', keepWorker);
    };
  });
  after(() => close());

  const ask = async (command: unknown, keyspace?: string) => {
    const body = Buffer.from(JSON.stringify(command));
    const address = keyspace === undefined ? {} : { keyspace };
    const answer = await lane.answer(body, address, () => undefined);
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
    await lane.close();
    await assert.rejects(ask(listing), NoRoomForLargeRequest);
  });
});
