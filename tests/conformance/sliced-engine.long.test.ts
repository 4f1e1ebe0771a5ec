// The engine suite on the embedded engine with slices so small that every long read has several of them, and with all
// pages and searches left to two threads.
import { describeEngine, describeExtendedEngine } from './describe-engine.js';
import { withoutComparisonsOfMostTypes } from './engine-column-type-cases.js';
import { newDataDirectory, openEmbedded, smallSlices } from './open-embedded.js';

describeEngine(
  'sliced embedded',
  () => openEmbedded(newDataDirectory(), { slices: smallSlices, fewestWaiting: 1 }),
  withoutComparisonsOfMostTypes('slices have the conditions of whole reads, which the embedded engine tries'),
);
describeExtendedEngine('sliced embedded', () =>
  openEmbedded(newDataDirectory(), { dialect: 'extended', slices: smallSlices, fewestWaiting: 1 }),
);
