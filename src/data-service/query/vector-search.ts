// Vector searches: what is searched for, and the one meaning of similarity (Cassandra's formulas).
import { float } from '../column-types/floats.js';
import { type Column, makeColumn } from '../schema/table.js';
import type { VectorMetric } from '../schema/vector-index.js';

/** Asks for the rows whose vectors are most similar to another. */
export interface VectorSearch {
  /** A vector column with an index. */
  readonly column: Column;
  /** As long as the column's vectors, every element finite; not all of them zero for `cosine`. */
  readonly query: Float32Array;
  /** That of the index. */
  readonly metric: VectorMetric;
}

/** Rows that one search gives at most. */
export const maxSearchedRows = 1_000;

/**
 * The similarity of a row to the query, as a column: a search that wants it has it among its columns. No table has
 * this very column, whatever its columns are called.
 */
export const similarityColumn: Column = makeColumn(0, { name: '$similarity', type: float });

/** Tells how well a vector fits: of two the one with the higher score is more similar. */
export type Scorer = (vector: Float32Array) => number;

/**
 * The scorer of a search. Sums run in doubles, element by element from the first, so that every engine that scores by
 * this function orders rows alike.
 */
export function scorerOf({ metric, query }: Pick<VectorSearch, 'metric' | 'query'>): Scorer {
  switch (metric) {
    case 'dot_product':
      return (vector) => dotProduct(query, vector);
    case 'euclidean':
      return (vector) => -squaredDistance(query, vector);
    case 'cosine': {
      const queryNorm = Math.sqrt(dotProduct(query, query));
      return (vector) => cosine(query, queryNorm, vector);
    }
  }
}

/** What replies show for a score: a 32-bit float, for most vectors from 0 to 1. */
export function similarityOf(metric: VectorMetric, score: number): number {
  return Math.fround(metric === 'euclidean' ? 1 / (1 - score) : (1 + score) / 2);
}

function dotProduct(left: Float32Array, right: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < left.length; at += 1) sum += (left[at] as number) * (right[at] as number); // of one length
  return sum;
}

function squaredDistance(left: Float32Array, right: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < left.length; at += 1) {
    const difference = (left[at] as number) - (right[at] as number); // of one length
    sum += difference * difference;
  }
  return sum;
}

function cosine(query: Float32Array, queryNorm: number, vector: Float32Array): number {
  let product = 0;
  let squares = 0;
  for (let at = 0; at < query.length; at += 1) {
    const element = vector[at] as number; // of one length
    product += (query[at] as number) * element;
    squares += element * element;
  }
  return product / (queryNorm * Math.sqrt(squares));
}
