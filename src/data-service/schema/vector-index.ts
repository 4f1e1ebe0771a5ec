// The options of a vector index: the metric, and the model that makes the vectors (wire: metric).
import type { vectorMetrics } from '../../descriptions/vector-metrics.js';

/** The measure of similarity; the formulas are in `query/vector-search.ts`. */
export type VectorMetric = (typeof vectorMetrics)[number];

/** Source model → its default metric. The default model is `other`. */
export const sourceModels = {
  ada002: 'dot_product',
  bert: 'dot_product',
  'cohere-v3': 'dot_product',
  gecko: 'dot_product',
  'nv-qa-4': 'dot_product',
  'openai-v3-large': 'dot_product',
  'openai-v3-small': 'dot_product',
  other: 'cosine',
} as const satisfies Readonly<Record<string, VectorMetric>>;

/** The model that made the vectors of an index. */
export type SourceModel = keyof typeof sourceModels;

/**
 * What a storage takes in a vector column, whether it has an index or not: it may get one at any time. Zero vectors
 * are then refused in every column.
 */
export interface VectorLimits {
  /** The greatest magnitude of an element. */
  readonly mostMagnitude: number;
}
