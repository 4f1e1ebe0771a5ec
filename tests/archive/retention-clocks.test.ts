// What a wrong clock of the machine makes of the days that an archive keeps.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, it } from 'node:test';
import { generationName } from '../../src/archive/format/names.js';
import { openDatabase } from '../../src/foundation/sqlite/open-database.js';
import { copiesIn, generationsIn } from './apply-archive.js';
import { ShippingBench } from './shipping-bench.js';

const dayMs = 24 * 60 * 60 * 1000;
const open: ShippingBench[] = [];
afterEach(() => {
  for (const bench of open.splice(0)) bench.remove();
});

function makeBench(aheadMs: () => number): ShippingBench {
  const bench = new ShippingBench({ aheadMs });
  open.push(bench);
  // A generation is needless only when a later one has copies of both databases.
  const operations = openDatabase({ path: join(dirname(bench.path), 'ops.db') });
  operations.exec('CREATE TABLE t (id INTEGER PRIMARY KEY)');
  operations.close();
  return bench;
}

/** Ships what is written, and lets old objects be looked for some times. */
async function workForHours(bench: ShippingBench): Promise<void> {
  for (let count = 0; count < 3; count += 1) {
    bench.write(20);
    await bench.shipAll();
    bench.passMonotonic(61 * 60 * 1000);
  }
}

describe('retention', () => {
  it('removes no more than before at a start whose clock is far ahead', async () => {
    let aheadMs = 0;
    const bench = makeBench(() => aheadMs);
    await workForHours(bench);
    aheadMs = 1.1 * dayMs;
    await workForHours(bench);
    const [generation = ''] = generationsIn(bench.archive);
    assert.equal(copiesIn(bench.archive, generation, 'data').length, 2);
    await bench.stop();
    aheadMs = 30 * dayMs;
    bench.start();
    await workForHours(bench);
    assert.equal(copiesIn(bench.archive, generation, 'data').length, 3);
  });

  it('removes nothing at the first start on restored files whose clock is far ahead', async () => {
    let aheadMs = 0;
    const bench = makeBench(() => aheadMs);
    await workForHours(bench);
    aheadMs = 1.1 * dayMs;
    await workForHours(bench);
    const [first = ''] = generationsIn(bench.archive);
    assert.equal(copiesIn(bench.archive, first, 'data').length, 2);
    await bench.restore();
    aheadMs = 365 * dayMs;
    // A second start finds what the first one wrote with its wrong clock.
    for (let start = 0; start < 2; start += 1) {
      bench.start();
      await bench.turn();
      assert.equal(copiesIn(bench.archive, first, 'data').length, 2);
      bench.kill();
    }
  });

  it('keeps a generation whose copies are newer than those of a later one, which had a clock far behind', async () => {
    let aheadMs = 0;
    const bench = makeBench(() => aheadMs);
    await workForHours(bench);
    aheadMs = -10_000 * dayMs;
    bench.write(20);
    await bench.shipAll();
    assert.equal(bench.generations.length, 2);
    aheadMs = 0;
    await bench.shipAll();
    await bench.stop();
    bench.start();
    await workForHours(bench);
    const [first = ''] = generationsIn(bench.archive);
    assert.ok(existsSync(join(bench.archive, generationName(first))));
  });

  it('removes that generation when its last copy is old enough', async () => {
    let aheadMs = 0;
    const bench = makeBench(() => aheadMs);
    await bench.shipAll();
    aheadMs = -10_000 * dayMs;
    bench.write(20);
    await bench.shipAll();
    assert.equal(bench.generations.length, 2);
    const [first = ''] = generationsIn(bench.archive);
    for (let day = 0; day < 9; day += 1) {
      aheadMs = day * dayMs;
      for (let count = 0; count < 4; count += 1) await workForHours(bench);
    }
    assert.ok(!existsSync(join(bench.archive, generationName(first))));
  });
});
