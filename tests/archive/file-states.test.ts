// The first start on restored databases: its generation begins with the state that they have in the archive, or with
// copies where they are not that state any more.
import assert from 'node:assert/strict';
import { existsSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, it } from 'node:test';
import { listArchive } from '../../src/archive/contents/list-archive.js';
import { NotInArchive } from '../../src/archive/contents/list-contents.js';
import { copyFolder, copyName, generationFolder } from '../../src/archive/format/names.js';
import { findMoment } from '../../src/archive/restoring/find-moment.js';
import { statePath } from '../../src/archive/shipping/archive-state.js';
import { type ArchiveStore, StoreFailure } from '../../src/archive/stores/archive-store.js';
import { DirectoryStore } from '../../src/archive/stores/directory-store.js';
import { type Database, openDatabase } from '../../src/foundation/sqlite/open-database.js';
import { copiesIn, generationsIn } from './apply-archive.js';
import { ShippingBench } from './shipping-bench.js';

const dayMs = 24 * 60 * 60 * 1000;
const open: ShippingBench[] = [];
const others: Database[] = [];
afterEach(() => {
  for (const other of others.splice(0)) other.close();
  for (const bench of open.splice(0)) bench.remove();
});

/** A bench whose store refuses objects, and whose archive has a generation with a copy and pieces. */
async function makeBench(mostLogBytes?: number, aheadMs = () => 0) {
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
  const bench = new ShippingBench({
    wrapStore,
    aheadMs,
    ...(mostLogBytes === undefined ? {} : { mostLogBytes }),
  });
  open.push(bench);
  for (let count = 0; count < 3; count += 1) {
    bench.write(200);
    await bench.shipAll();
  }
  return { bench, refusing, written };
}

/** What the rows of the newest generation continue; undefined if they have a copy. */
async function continued({ archive }: ShippingBench) {
  const { generations } = await listArchive(new DirectoryStore(archive, () => 'x'));
  return generations.at(-1)?.ranges.find(({ database }) => database === 'data')?.continues;
}

function copiesOf({ archive, shipper }: ShippingBench): number {
  return copiesIn(archive, shipper.status.generation ?? '', 'data').length;
}

describe('the first start on a restored database', () => {
  it('begins a generation that can be restored before it has a copy', async () => {
    const { bench, refusing, written } = await makeBench();
    const [first] = generationsIn(bench.archive);
    const pieces = bench.shipper.status.databases.data.sequence;
    await bench.restore();
    refusing.isRefused = (name) => name.endsWith('.part');
    bench.start();
    bench.write(20);
    await bench.turn();
    assert.equal(bench.generations.at(-1), `the data directory was restored from the generation ${first}`);
    const { behindMs, copyAtMs, shippedMs } = bench.shipper.status.databases.data;
    assert.deepEqual([behindMs, copyAtMs !== undefined, shippedMs !== undefined], [0, true, true]);
    assert.deepEqual(await continued(bench), { generation: first, sequence: pieces });
    await bench.expectRestorable();
    bench.write(20);
    await bench.turn();
    await bench.expectRestorable();
    assert.equal(copiesOf(bench), 0);
    // A restore finds the small files beside the state.
    const objects = written.filter((name) =>
      name.startsWith(generationFolder(generationsIn(bench.archive)[1] ?? '')),
    );
    const placeOf = (pattern: RegExp) => objects.findIndex((name) => pattern.test(name));
    assert.ok(placeOf(/\.files$/) < placeOf(/data\/copies\/.*copy\.json$/), objects.join());
    refusing.isRefused = () => false;
    await bench.shipAll();
    assert.equal(copiesOf(bench), 1);
    assert.equal(bench.generations.length, 2);
    bench.expectSame();
  });

  it('continues with a copy after a kill in between', async () => {
    const { bench, refusing } = await makeBench();
    await bench.restore();
    refusing.isRefused = (name) => name.endsWith('.part');
    bench.start();
    for (let count = 0; count < 3; count += 1) {
      bench.write(20);
      await bench.turn();
    }
    bench.kill();
    bench.start();
    bench.write(20);
    await bench.turn();
    await bench.expectRestorable();
    assert.deepEqual([bench.generations.length, copiesOf(bench)], [2, 0]);
    refusing.isRefused = () => false;
    await bench.shipAll();
    assert.deepEqual([bench.generations.length, copiesOf(bench)], [2, 1]);
    bench.expectSame();
  });

  it('begins it with the same objects when the archive did not answer', async () => {
    const { bench, refusing } = await makeBench();
    await bench.restore();
    refusing.isRefused = (name) => name.endsWith('copy.json');
    bench.start();
    bench.write(20);
    for (let count = 0; count < 3; count += 1) await bench.turn();
    assert.equal(bench.generations.length, 1);
    assert.ok(bench.shipper.isFailing);
    // The log continues in a new round meanwhile, and nothing of it is lost.
    bench.database.checkpoint('PASSIVE');
    bench.write(20);
    refusing.isRefused = (name) => name.endsWith('.part');
    for (let count = 0; count < 3; count += 1) await bench.turn();
    assert.equal(generationsIn(bench.archive).length, 2);
    assert.ok((await continued(bench)) !== undefined);
    await bench.expectRestorable();
  });

  it('is not continued after a kill if a round of the log ended before the first piece', async () => {
    const { bench, refusing } = await makeBench();
    await bench.restore();
    bench.start();
    refusing.isRefused = (name) => name.endsWith('.piece');
    for (let count = 0; count < 3; count += 1) await bench.turn();
    bench.write(20);
    bench.database.checkpoint('PASSIVE');
    bench.write(20);
    bench.kill();
    refusing.isRefused = () => false;
    bench.start();
    bench.write(1);
    await bench.shipAll();
    assert.equal(generationsIn(bench.archive).length, 3);
    await bench.expectRestorable();
  });

  it('is not found at moments before the state if the clock was set after the start', async () => {
    let aheadMs = 0;
    const { bench } = await makeBench(undefined, () => aheadMs);
    const store = new DirectoryStore(bench.archive, () => 'x');
    for (const wrongMs of [-3 * dayMs, 3 * dayMs]) {
      await bench.restore();
      aheadMs = wrongMs;
      bench.start();
      aheadMs = 0;
      const beforeMs = Date.now();
      bench.write(20);
      await bench.shipAll();
      assert.ok((await continued(bench)) !== undefined);
      await assert.rejects(findMoment(store, beforeMs - dayMs), NotInArchive);
      const { generations } = await listArchive(store);
      const range = generations.at(-1)?.ranges.find(({ database }) => database === 'data');
      assert.ok((range?.fromMs ?? Number.POSITIVE_INFINITY) <= Date.now());
    }
    assert.equal(bench.generations.length, 3);
  });

  it('can be restored only together with its operations data', async () => {
    const { bench, refusing, written } = await makeBench();
    // A later generation without operations data is restored without users, although the earlier one has them.
    const operations = openDatabase({ path: join(dirname(bench.path), 'ops.db') });
    operations.exec('CREATE TABLE t (id INTEGER PRIMARY KEY)');
    operations.close();
    await bench.stop();
    bench.start();
    await bench.shipAll();
    const generation = bench.shipper.status.generation;
    await bench.restore();
    written.length = 0;
    refusing.isRefused = (name) =>
      name.endsWith('copy.json') && written.some((before) => before.endsWith('copy.json'));
    bench.start();
    for (let count = 0; count < 3; count += 1) await bench.turn();
    assert.equal(written.filter((name) => name.endsWith('copy.json')).length, 1);
    const found = await findMoment(new DirectoryStore(bench.archive, () => 'x'));
    assert.equal(found.generation.generation, generation);
    assert.deepEqual(
      found.databases.map(({ database }) => database),
      ['data', 'ops'],
    );
  });

  it('makes one of an older moment the beginning of another history', async () => {
    const { bench, refusing } = await makeBench();
    const [piece] = (await listArchive(new DirectoryStore(bench.archive, () => 'x'))).generations;
    const fromMs = piece?.ranges[0]?.fromMs ?? 0;
    await bench.restore(fromMs);
    refusing.isRefused = (name) => name.endsWith('.part');
    bench.start();
    bench.write(20);
    await bench.turn();
    await bench.expectRestorable();
    // The history that begins there can be continued as well.
    for (let count = 0; count < 2; count += 1) {
      await bench.restore();
      bench.start();
      bench.write(20);
      await bench.turn();
      assert.ok((await continued(bench)) !== undefined);
      await bench.expectRestorable();
    }
    assert.equal(generationsIn(bench.archive).length, 4);
    refusing.isRefused = () => false;
    await bench.shipAll();
    bench.expectSame();
  });
});

