// How a copy reports that there is no room.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { openDatabase } from '../../foundation/sqlite/open-database.js';
import { expectRoom, inRoom } from './durable-files.js';
import { StorageProblem } from './storage-layout.js';

describe('work in a directory', () => {
  const directory = mkdtempSync(join(tmpdir(), 'colonnade-room-'));
  after(() => rmSync(directory, { recursive: true }));

  const isReported = (error: unknown) => {
    assert.ok(error instanceof StorageProblem);
    assert.ok(error.message.startsWith(`${directory} cannot be written`), error.message);
    assert.match(error.message, /B of the disk are free, and about 4\.2 kB are needed in all/);
    return true;
  };

  it('is refused without room for it', async () => {
    const bytes = 2 ** 60;
    assert.throws(() => expectRoom(directory, bytes), /B free, and 1152921\.5 TB are needed/);
    await assert.rejects(
      inRoom(directory, bytes, async () => assert.fail('it began')),
      StorageProblem,
    );
  });

  const skip = process.platform !== 'linux' && 'only Linux has a device that is always full';
  it('reports with the sizes that the disk is full', { skip }, async () => {
    await assert.rejects(
      inRoom(directory, 4200, async () => writeFileSync('/dev/full', 'content')),
      isReported,
    );
  });

  it('reports with the sizes that SQLite finds no room', async () => {
    const database = openDatabase({ path: join(directory, 'data.db') });
    database.exec('CREATE TABLE t (a TEXT); PRAGMA max_page_count = 3');
    const fill = async () => database.statement('INSERT INTO t VALUES (?)').run(['x'.repeat(100_000)]);
    await assert.rejects(inRoom(directory, 4200, fill), isReported);
    database.close();
  });

  it('throws other errors as they are', async () => {
    const failure = new RangeError('another');
    await assert.rejects(
      inRoom(directory, 4200, async () => {
        throw failure;
      }),
      failure,
    );
  });
});
