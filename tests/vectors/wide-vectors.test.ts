// The vector index finds the nearest rows where sums of products of codes are largest: in many dimensions, and with
// elements that are all as large as the largest one. Every dimension: the long file.
import { describe } from 'node:test';
import { itFindsWide } from './wide-vectors.js';

describe('the vector index, given wide vectors', () => {
  for (const dimension of [1, 32, 529, 1100]) itFindsWide(dimension, 300);
  // Enough rows for a walk.
  itFindsWide(560, 2200);
});
