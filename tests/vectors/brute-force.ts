// What a vector index must find, computed by comparing every row; and rows to find.
import type { VectorMetric } from '../../src/data-service/schema/vector-index.js';
import { type SeededRandom, seededRandom } from '../seeded-random.js';

/** A number from about the normal distribution. */
export function normal(random: SeededRandom): number {
  let sum = 0;
  for (let i = 0; i < 12; i += 1) sum += random.below(2 ** 30) / 2 ** 30;
  return sum - 6;
}

/** The vector of the row with a label: the same whenever it is asked for. */
export function vectorOfLabel(label: number, dimension: number): Float32Array {
  const random = seededRandom(label);
  return Float32Array.from({ length: dimension }, () => normal(random));
}

/** Vectors of different lengths in overlapping clusters that are not around 0: each metric gives another order. */
export function clusteredVectors(random: SeededRandom, count: number, dimension: number): Float32Array[] {
  const centres = Array.from({ length: 20 }, () =>
    Float32Array.from({ length: dimension }, () => normal(random) + 1),
  );
  return Array.from({ length: count }, () => {
    const centre = random.pick(centres);
    const length = 0.5 + random.below(1000) / 1000;
    return centre.map((value) => (value + 0.6 * normal(random)) * length);
  });
}

/** How near a vector is, the nearer the smaller: as the metric says, in double precision. */
export function distanceBy(metric: VectorMetric, left: Float32Array, right: Float32Array): number {
  let product = 0;
  let leftSquares = 0;
  let rightSquares = 0;
  let differences = 0;
  for (const [i, value] of left.entries()) {
    const other = right[i] ?? 0;
    product += value * other;
    leftSquares += value * value;
    rightSquares += other * other;
    differences += (value - other) ** 2;
  }
  if (metric === 'dot_product') return -product;
  return metric === 'cosine' ? -product / Math.sqrt(leftSquares * rightSquares) : differences;
}

/** The distances of the `limit` nearest rows, nearest first. */
export function nearestDistances(
  metric: VectorMetric,
  rows: Iterable<Float32Array>,
  query: Float32Array,
  limit: number,
): readonly number[] {
  const distances = Array.from(rows, (row) => distanceBy(metric, row, query));
  return distances.sort((left, right) => left - right).slice(0, limit);
}

/** The share of the wanted rows that were found, or rows that are as near. */
export function recallOf(found: readonly number[], wanted: readonly number[]): number {
  const farthest = wanted.at(-1) ?? 0;
  // Distances that sums of 32 bits may not distinguish count as equal, whatever their size.
  const slack = Math.abs(farthest) * 1e-5 + Math.max(...wanted.map(Math.abs)) * 1e-7;
  return found.filter((distance) => distance <= farthest + slack).length / wanted.length;
}
