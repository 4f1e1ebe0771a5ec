// A process that builds an index of random vectors, made one at a time, and reports how much memory that added.

import { bestToWalkOn } from '../../src/data-service/engine/embedded/vectors/graph.js';
import { GraphIndex } from '../../src/data-service/engine/embedded/vectors/graph-index.js';

const { rowCount, dimension } = JSON.parse(process.argv[2] ?? '{}') as {
  rowCount: number;
  dimension: number;
};
let state = 1;
const random = () => {
  state = (Math.imul(state, 1664525) + 1013904223) | 0;
  return state / 2 ** 31;
};
const vector = new Float32Array(dimension);
/** In a few clusters: links are made as for real rows. */
const fillVector = (row: number): void => {
  for (let i = 0; i < dimension; i += 1) vector[i] = random() + Math.sin(i * ((row % 50) + 1));
};
// The memory that making vectors needs is not counted.
for (let row = 0; row < 5_000; row += 1) fillVector(row);
const before = process.memoryUsage.rss();
const shape = {
  dimension,
  metric: 'cosine',
  walksOn: bestToWalkOn(dimension, 'int8'),
  maxRows: 2 ** 22,
} as const;
const index = new GraphIndex(shape);
for (let row = 0; row < rowCount; row += 1) {
  fillVector(row);
  index.put(row, vector);
}
while (index.work(1024)) {}
index.search(vector, { limit: 10, breadth: 64 });
console.log(JSON.stringify({ grownBytes: process.memoryUsage.rss() - before }));
