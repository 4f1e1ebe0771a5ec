// The engine suite on the lazy engine: `finishRead` does all that an engine may leave undone.
import { describeEngine } from './describe-engine.js';
import { unsortedDifferences } from './distributed-differences.js';
import { openLazyEngine } from './lazy-engine.js';

describeEngine(
  'lazy',
  async () => openLazyEngine(),
  {},
  unsortedDifferences('unsorted reads come by the key, whatever index there is'),
  'key',
);
