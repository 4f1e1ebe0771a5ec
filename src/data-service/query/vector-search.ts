// Vector searches: their parameters, and the definition of similarity (Cassandra's formulas).
import { float } from '../column-types/floats.js';
import { type Column, makeColumn } from '../schema/table.js';
import type { VectorMetric } from '../schema/vector-index.js';

/** Requests the rows whose vectors are most similar to another vector. */
export interface VectorSearch {
  readonly kind: 'vector';
  /** A vector column with an index. */
  readonly column: Column;
  /** Has the dimension of the column, all elements finite; not a zero vector for `cosine`. */
  readonly query: Float32Array;
  /** The metric of the index. */
  readonly metric: VectorMetric;
}

/** A search whose text must be embedded first. */
export interface TextSearch extends Pick<VectorSearch, 'column' | 'metric'> {
  readonly kind: 'text';
  /** Not blank; the column has a service to embed it. */
  readonly text: string;
}

/** The maximum number of rows of a search. */
export const maxSearchedRows = 1_000;

/**
 * The similarity of a row to the query, as a column; a search returns it if it is among its columns. This object is not
 * a column of any table, even if a column has the same name.
 */
export const similarityColumn: Column = makeColumn(0, { name: '$similarity', type: float });

/** The score of a vector: a higher score means more similar to the query. */
export type Scorer = (vector: Float32Array) => number;

/** The scorer of a search. Engines that use these functions order rows identically, to the last bit. */
export function scorerOf({ metric, query }: Pick<VectorSearch, 'metric' | 'query'>): Scorer {
  switch (metric) {
    case 'dot_product':
      return (vector) => dotProduct(vector, query);
    case 'euclidean':
      return (vector) => -squaredDistance(vector, query);
    case 'cosine': {
      const queryNorm = Math.sqrt(dotProduct(query, query));
      return (vector) => cosine(vector, query, queryNorm);
    }
  }
}

/**
 * The score in the form of replies: a 32-bit float, for most vectors from 0 to 1. Products and squared distances beyond
 * the range of such a float are infinite, as in Cassandra; a cosine that rounds to -1 is exactly -1.
 */
export function similarityOf(metric: VectorMetric, score: number): number {
  if (metric === 'cosine' && Math.fround(score) <= -1) return 0; // sums of doubles are slightly inexact
  const held = Number.isFinite(Math.fround(score)) ? score : Math.sign(score) * Number.POSITIVE_INFINITY;
  return Math.fround(metric === 'euclidean' ? 1 / (1 - held) : (1 + held) / 2);
}

/**
 * The dot product of two vectors of the same length; the sum is computed in doubles, from the first element on. The
 * functions below do the same.
 */
export function dotProduct(left: Float32Array, right: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < left.length; at += 1) sum += elementOf(left, at) * elementOf(right, at);
  return sum;
}

/** The squared distance of two vectors of the same length. */
export function squaredDistance(left: Float32Array, right: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < left.length; at += 1) {
    const difference = elementOf(left, at) - elementOf(right, at);
    sum += difference * difference;
  }
  return sum;
}

/** The cosine of the angle between two vectors of the same length, neither of them zero. */
export function cosine(vector: Float32Array, query: Float32Array, queryNorm: number): number {
  let product = 0;
  let squares = 0;
  for (let at = 0; at < vector.length; at += 1) {
    const element = elementOf(vector, at);
    product += element * elementOf(query, at);
    squares += element * element;
  }
  return product / (queryNorm * Math.sqrt(squares));
}

function elementOf(vector: Float32Array, at: number): number {
  return vector[at] ?? 0; // the index is always in range
}
