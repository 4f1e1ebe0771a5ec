// A full file system, and a kill while the disk is full: nothing is lost, and no halves are stored.
import { describe, it } from 'node:test';
import { limitedFileSize, smallFileSystem } from './limited-storage.js';
import { runFullDisk, whyNoFullDisk } from './run-full-disk.js';

describe('a full disk', { skip: whyNoFullDisk }, () => {
  it('as a file size limit, with a kill in between, loses nothing and stores no halves', (test) =>
    runFullDisk(test, limitedFileSize(), 'a kill'));

  for (const meanwhile of ['nothing', 'a kill'] as const) {
    it(`as a full file system, with ${meanwhile} in between, loses nothing and stores no halves`, async (t) => {
      const storage = smallFileSystem();
      if (storage === undefined) t.skip('this user may not mount a file system');
      else await runFullDisk(t, storage, meanwhile);
    });
  }
});
