// The lease of an archive: at no moment two servers may write, whatever happens to their requests and clocks.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { leaseFolder } from '../../src/archive/format/names.js';
import { Lease, LeaseHeld } from '../../src/archive/lease/lease.js';
import type { LeaseRecord } from '../../src/archive/lease/lease-record.js';
import { LeaseWatch } from '../../src/archive/lease/lease-watch.js';
import { type ArchiveStore, StoreFailure } from '../../src/archive/stores/archive-store.js';
import { DirectoryStore } from '../../src/archive/stores/directory-store.js';
import { type SeededRandom, seededRandom } from '../seeded-random.js';

const durationMs = 10_000;
const minuteMs = 60_000;
const seed = Number(process.env['COLONNADE_TEST_SEED'] ?? Math.floor(Math.random() * 1e9));
const directory = mkdtempSync(join(tmpdir(), 'colonnade-lease-'));
after(() => rmSync(directory, { recursive: true }));
let stores = 0;
let nonces = 0;
const random = () => {
  nonces += 1;
  return String(nonces).padStart(16, '0');
};

function newStore(): ArchiveStore {
  stores += 1;
  return new DirectoryStore(join(directory, `${stores}`), random);
}

/** Time that passes only in tests. */
class TestTime {
  nowMs = 1_000_000;

  /** A clock that runs a little too fast or too slow, and began at another time. */
  clock(rate = 1, offset = 0) {
    const now = () => this.nowMs * rate + offset;
    return { monotonicMs: now, nowMs: now };
  }
}

/** A server that wants the lease of a store. */
class Contender {
  lease: Lease | undefined;
  readonly #clock: ReturnType<TestTime['clock']>;
  readonly #store: ArchiveStore;
  #watch: LeaseWatch;
  readonly name: string;

  constructor(name: string, store: ArchiveStore, clock: ReturnType<TestTime['clock']>) {
    this.name = name;
    this.#store = store;
    this.#clock = clock;
    this.#watch = new LeaseWatch(store, clock);
  }

  get mayWrite(): boolean {
    return this.lease?.isValid === true;
  }

  async take(mayTake = (_: LeaseRecord | undefined, isFree: boolean) => isFree): Promise<void> {
    this.#watch = this.lease === undefined ? this.#watch : new LeaseWatch(this.#store, this.#clock);
    this.lease = undefined;
    const holder = { server: this.name, host: this.name, url: `http://${this.name}`, opsUrl: '', place: '' };
    const parts = { store: this.#store, clock: this.#clock, random, watch: this.#watch };
    this.lease = await Lease.take(parts, holder, { durationMs, stopsWrites: true }, { mayTake });
  }
}

describe('the lease of an archive', () => {
  it('is of the first server, which renews it, and is refused to another one', async () => {
    const [time, store] = [new TestTime(), newStore()];
    const [a, b] = [new Contender('a', store, time.clock()), new Contender('b', store, time.clock(1, 9e9))];
    await a.take();
    for (let count = 0; count < 10; count += 1) {
      await assert.rejects(
        b.take(),
        (error) => error instanceof LeaseHeld && error.seen.record?.server === 'a',
      );
      time.nowMs += durationMs * 0.6;
      await a.lease?.renew();
      assert.ok(a.mayWrite);
    }
    assert.equal(a.lease?.term, 1);
  });

  it('can be taken from a server that has not renewed it, which has stopped before', async () => {
    const [time, store] = [new TestTime(), newStore()];
    const [a, b] = [new Contender('a', store, time.clock()), new Contender('b', store, time.clock(1, 9e9))];
    await a.take();
    await assert.rejects(b.take(), LeaseHeld);
    time.nowMs += durationMs;
    assert.ok(!a.mayWrite);
    await assert.rejects(b.take(), LeaseHeld); // it waits longer, for clocks that do not run equally fast
    time.nowMs += durationMs;
    await b.take();
    assert.ok(b.mayWrite);
    assert.equal(b.lease?.term, 2);
    await a.lease?.renew();
    assert.ok(!a.mayWrite);
    assert.equal(a.lease?.lostTo?.server, 'b');
  });

  it('stays with a server that could not renew it in time if no other one took it', async () => {
    const [time, store] = [new TestTime(), newStore()];
    const a = new Contender('a', store, time.clock());
    await a.take();
    time.nowMs += 100 * durationMs;
    assert.ok(!a.mayWrite);
    await a.lease?.renew();
    assert.ok(a.mayWrite);
  });

  it('ends when only the clock of the day has moved on, as after the sleep of a machine', async () => {
    const [time, store] = [new TestTime(), newStore()];
    let sleptMs = 0;
    const clock = { monotonicMs: () => time.nowMs, nowMs: () => time.nowMs + sleptMs };
    const a = new Contender('a', store, clock);
    await a.take();
    assert.ok(a.mayWrite);
    sleptMs = durationMs;
    assert.ok(!a.mayWrite);
    await a.lease?.renew();
    assert.ok(a.mayWrite);
  });

  it('can be taken at once when it was released, or its process has surely ended', async () => {
    const [time, store] = [new TestTime(), newStore()];
    const [a, b] = [new Contender('a', store, time.clock()), new Contender('b', store, time.clock())];
    await a.take();
    await a.lease?.release();
    assert.ok(!a.mayWrite);
    await b.take();
    assert.ok(b.mayWrite);
    await a.take(() => true);
    await b.lease?.renew();
    assert.deepEqual([a.mayWrite, b.mayWrite, b.lease?.isLost], [true, false, true]);
  });

  it('knows its own record again when the answer to its writing was lost', async () => {
    const [time, bare] = [new TestTime(), newStore()];
    let isLost = false;
    const store = withWrites(bare, async (write) => {
      const written = await write();
      if (isLost) throw new StoreFailure('no answer', true);
      return written;
    });
    const a = new Contender('a', store, time.clock());
    await a.take();
    isLost = true;
    await assert.rejects(a.lease?.renew() ?? Promise.resolve(), StoreFailure);
    isLost = false;
    time.nowMs += durationMs * 0.9;
    await a.lease?.renew();
    // The record may have been there since the first attempt, so it gives no more time than that.
    assert.ok(a.mayWrite);
    time.nowMs += durationMs * 0.2;
    assert.ok(!a.mayWrite);
    await a.lease?.renew();
    assert.ok(a.mayWrite);
  });

  it('removes records only long after others follow them', async () => {
    const [time, store] = [new TestTime(), newStore()];
    const a = new Contender('a', store, time.clock());
    await a.take();
    const count = async () => (await store.list(leaseFolder, { limit: 1_000 })).length;
    for (let minute = 0; minute < 30; minute += 1) {
      await a.lease?.renew();
      await a.lease?.removeOld();
      time.nowMs += minuteMs;
      assert.ok((await count()) > Math.min(minute, 9), `${await count()}`);
      assert.ok((await count()) < 20, `${await count()}`);
    }
  });
});

describe(`the lease of several servers (COLONNADE_TEST_SEED=${seed})`, () => {
  for (let round = 1; round <= 8; round += 1)
    it(`is of at most one of them at any moment, with lost and late requests (${round})`, async () => {
      const play = new Play(seededRandom(seed + round));
      for (let step = 0; step < 150; step += 1) await play.step(0);
      assert.ok(play.taken > 1, 'nobody took the lease again');
    });
});

/** Random steps of servers whose requests fail, come late, or wait while others continue. */
class Play {
  readonly #random: SeededRandom;
  readonly #time = new TestTime();
  readonly #servers: readonly Contender[];
  /** Writes whose sender has got no answer, and which the store has not got yet. */
  readonly #late: (() => Promise<unknown>)[] = [];
  taken = 0;

