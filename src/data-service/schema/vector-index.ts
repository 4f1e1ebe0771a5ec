// The options of a vector index: how to measure similarity, and whose embeddings they are (wire: metric).

/** How similar two vectors are; the formulas are in `query/vector-search.ts`. */
export type VectorMetric = 'cosine' | 'dot_product' | 'euclidean';

/** The names of metrics, the default first. */
export const vectorMetrics: readonly VectorMetric[] = ['cosine', 'dot_product', 'euclidean'];

/** Source model → the metric it implies where none is given. The default is `other`. */
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

/** Whether every element is zero: such a vector has no direction, so that no metric of directions can hold it. */
export function isZeroVector(vector: Float32Array): boolean {
  return vector.every((element) => element === 0);
}
