// Imported into a server process: segments of index entries so small that some documents have many, and that they are
// merged in several steps.
import { segmentSizes } from '../../src/data-service/engine/embedded/writes/entry-segments.js';

Object.assign(segmentSizes, { filled: 200, copied: 600, deleted: 900, largestAtRest: 100_000, most: 40 });