  constructor(random: SeededRandom) {
    this.#random = random;
    const bare = newStore();
    const rates = [0.97, 1, 1.03];
    this.#servers = rates.map((rate, at) => {
      const store = withWrites(bare, (write) => this.#write(write));
      return new Contender(`${at}`, store, this.#time.clock(rate, at * 1e7));
    });
  }

  #depth = 0;

  async step(depth: number): Promise<void> {
    const random = this.#random;
    this.#depth = depth;
    this.#time.nowMs += random.below(durationMs / 3);
    if (random.oneIn(6)) await this.#late.splice(random.below(this.#late.length + 1), 1)[0]?.();
    const server = this.#servers[random.below(this.#servers.length)];
    this.#check();
    if (server === undefined || this.#busy.has(server)) return;
    this.#busy.add(server);
    try {
      await this.#act(server);
    } catch (error) {
      if (!(error instanceof StoreFailure) && !(error instanceof LeaseHeld)) throw error;
    } finally {
      this.#busy.delete(server);
    }
    this.#check();
  }

  readonly #busy = new Set<Contender>();

  async #act(server: Contender): Promise<void> {
    if (server.lease === undefined || server.lease.isLost) {
      await server.take();
      this.taken += 1;
    } else if (this.#random.oneIn(20)) {
      const { lease } = server;
      server.lease = undefined;
      await lease.release();
    } else await server.lease.renew();
  }

  async #write(write: () => Promise<'written' | 'refused'>) {
    const random = this.#random;
    const depth = this.#depth;
    // The process is stopped, or its request is under way, while the others continue.
    if (random.oneIn(3) && depth < 2)
      for (let count = random.below(9); count > 0; count -= 1) await this.step(depth + 1);
    if (random.oneIn(8)) this.#time.nowMs += random.below(3 * durationMs);
    if (random.oneIn(8)) throw new StoreFailure('refused', true);
    if (random.oneIn(8)) {
      this.#late.push(write);
      throw new StoreFailure('late', true);
    }
    const written = await write();
    if (random.oneIn(8)) throw new StoreFailure('no answer', true);
    return written;
  }

  #check(): void {
    const writing = this.#servers.filter(({ mayWrite }) => mayWrite).map(({ name }) => name);
    assert.ok(writing.length <= 1, `the servers ${writing} may write at the same time`);
  }
}

function withWrites(
  store: ArchiveStore,
  around: (write: () => ReturnType<ArchiveStore['write']>) => ReturnType<ArchiveStore['write']>,
): ArchiveStore {
  return {
    title: store.title,
    hangs: false,
    list: store.list.bind(store),
    folders: store.folders.bind(store),
    read: store.read.bind(store),
    remove: store.remove.bind(store),
    close: store.close.bind(store),
    write: (...args) => around(() => store.write(...args)),
  };
}
