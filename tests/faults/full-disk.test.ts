// A disk without room refuses writes wholly and clearly, keeps serving reads, and works again when there is room.
// Full file systems and kills in between: the long file.
import { describe, it } from 'node:test';
import { limitedFileSize } from './limited-storage.js';
import { runFullDisk, whyNoFullDisk } from './run-full-disk.js';

describe('a full disk', { skip: whyNoFullDisk }, () => {
  it('as a file size limit, with nothing in between, loses nothing and stores no halves', (test) =>
    runFullDisk(test, limitedFileSize(), 'nothing'));
});
