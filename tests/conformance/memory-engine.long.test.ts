// The engine suite on the engine in memory.
import { openMemoryEngine } from '../memory-engine/memory-engine.js';
import { describeEngine, describeExtendedEngine } from './describe-engine.js';
import { unsortedDifferences } from './distributed-differences.js';

const differences = unsortedDifferences('unsorted reads come by the key, whatever index there is');

describeEngine('memory', async () => openMemoryEngine(), {}, differences, 'key');
describeExtendedEngine('memory', async () => openMemoryEngine({ dialect: 'extended' }));
