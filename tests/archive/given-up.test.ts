// Generations that are given up while the archive cannot be written: the next one is not given up, too.
import assert from 'node:assert/strict';
import { closeSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, it } from 'node:test';
import { type ArchiveStore, StoreFailure } from '../../src/archive/stores/archive-store.js';
import { openDatabase } from '../../src/foundation/sqlite/open-database.js';
import { type LimitedStorage, smallFileSystem } from '../faults/limited-storage.js';
import { copiesIn } from './apply-archive.js';
import { ShippingBench } from './shipping-bench.js';

const open: ShippingBench[] = [];
const disks: LimitedStorage[] = [];
afterEach(() => {
  for (const bench of open.splice(0)) bench.remove();
  for (const disk of disks.splice(0)) disk.remove();
});

/** A bench whose store refuses objects; with the names of what it got. */
function makeBench(mostLogBytes: number, root?: string) {
  const refusing = { isRefused: (_name: string): boolean => false };
  const written: string[] = [];
  const wrapStore = (store: ArchiveStore): ArchiveStore => {
    const write = store.write.bind(store);
    store.write = async (name, ...rest) => {
      if (refusing.isRefused(name)) throw new StoreFailure('the archive is down', true);
      written.push(name);
      return write(name, ...rest);
    };
    return store;
  };
  const bench = new ShippingBench({ mostLogBytes, leastRoomBytes: 6_000_000, wrapStore, root });
  open.push(bench);
  return { bench, refusing, written };
}

/** Writes until the log has reached its limit, while nothing can be shipped. */
async function writeUntilGivenUp({ bench, refusing }: ReturnType<typeof makeBench>): Promise<void> {
  await bench.shipAll();
  refusing.isRefused = () => true;
  for (let count = 0; bench.log.mode === 'shipping'; count += 1) {
    assert.ok(count < 1_000);
    bench.write(1_000, 500);
    await bench.turn();
    bench.database.checkpoint('PASSIVE');
  }
}

/** The store takes objects again, but no piece of the generation that begins. */
async function beginGeneration({ bench, refusing }: ReturnType<typeof makeBench>): Promise<void> {
  const before = bench.shipper.status.generation ?? '';
  refusing.isRefused = (name) => name.endsWith('.piece') && !name.includes(before);
  for (let count = 0; bench.log.mode !== 'shipping'; count += 1) {
    assert.ok(count < 10);
    await bench.turn();
  }
}

describe('a generation that begins after an outage', () => {
  it('continues when the log was moved before, and nothing was written since', async () => {
    const made = makeBench(1_000_000);
    const { bench, refusing } = made;
    await writeUntilGivenUp(made);
    assert.equal(bench.database.checkpoint('PASSIVE').isWhole, true);
    refusing.isRefused = () => false;
    await bench.shipAll();
    bench.write(20);
    await bench.shipAll();
    assert.equal(bench.generations.length, 2);
    bench.expectSame();
  });

  it('continues when the log begins a new round before the first one is shipped', async () => {
    const made = makeBench(10_000_000);
    const { bench, refusing } = made;
    await writeUntilGivenUp(made);
    for (let count = 0; count < 20; count += 1) bench.write(1_000, 500);
    assert.equal(bench.database.checkpoint('PASSIVE').isWhole, true);
    await beginGeneration(made);
    bench.write(20);
    refusing.isRefused = () => false;
    await bench.shipAll();
    assert.equal(bench.generations.length, 2);
    bench.expectSame();
    bench.write(20);
    await bench.stop();
    bench.start();
    await bench.shipAll();
    assert.equal(bench.generations.length, 2, 'a later start continues it');
    bench.expectSame();
  });

  it('counts its log from there, while a reader keeps what is longer than the limit', async () => {
    const made = makeBench(4_000_000);
    const { bench, refusing } = made;
    await bench.shipAll();
    const reader = openDatabase({ path: bench.path, readOnly: true });
    try {
      reader.exec('BEGIN');
      reader.statement('SELECT count(*) FROM t').get();
      await writeUntilGivenUp(made);
      for (let count = 0; count < 20; count += 1) bench.write(1_000, 500);
      bench.database.checkpoint('PASSIVE');
      await beginGeneration(made);
      bench.write(20);
      bench.database.checkpoint('PASSIVE');
      assert.equal(bench.log.mode, 'shipping');
      refusing.isRefused = () => false;
      await bench.shipAll();
      assert.equal(bench.generations.length, 2);
    } finally {
      reader.close();
    }
    bench.expectSame();
  });
});

