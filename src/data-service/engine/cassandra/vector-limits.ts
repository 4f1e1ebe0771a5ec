// What the vector indexes of Cassandra take.
import { shortestFloatText } from '../../column-types/nearest-float.js';
import type { VectorLimits } from '../../schema/vector-index.js';

/**
 * The limits of every vector column. A node logs other vectors before their index refuses them, and may then
 * not start again; and every client of the cluster can make an index at any time.
 */
export const vectorLimits: VectorLimits = { mostMagnitude: Math.fround(1e17) };

/** What rows may hold, written by other clients, that no index takes. */
export const largeVectors =
  `vectors with elements beyond ${shortestFloatText(vectorLimits.mostMagnitude)}, ` +
  'which indexes of Cassandra do not take';
