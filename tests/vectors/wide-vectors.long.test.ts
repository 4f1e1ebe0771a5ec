// The vector index finds the nearest rows in 1 to 8,192 dimensions, whatever the signs and sizes of the elements.
import { describe } from 'node:test';
import { itFindsWide } from './wide-vectors.js';

describe('the vector index, given vectors of any width', () => {
  for (const dimension of [2, 16, 31, 33, 512, 520, 1536, 4095, 4097, 8191, 8192])
    itFindsWide(dimension, 300);
  for (const dimension of [32, 544]) itFindsWide(dimension, 2200);
});
