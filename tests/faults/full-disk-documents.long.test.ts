// Documents on a full disk: nothing is lost, no halves are stored, and the index entries are those of the documents.
import { describe, it } from 'node:test';
import { limitedFileSize, smallFileSystem } from './limited-storage.js';
import { whyNoFullDisk } from './run-full-disk.js';
import { runFullDiskInBuild, runFullDiskOfDocuments } from './run-full-disk-documents.js';

describe('documents on a full disk', { skip: whyNoFullDisk }, () => {
  for (const meanwhile of ['nothing', 'a kill'] as const) {
    it(`as a file size limit, with ${meanwhile} in between`, (test) =>
      runFullDiskOfDocuments(test, limitedFileSize(), meanwhile));

    it(`as a full file system, with ${meanwhile} in between`, async (t) => {
      const storage = smallFileSystem();
      if (storage === undefined) t.skip('this user may not mount a file system');
      else await runFullDiskOfDocuments(t, storage, meanwhile);
    });
  }

  it('in a build of index entries', () => runFullDiskInBuild((dataDir) => limitedFileSize(dataDir, 600)));
});
