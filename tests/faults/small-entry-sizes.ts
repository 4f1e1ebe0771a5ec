// Imported into a server process: segments of index entries so small that a few documents have several, and so many
// steps that merges are always under way.
import { segmentSizes } from '../../src/data-service/engine/embedded/writes/entry-segments.js';

Object.assign(segmentSizes, { filled: 200, copied: 60, deleted: 90, largestAtRest: 100_000, most: 40 });
