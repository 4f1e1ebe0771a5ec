// The engine suite on the embedded engine with its file closed and opened again between writing and reading.
import { describeEngine } from './describe-engine.js';
import { withoutComparisonsOfMostTypes } from './engine-column-type-cases.js';
import { newDataDirectory, openEmbedded } from './open-embedded.js';
import { reopeningEngine } from './reopening-engine.js';

const manyReopenings = 'would open the file hundreds of times';
const concurrent = 'reopening is for callers that wait for each call';
describeEngine(
  'reopened embedded',
  () => {
    const dataDirectory = newDataDirectory();
    return reopeningEngine(() => openEmbedded(dataDirectory));
  },
  {
    ...withoutComparisonsOfMostTypes('a file that was opened again compares as before'),
    'shows every row to the read behind its acknowledgement': manyReopenings,
    'keeps inserts, reads and schema changes apart when they run at the same time': concurrent,
    'makes an index while rows are written and read: none fails, none is lost': concurrent,
    'refuses plans that arrive behind a drop which is under way': concurrent,
    'finishes what it accepted before it closed': concurrent,
    'refuses every plan for documents once it is closed, and finishes those that it accepted': concurrent,
    'refuses to drop a table twice': 'the table is another object once the schema was read again',
  },
);
