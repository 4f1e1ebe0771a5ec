// The promotion of a follower: what the lease and the data directory know after it, and after one that fails.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { promote } from '../../src/archive/following/promote.js';
import { PromotionUncertain } from '../../src/archive/following/promotion-refused.js';
import { readKnownLease } from '../../src/archive/lease/known-lease.js';
import { Lease } from '../../src/archive/lease/lease.js';
import { LeaseWatch } from '../../src/archive/lease/lease-watch.js';
import { StoreFailure } from '../../src/archive/stores/archive-store.js';
import { DirectoryStore } from '../../src/archive/stores/directory-store.js';
import { systemClock } from '../../src/foundation/telemetry/clock.js';

const directory = mkdtempSync(join(tmpdir(), 'colonnade-promote-'));
after(() => rmSync(directory, { recursive: true }));
const random = (bytes: number) => randomBytes(bytes).toString('hex');
const { signal } = new AbortController();

/** An archive whose first server has released its lease, or was lost as a lone one, and the promotion of a follower. */
async function arrange(name: string, finish: () => Promise<void>, isReleased = true, place = '') {
  const dataDir = mkdtempSync(join(directory, name));
  const store = new DirectoryStore(join(dataDir, 'archive'), () => random(8));
  const watch = new LeaseWatch(store, systemClock);
  const parts = { store, clock: systemClock, random, watch };
  const holderOf = (server: string) => ({ server, host: server, url: '', opsUrl: '', place });
  const terms = { durationMs: 15_000, stopsWrites: isReleased };
  const lease = await Lease.take(parts, holderOf('first'), terms, { mayTake: () => true });
  if (isReleased) await lease.release();
  const saved: unknown[] = [];
  const follower = { finish, save: (state: unknown) => void saved.push(state) };
  const promoting = () =>
    promote({ ...parts, follower, dataDir, holder: holderOf('second'), isForced: false, signal });
  return { dataDir, lease, promoting, saved, look: () => new LeaseWatch(store, systemClock).look() };
}

describe('a promotion', () => {
  it('makes other data directories outdated, and keeps the lease for a start that knows it', async () => {
    for (const [place, state] of [
      ['boot:1:2', 'held'],
      ['', 'released'],
    ] as const) {
      const arranged = await arrange(`done-${state}`, async () => {}, true, place);
      const { dataDir, lease, promoting, saved, look } = arranged;
      await promoting();
      const { record } = await look();
      assert.deepEqual([record?.server, record?.state, record?.term], ['second', state, lease.term + 1]);
      assert.deepEqual(saved, [{ role: 'promoted' }]);
      const { server, held } = readKnownLease(dataDir) ?? {};
      assert.deepEqual([server, held?.term, held?.lineage], ['second', lease.term + 1, lease.lineage]);
    }
  });

  it('is refused without force where only a person knows that the server before has stopped', async () => {
    const { promoting, look } = await arrange('uncertain', async () => {}, false);
    const isUncertain = (error: unknown) =>
      error instanceof PromotionUncertain && /continues to write when it cannot reach/.test(error.message);
    await assert.rejects(promoting(), isUncertain);
    assert.equal((await look()).record?.server, 'first');
  });

  it('that fails lets the server before start again', async () => {
    const { dataDir, lease, promoting, saved, look } = await arrange('failed', async () => {
      throw new StoreFailure('a piece cannot be read', true);
    });
    await assert.rejects(promoting(), /a piece cannot be read/);
    const { record } = await look();
    assert.deepEqual([record?.state, record?.term], ['released', lease.term]);
    assert.deepEqual([saved, readKnownLease(dataDir)], [[], undefined]);
  });
});
