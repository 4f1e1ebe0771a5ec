// Commits as fast as the shipping: something waits all the time, but copies end and the archive is not far behind.
import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import type { ArchiveStore } from '../../src/archive/stores/archive-store.js';
import { copiesIn } from './apply-archive.js';
import { ShippingBench } from './shipping-bench.js';

const open: ShippingBench[] = [];
afterEach(() => {
  for (const bench of open.splice(0)) bench.remove();
});

/** Rows of a megabyte, which fill three objects. */
const rowsOfRound = 12;
const turns = 7;

/** Changes rows, so that the database does not grow. */
function change({ database }: ShippingBench): void {
  database.transaction(() => {
    for (let row = 0; row < rowsOfRound; row += 1)
      database
        .statement('INSERT OR REPLACE INTO t VALUES (?, CAST(hex(randomblob(500000)) AS TEXT))')
        .run([row]);
  });
}

describe('commits that are as fast as the shipping', () => {
  it('leave a copy that ends, and an archive that is not further behind with time', async () => {
    let [aheadMs, hasLoad] = [0, true];
    const wrapStore = (store: ArchiveStore): ArchiveStore => {
      const write = store.write.bind(store);
      store.write = async (name, ...rest) => {
        // A round of the log ends while a group of pieces is written, and the next one is as large.
        const isOfLoad = hasLoad && name.includes('/data/pieces/');
        if (isOfLoad && bench.database.checkpoint('PASSIVE').isWhole) change(bench);
        return write(name, ...rest);
      };
      return store;
    };
    const bench = new ShippingBench({ aheadMs: () => aheadMs, wrapStore });
    open.push(bench);
    change(bench);
    let hasWaited = true;
    for (let turn = 0; turn < turns; turn += 1) {
      hasWaited = (await bench.turn()) && hasWaited;
      aheadMs += 10_000;
    }
    assert.ok(hasWaited, 'everything was shipped in between, which this test is not about');
    assert.equal(copiesIn(bench.archive, bench.shipper.status.generation ?? '', 'data').length, 1);
    const { behindMs } = bench.shipper.status.databases.data;
    assert.ok(behindMs < 30_000, `${behindMs}`);
    hasLoad = false;
    await bench.shipAll();
    bench.expectSame();
    assert.equal(bench.generations.length, 1);
  });
});
