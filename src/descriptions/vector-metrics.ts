// The metrics of vector searches.

/** Their names, in the order of forms and messages. An index without a metric and a model has the first one. */
export const vectorMetrics = ['cosine', 'dot_product', 'euclidean'] as const;
