// A follower whose first server has begun a later generation of the archive: when it can become the first one.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { ArchiveFollower } from '../../src/archive/following/archive-follower.js';
import { PromotionUncertain } from '../../src/archive/following/promotion-refused.js';
import { findMoment } from '../../src/archive/restoring/find-moment.js';
import { restoreDatabase } from '../../src/archive/restoring/restore-database.js';
import { DirectoryStore } from '../../src/archive/stores/directory-store.js';
import { openDatabase } from '../../src/foundation/sqlite/open-database.js';
import { PageWriter } from '../../src/foundation/sqlite/page-writer.js';
import { systemClock } from '../../src/foundation/telemetry/clock.js';
import { ArchiveMaker } from './archive-maker.js';

const directory = mkdtempSync(join(tmpdir(), 'colonnade-later-'));
after(() => rmSync(directory, { recursive: true }));
const never = new AbortController().signal;

describe('a follower of an archive that has a later generation', () => {
  it('becomes the first server without it only by force, and not while it has copies', async () => {
    const path = join(directory, 'first.db');
    const first = openDatabase({ path });
    first.exec('CREATE TABLE t (id INTEGER PRIMARY KEY)');
    first.close();
    const store = new DirectoryStore(join(directory, 'archive'), () => 'x');
    const maker = await archiveWith(store, path, 1_000);
    const placeOf = async (at: number, name: string) => {
      const point = (await findMoment(store)).databases[at];
      assert.ok(point);
      const restored = await restoreDatabase(store, point, join(directory, name), { signal: never });
      return { ...restored, target: restored.sequence };
    };
    const places = { data: await placeOf(0, 'data.db'), ops: await placeOf(1, 'ops.db') };
    const writers = {
      data: new PageWriter(join(directory, 'data.db'), () => randomBytes(8)),
      ops: new PageWriter(join(directory, 'ops.db'), () => randomBytes(8)),
    };
    const state = { archive: 'a'.repeat(32), generation: maker.generation, role: 'follows', places } as const;
    const following = { store, clock: systemClock, dataDir: directory, writers };
    const follower = new ArchiveFollower(following, state);
    await follower.finish(never, false);

    const later = new ArchiveMaker(store, 5_000);
    await later.begin(5_000);
    await assert.rejects(follower.finish(never, false), (error) => {
      assert.ok(error instanceof PromotionUncertain);
      return /its first copy is not complete: only that server has/.test(error.message);
    });
    await follower.finish(never, true);
    for (const database of ['data', 'ops'] as const) await later.copy(database, path, 6_000);
    for (const isForced of [false, true])
      await assert.rejects(follower.finish(never, isForced), /has copies that are later than this server/);
    assert.ok(follower.mustRemake);
    for (const writer of Object.values(writers)) writer.close();
  });
});

/** An archive of one generation with copies of both databases. */
async function archiveWith(store: DirectoryStore, path: string, atMs: number): Promise<ArchiveMaker> {
  const maker = new ArchiveMaker(store, atMs);
  await maker.begin(atMs);
  for (const database of ['data', 'ops'] as const) await maker.copy(database, path, atMs);
  return maker;
}
