// What a data directory knows of the lease of its archive, when a start ends before it has taken the lease.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { LeaseKeeper } from '../../src/archive/lease/lease-keeper.js';
import { LeaseWatch } from '../../src/archive/lease/lease-watch.js';
import { StoreFailure } from '../../src/archive/stores/archive-store.js';
import { DirectoryStore } from '../../src/archive/stores/directory-store.js';
import { makeWritePermit, WritePermit } from '../../src/foundation/sqlite/write-permit.js';

const directory = mkdtempSync(join(tmpdir(), 'colonnade-lease-keeper-'));
after(() => rmSync(directory, { recursive: true }));
const { signal } = new AbortController();
let made = 0;
const random = (bytes: number) => {
  made += 1;
  return String(made).padStart(2 * bytes, '0');
};

type Cut = 'before the record' | 'after the record' | 'disk full' | undefined;

/** The end of the process. */
class PowerLost extends Error {}

/** The machine loses power at the first write. */
class CutStore extends DirectoryStore {
  cut: Cut;

  override async write(name: string, bytes: Uint8Array, ofCall?: AbortSignal) {
    if (this.cut === undefined) return super.write(name, bytes, ofCall);
    if (this.cut === 'disk full') throw new StoreFailure('ENOSPC: no space left on device', true);
    if (this.cut === 'after the record') await super.write(name, bytes, ofCall);
    throw new PowerLost();
  }
}

/** An archive with servers, each with a data directory. Every start is that of another boot of its machine. */
function arrange() {
  const place = mkdtempSync(join(directory, 'archive-'));
  const time = { nowMs: 1_000_000 };
  const clock = { monotonicMs: () => time.nowMs, nowMs: () => time.nowMs };
  const waits: string[] = [];
  const start = async (dataDir: string, cut?: Cut) => {
    const store = new CutStore(join(place, 'archive'), () => random(8));
    store.cut = cut;
    const permit = new WritePermit(makeWritePermit(), clock);
    const keeper = new LeaseKeeper({
      ...{ store, clock, random, dataDir, watch: new LeaseWatch(store, clock) },
      holder: { host: dataDir, url: '', opsUrl: '', place: `boot ${random(4)}` },
      terms: { durationMs: 10_000, stopsWrites: true },
      permit,
      sleep: async (ms) => {
        time.nowMs += ms;
      },
      onWait: (reason) => waits.push(reason),
    });
    if (cut === undefined) {
      await keeper.begin();
      assert.ok(keeper.isValid, keeper.status.problem);
    } else await assert.rejects(keeper.begin(), PowerLost);
    return Object.assign(keeper, { store, permit });
  };
  const newDirectory = (name: string) => mkdtempSync(join(place, name));
  const pass = (ms: number) => {
    time.nowMs += ms;
  };
  return { start, newDirectory, waits, pass };
}

describe('a server that refuses writes while it cannot renew its lease', () => {
  it('says why, until it renews it', async () => {
    const { start, newDirectory, pass } = arrange();
    const keeper = await start(newDirectory('data'));
    keeper.store.cut = 'disk full';
    pass(11_000);
    await keeper.tick(signal);
    assert.match(
      keeper.permit.refusal ?? '',
      /^this server may write only while it can renew the lease of its archive: .*ENOSPC/,
    );
    assert.ok(keeper.status.refusesWrites);
    keeper.store.cut = undefined;
    pass(1_000);
    await keeper.tick(signal);
    assert.equal(keeper.permit.refusal, undefined);
  });
});

const isBehind = /so the directory lacks its changes/;

describe('a start that loses power while it takes the lease', () => {
  for (const hadLease of [true, false])
    for (const cut of ['before the record', 'after the record'] as const)
      it(`can start again (${cut}, ${hadLease ? 'a later start' : 'the first start'})`, async () => {
        const { start, newDirectory, waits } = arrange();
        const data = newDirectory('data');
        if (hadLease) await (await start(data)).end(true, signal);
        for (let time = 1; time <= 3; time += 1) await start(data, cut);
        const keeper = await start(data);
        // Nobody knows whether a process of the boot before still runs elsewhere.
        assert.equal(waits.length, cut === 'after the record' ? 3 : 0);
        await keeper.end(true, signal);
        assert.equal((await start(data)).status.term, keeper.status.term + 1);
      });

  it('is refused if another server has written since', async () => {
    for (const cut of ['before the record', 'after the record'] as const) {
      const { start, newDirectory } = arrange();
      const [data, other] = [newDirectory('data'), newDirectory('other')];
      await (await start(data)).end(true, signal);
      await start(data, cut);
      await (await start(other)).end(true, signal);
      await assert.rejects(start(data), isBehind);
    }
  });

  it('has the lease of its own directory, and not of a copy of it', async () => {
    const { start, newDirectory } = arrange();
    const [data, copy] = [newDirectory('data'), newDirectory('copy')];
    await (await start(data)).end(true, signal);
    await start(data, 'before the record');
    cpSync(data, copy, { recursive: true });
    await (await start(data)).end(true, signal);
    await assert.rejects(start(copy), isBehind);
  });
});
