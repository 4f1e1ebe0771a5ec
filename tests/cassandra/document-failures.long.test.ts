// Documents that two servers change on three real nodes which hang, stop and die: each change has effect once, or
// perhaps, where the reply says so, and some order of the calls explains what they met.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningServer } from '../acceptance/start-server.js';
import { newSeed } from '../seeded-random.js';
import { startOnCluster } from './cluster-servers.js';
import { findWrongDocuments } from './histories/document-history.js';
import { createChangedCollection, DocumentLoad } from './histories/document-load.js';
import { cassandraSkipReason, useCassandra } from './use-cassandra.js';

/** The calls that are answered in each phase. */
const answersPerPhase = 400;
const phaseSeconds = 120;

describe('documents on three real nodes that fail', { skip: cassandraSkipReason() }, () => {
  const cluster = useCassandra({ nodeCount: 3, keepsSchema: true });
  const servers: RunningServer[] = [];
  before(async () => {
    for (let at = 0; at < 2; at += 1) servers.push(await startOnCluster(cluster()));
    await createChangedCollection(servers);
  });
  after(async () => {
    for (const server of servers) await server.stop();
  });

  it('have each acknowledged change once, and no other twice', async (test) => {
    const seed = newSeed();
    const urls = servers.map(({ url }) => url);
    const load = new DocumentLoad({ seed, urls, clientsPerServer: 6, mostRestMs: 10 });
    await load.prepare();
    const untilAnswered = async () => {
      const wanted = load.answered + answersPerPhase;
      for (const deadline = Date.now() + phaseSeconds * 1000; load.answered < wanted; await sleep(20))
        assert.ok(Date.now() < deadline, `only ${load.answered} of ${wanted} calls were answered`);
    };
    const nodeAt = (place: number) => {
      const node = cluster().nodes[place];
      assert.ok(node !== undefined);
      return node;
    };
    load.start();
    try {
      await untilAnswered();
      nodeAt(2).signal('SIGSTOP');
      await untilAnswered();
      nodeAt(2).signal('SIGCONT');
      await untilAnswered();
      nodeAt(1).signal('SIGKILL');
      await untilAnswered();
      await nodeAt(1).restart();
      await untilAnswered();
      await nodeAt(2).stop();
      await untilAnswered();
      await nodeAt(2).restart();
      await untilAnswered();
    } finally {
      nodeAt(2).signal('SIGCONT');
      await load.stop();
    }
    const all = await load.readAll();
    await load.compareIndexes(all);
    load.close();
    test.diagnostic(`seed ${seed}: ${JSON.stringify(load.counts())} ${JSON.stringify([...load.failures])}`);
    assert.deepEqual([...findWrongDocuments(load, all), ...load.wrong, ...load.unexpected], []);
  });
});
