// A text index follows its rows through many random steps, with large and small segments and slices.
import { describe, it } from 'node:test';
import { smallSlices } from '../conformance/open-embedded.js';
import { checkTextModel, smallSegments } from './check-text-model.js';

describe('a text index, over many steps', () => {
  for (const [name, sizes] of [
    ['', {}],
    [', read in small slices', { slices: smallSlices }],
    [' with small segments', { textSizes: smallSegments }],
    [' with small segments, read in small slices', { textSizes: smallSegments, slices: smallSlices }],
  ] as const)
    it(`finds what a model finds${name}`, () => checkTextModel(sizes, 400));
});
