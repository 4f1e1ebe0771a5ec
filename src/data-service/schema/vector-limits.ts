// Vectors that a column cannot have: because of its index, or because the storage could never index them.
import { isZeroVector, whyTooLarge } from '../column-types/vector.js';
import { type Column, type Table, vectorIndexOn } from './table.js';
import type { VectorMetric } from './vector-index.js';

/** Why the column cannot have the vector; undefined: it can. */
export function whyUnstorable(table: Table, column: Column, vector: Float32Array): string | undefined {
  const { vectorLimits } = column;
  const metric = vectorIndexOn(table, column)?.metric;
  if (vectorLimits === undefined) return whyUnmeasurable(vector, metric);
  const reason = whyUnsearchable(column, vector, metric);
  if (reason !== undefined || !isZeroVector(vector)) return reason;
  return 'a zero vector has no direction, which Cassandra needs where the column gets an index with the metric cosine';
}

/** Why the column cannot be searched for the vector; undefined: it can. */
export function whyUnsearchable(
  { vectorLimits }: Column,
  vector: Float32Array,
  metric: VectorMetric | undefined,
): string | undefined {
  const large = vectorLimits === undefined ? undefined : whyTooLarge(vector, vectorLimits.mostMagnitude);
  return large ?? whyUnmeasurable(vector, metric);
}

function whyUnmeasurable(vector: Float32Array, metric: VectorMetric | undefined): string | undefined {
  if (metric !== 'cosine' || !isZeroVector(vector)) return undefined;
  return 'a zero vector has no direction, which the metric cosine of the index needs';
}
