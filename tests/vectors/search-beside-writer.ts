// A thread that searches a graph while another one changes it, and says what it saw. See shared-memory.test.ts.
import { parentPort, workerData } from 'node:worker_threads';
import { GraphIndex } from '../../src/data-service/engine/embedded/vectors/graph-index.js';
import { seededRandom } from '../seeded-random.js';
import { distanceBy } from './brute-force.js';
import { type SearchTask, vectorOfLabel } from './shared-rows.js';

/** What the searches came to. */
export interface SearchReport {
  readonly searches: number;
  /** Searches that did not find the row whose own vector they searched for. */
  readonly missed: number;
  /** Finds whose key is not the distance of the row with that label. */
  readonly wrong: number;
}

// Our own test started this thread.
const task = workerData as SearchTask;
const index = new GraphIndex(task.shape, task.thread, task.memories);
const random = seededRandom(task.thread);
let missed = 0;
let wrong = 0;
for (let search = 0; search < task.searches; search += 1) {
  const wanted = random.below(task.steadyRows);
  const query = vectorOfLabel(wanted, task.shape.dimension);
  const finds = index.search(query, { limit: 5, breadth: 64 });
  if (!finds.some(({ label }) => label === wanted)) missed += 1;
  for (const { label, key } of finds) {
    const distance = distanceBy('euclidean', vectorOfLabel(label, task.shape.dimension), query);
    if (Math.abs(distance - key) > 1e-3 * (1 + distance)) wrong += 1;
  }
}
const report: SearchReport = { searches: task.searches, missed, wrong };
parentPort?.postMessage(report);
