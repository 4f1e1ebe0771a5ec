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

/** A search whose vector has to be made of a text first. */
export interface TextSearch extends Pick<VectorSearch, 'column' | 'metric'> {
  /** Not blank; the column has a service for it. */
  readonly text: string;
}

/** Rows that one search gives at most. */
export const maxSearchedRows = 1_000;

/**
 * The similarity of a row to the query, as a column: a search that wants it has it among its columns. No table has
 * this very column, whatever its columns are called.
 */
export const similarityColumn: Column = makeColumn(0, { name: '$similarity', type: float });

/** The similarity of a vector to the query: the one with the higher score is more similar. */
export type Scorer = (vector: Float32Array) => number;

/** The scorer of a search. Engines that score by these functions order rows alike, to the last bit. */
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
 * What replies show for a score: a 32-bit float, for most vectors from 0 to 1. Products and squared distances that no
 * such float holds are infinite, as Cassandra has them; a cosine that is -1 as such a float is exactly that.
 */
export function similarityOf(metric: VectorMetric, score: number): number {
  if (metric === 'cosine' && Math.fround(score) <= -1) return 0; // sums in doubles end a little beside it
  const held = Number.isFinite(Math.fround(score)) ? score : Math.sign(score) * Number.POSITIVE_INFINITY;
  return Math.fround(metric === 'euclidean' ? 1 / (1 - held) : (1 + held) / 2);
}

/** Of two vectors of one length; the sum runs in doubles, from the first element on. So do those below. */
export function dotProduct(left: Float32Array, right: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < left.length; at += 1) sum += elementOf(left, at) * elementOf(right, at);
  return sum;
}

/** Of two vectors of one length. */
export function squaredDistance(left: Float32Array, right: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < left.length; at += 1) {
    const difference = elementOf(left, at) - elementOf(right, at);
    sum += difference * difference;
  }
  return sum;
}

/** Of the angle between two vectors of one length, neither of them zero. */
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
  return vector[at] ?? 0; // no loop goes beyond the end
}
