// Rows whose vectors follow from their labels, so that several threads know them.
import type { GraphShape } from '../../src/data-service/engine/embedded/vectors/graph.js';
import { seededRandom } from '../seeded-random.js';
import { normal } from './brute-force.js';

/** What a searching thread is started with. */
export interface SearchTask {
  readonly shape: GraphShape;
  readonly thread: number;
  readonly memories: readonly WebAssembly.Memory[];
  readonly searches: number;
  /** Labels below this are always there, though perhaps replaced by an equal row at times. */
  readonly steadyRows: number;
}

/** The vector of the row with a label. */
export function vectorOfLabel(label: number, dimension: number): Float32Array {
  const random = seededRandom(label);
  return Float32Array.from({ length: dimension }, () => normal(random));
}