/** A bench on a small disk of its own; undefined where this user may not mount one. */
function smallBench() {
  const disk = smallFileSystem();
  if (disk === undefined) return undefined;
  disks.push(disk);
  const root = disk.options.dataDir ?? '';
  return { ...makeBench(1 << 30, root), root };
}

describe('a small disk', () => {
  it('takes writes while the archive cannot be written, although the log has not reached its limit', async (t) => {
    const small = smallBench();
    if (small === undefined) return t.skip('this user may not mount a file system');
    const { bench, refusing, root } = small;
    rmSync(join(root, '../ballast'));
    await bench.shipAll();
    refusing.isRefused = () => true;
    for (let count = 0; statSync(`${bench.path}-wal`).size < 10_000_000; count += 1) {
      assert.ok(count < 60);
      bench.write(500, 1_000);
      await bench.turn();
      bench.database.checkpoint('PASSIVE');
    }
    assert.equal(bench.log.mode, 'shipping', 'the disk has room');
    for (let count = 0; count < 40; count += 1) {
      bench.write(500, 200);
      await bench.turn();
      bench.database.checkpoint('PASSIVE');
    }
    assert.equal(bench.log.mode, 'givenUp');
    refusing.isRefused = () => false;
    await bench.shipAll();
    assert.equal(bench.generations.length, 2);
    bench.expectSame();
  });

  it('that is full does not keep a log that is shipped', async (t) => {
    const small = smallBench();
    if (small === undefined) return t.skip('this user may not mount a file system');
    const { bench, root } = small;
    await fillDisk(bench, root);
    assert.equal(bench.database.checkpoint('PASSIVE').isWhole, true);
    rmSync(join(root, 'ballast'));
    await bench.shipAll();
    assert.equal(bench.generations.length, 2);
    bench.expectSame();
  });

  it('that is full at the end of a server does not end the generation', async (t) => {
    const small = smallBench();
    if (small === undefined) return t.skip('this user may not mount a file system');
    const { bench, root } = small;
    await fillDisk(bench, root);
    await bench.stop();
    rmSync(join(root, 'ballast'));
    bench.start();
    bench.write(20);
    await bench.shipAll();
    assert.equal(bench.generations.length, 1);
    bench.expectSame();
  });
});

/** Fills the disk when everything is shipped. A checkpoint needs no room then, but for the end of the round. */
async function fillDisk(bench: ShippingBench, root: string): Promise<void> {
  bench.write(500, 1_000);
  await bench.shipAll();
  bench.database.checkpoint('PASSIVE');
  bench.database.exec('UPDATE t SET value = upper(value)');
  await bench.shipAll();
  const ballast = openSync(join(root, 'ballast'), 'w');
  assert.throws(() => {
    for (;;) writeSync(ballast, Buffer.alloc(4_096));
  }, /ENOSPC/);
  closeSync(ballast);
}

describe('a store that ignores conditions', () => {
  it('gets nothing', async () => {
    const wrapStore = (store: ArchiveStore): ArchiveStore => {
      const write = store.write.bind(store);
      store.write = async (...given) => {
        await write(...given);
        return 'written';
      };
      return store;
    };
    const bench = new ShippingBench({ wrapStore });
    open.push(bench);
    bench.write(20);
    for (let count = 0; count < 5; count += 1) await bench.turn();
    assert.match(bench.shipper.status.problem ?? '', /writes over objects .* If-None-Match/);
    assert.equal(bench.generations.length, 0);
  });
});

describe('the first copy of a generation', () => {
  it('is waited for: until it is complete, the archive is behind', async () => {
    const { bench, refusing, written } = makeBench(1 << 30);
    for (let count = 0; count < 30; count += 1) bench.write(1_000, 4_000);
    bench.database.checkpoint('PASSIVE');
    refusing.isRefused = (name) => name.endsWith('.piece');
    await bench.turn();
    refusing.isRefused = (name) => name.endsWith('copy.json');
    for (let count = 0; count < 100 && !written.some((name) => name.endsWith('.part')); count += 1)
      await bench.turn();
    const { behindMs, copyAtMs } = bench.shipper.status.databases.data;
    assert.ok(behindMs > 0 && copyAtMs === undefined, `${behindMs}`);
    refusing.isRefused = () => false;
    await bench.shipAll();
    assert.equal(bench.shipper.status.databases.data.behindMs, 0);
    assert.equal(copiesIn(bench.archive, bench.shipper.status.generation ?? '', 'data').length, 1);
    bench.expectSame();
  });
});
