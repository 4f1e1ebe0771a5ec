// A thread that searches our index's memory for some seconds, once it is told to start, and says how often it did.
import { parentPort, workerData } from 'node:worker_threads';
import type { GraphShape } from '../../src/data-service/engine/embedded/vectors/graph.js';
import { GraphIndex } from '../../src/data-service/engine/embedded/vectors/graph-index.js';
import { vectorAt } from './vector-data.js';

// Our own benchmark started this thread.
const task = workerData as {
  readonly shape: GraphShape;
  readonly memories: readonly WebAssembly.Memory[];
  readonly thread: number;
  readonly queries: Float32Array;
  readonly breadth: number;
  readonly limit: number;
  readonly seconds: number;
  /** Becomes 1 when all threads are there. */
  readonly start: Int32Array;
};
const index = new GraphIndex(task.shape, task.thread, task.memories);
const { dimension } = task.shape;
const queryCount = task.queries.length / dimension;
parentPort?.postMessage('ready');
Atomics.wait(task.start, 0, 0);
let searches = 0;
const startMs = performance.now();
let elapsedMs = 0;
while (elapsedMs < task.seconds * 1000) {
  for (let i = 0; i < 20; i += 1) {
    index.search(vectorAt(task.queries, dimension, searches % queryCount), task);
    searches += 1;
  }
  elapsedMs = performance.now() - startMs;
}
parentPort?.postMessage(searches);