describe('a generation begins with copies', () => {
  const reasons: Readonly<Record<string, (bench: ShippingBench) => Promise<void> | void>> = {
    'if the file was changed': ({ path }) => utimesSync(path, 1, 1),
    'if the database has a log': ({ path }) => {
      const other = openDatabase({ path, walAutocheckpointPages: 100_000 });
      other.exec('DELETE FROM t WHERE id % 2 = 0');
      others.push(other);
    },
    'at a second start': async (bench) => {
      bench.start();
      assert.ok(!existsSync(statePath(dirname(bench.path))));
      bench.kill();
    },
    'if the note is damaged': ({ path }) => writeFileSync(statePath(dirname(path)), '{'),
  };
  for (const [reason, change] of Object.entries(reasons))
    it(reason, async () => {
      const { bench } = await makeBench();
      await bench.restore();
      await change(bench);
      await expectCopies(bench);
    });

  async function expectCopies(bench: ShippingBench): Promise<void> {
    bench.start();
    bench.write(20);
    await bench.shipAll();
    assert.equal(await continued(bench), undefined);
    assert.equal(copiesOf(bench), 1);
    bench.expectSame();
  }

  it('if the archive lacks the state', async () => {
    const { bench } = await makeBench();
    await bench.restore();
    const [first = ''] = generationsIn(bench.archive);
    for (const { firstPiece, beganMs } of copiesIn(bench.archive, first, 'data'))
      rmSync(join(bench.archive, copyName(copyFolder(first, 'data', { firstPiece, beganMs }))));
    await expectCopies(bench);
  });

  it('in another archive', async () => {
    const { bench } = await makeBench();
    await bench.restore();
    renameSync(bench.archive, `${bench.archive}-before`);
    await expectCopies(bench);
    assert.equal(generationsIn(bench.archive).length, 1);
  });

  it('if the log was given up before', async () => {
    const { bench, refusing } = await makeBench(1_000_000);
    await bench.restore();
    refusing.isRefused = (name) => name.endsWith('generation.json');
    bench.start();
    for (let count = 0; bench.log.mode === 'shipping'; count += 1) {
      assert.ok(count < 1_000);
      bench.write(1_000, 500);
      await bench.turn();
      bench.database.checkpoint('PASSIVE');
    }
    refusing.isRefused = () => false;
    await bench.shipAll();
    assert.equal(await continued(bench), undefined);
    bench.expectSame();
  });
});
