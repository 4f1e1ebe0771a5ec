// Threads search a graph's memory while another one adds, replaces and removes rows in it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { GraphIndex } from '../../src/data-service/engine/embedded/vectors/graph-index.js';
import { seededRandom } from '../seeded-random.js';
import { shapeOf } from './index-under-test.js';
import type { SearchReport } from './search-beside-writer.js';
import { type SearchTask, vectorOfLabel } from './shared-rows.js';

describe('a vector index on shared memory', () => {
  it('is searched by two threads while a third one adds, replaces and removes rows', async () => {
    const shape = shapeOf(24, 'euclidean');
    const index = new GraphIndex(shape);
    const steadyRows = 3000;
    for (let label = 0; label < steadyRows; label += 1)
      index.put(label, vectorOfLabel(label, shape.dimension));
    while (index.work(256)) {}
    let open = 2;
    const reports = [1, 2].map(async (thread): Promise<SearchReport> => {
      const task: SearchTask = { shape, thread, memories: index.memories, searches: 3000, steadyRows };
      const worker = new Worker(new URL('search-beside-writer.js', import.meta.url), { workerData: task });
      const [report] = await once(worker, 'message');
      open -= 1;
      return report;
    });
    const random = seededRandom(7);
    while (open > 0) {
      for (let change = 0; change < 20; change += 1) {
        const label = random.below(steadyRows * 2);
        if (label >= steadyRows && random.chance(0.5)) index.remove(label);
        else index.put(label, vectorOfLabel(label, shape.dimension));
      }
      index.work(24);
      await setImmediate();
    }
    for (const { searches, missed, wrong } of await Promise.all(reports)) {
      assert.equal(wrong, 0);
      assert.ok(missed <= searches / 100, `${missed} of ${searches} searches missed a row`);
    }
  });
});
