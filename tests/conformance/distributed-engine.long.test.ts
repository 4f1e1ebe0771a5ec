// The engine suite on an engine that behaves like a distributed store.
import { describeEngine } from './describe-engine.js';
import { distributedDifferences } from './distributed-differences.js';
import { openDistributedEngine } from './distributed-engine.js';
import { askingAgain } from './engine-steps.js';

describeEngine(
  'distributed',
  async () => askingAgain(openDistributedEngine(20_261_124)),
  {},
  distributedDifferences,
);
