// The embedded engine, as the configuration and commands see it, and its options.
import { required } from '../option.js';
import { choiceKind } from '../option-kinds.js';
import type { EngineDescription } from './engine-description.js';

/** Rows in a file of the data directory, which one process uses. */
export const embedded = {
  help: 'embedded is a SQLite file in the data directory',
  capabilities: { hasUsers: false, hasWorkers: false },
  rowsFile: 'data.db',
  needs: {},
} as const satisfies EngineDescription;

/** How vector indexes keep the values of rows in memory: in 8 bits each, or also as they are stored. */
const vectorQuantizations = ['int8', 'none'] as const;

/** See `--vector-quantization`. */
export type VectorQuantization = (typeof vectorQuantizations)[number];

/** The options of the engine, in the order of the help. */
export const embeddedOptions = {
  vectorQuantization: required({
    name: 'vector-quantization',
    kind: choiceKind(vectorQuantizations),
    default: 'int8',
    help:
      'How vector indexes of --engine embedded keep vectors in memory. With int8 each value takes 8 bits, and the ' +
      'rows that a search finds are ranked by their stored vectors. With none the index has the 32-bit values as ' +
      'well, which takes about four times the memory, and finds more where many rows are almost equal, or where by ' +
      'dot_product one element of the vectors has values in groups that are far apart compared with the other ' +
      'elements. Indexes of fewer than 32 dimensions have 32-bit values alone. After a change of this option the ' +
      'indexes are built again.',
  }),
};
