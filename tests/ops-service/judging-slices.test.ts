// Checks that rules are judged in slices of a turn of the event loop, and what happens to them in between.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LongWork } from '../../src/foundation/threads/long-work.js';
import { caller, type JudgedBench, makeBench, nodeAt } from './judged-cluster.js';

/** Each look at its clock takes a millisecond: a slice has about ten targets. */
function slicedBench(): JudgedBench {
  let ms = 0;
  return makeBench(new LongWork({ nowMs: () => ms, monotonicMs: () => ++ms }, Number.POSITIVE_INFINITY));
}

const disk = { type: 'rolling-avg', metric: 'os-disk-usage', item: '/', threshold: 80, duration: 0 } as const;

function read(bench: JudgedBench, value: number): void {
  bench.readings = bench.nodes.map(({ address }) => ({
    key: 'os-disk-usage',
    node: address,
    device: '/',
    value,
  }));
}

async function tick(bench: JudgedBench): Promise<void> {
  bench.tick();
  await bench.judged;
}

/** The most changes of alerts in one turn of the event loop until the promise resolves, and the number of turns. */
async function watch(bench: JudgedBench, done: Promise<unknown>): Promise<{ most: number; turns: number }> {
  let isDone = false;
  void done.then(() => {
    isDone = true;
  });
  let most = 0;
  let turns = 0;
  for (let before = bench.changes.length; !isDone; before = bench.changes.length) {
    await nextTurn();
    most = Math.max(most, bench.changes.length - before);
    turns += 1;
  }
  return { most, turns };
}

function addNodes(bench: JudgedBench, count: number): void {
  bench.nodes = Array.from({ length: count }, (_, at) => nodeAt(`10.0.0.${at}`));
}

describe('judging', () => {
  it('leaves turns to other work between rules, and judges all of them', async () => {
    const bench = slicedBench();
    for (let at = 0; at < 300; at += 1) bench.rules.create(bench.cluster, disk, caller);
    read(bench, 90);
    bench.tick();
    const { most } = await watch(bench, bench.judged);
    assert.equal(bench.alerts.list('local').length, 300);
    assert.ok(most <= 20, `${most} alerts fired in one turn`);
  });

  it('leaves turns to other work between the targets of one rule', async () => {
    const bench = slicedBench();
    addNodes(bench, 200);
    bench.rules.create(bench.cluster, disk, caller);
    read(bench, 90);
    bench.tick();
    const { most } = await watch(bench, bench.judged);
    assert.equal(bench.alerts.list('local').length, 200);
    assert.ok(most <= 20, `${most} alerts fired in one turn`);
  });

  it('stops with a rule that is deleted or changed in between', async () => {
    const bench = slicedBench();
    addNodes(bench, 100);
    const [deleted, changed] = [disk, disk].map((rule) => bench.rules.create(bench.cluster, rule, caller).id);
    read(bench, 90);
    bench.tick();
    const isOver = bench.judged.then(() => true);
    while (bench.changes.length === 0) await nextTurn();
    await Promise.all([
      bench.rules.delete('local', deleted ?? '', caller),
      bench.rules.change(bench.cluster, changed ?? '', { threshold: 95 }, caller),
    ]);
    assert.equal(await isOver, true);
    assert.deepEqual(bench.alerts.list('local'), []);
    const fired = bench.changes.filter(({ kind }) => kind === 'fired').length;
    assert.ok(fired < 100, `${fired} alerts fired`);
    assert.equal(bench.changes.length, 2 * fired, 'and each of them cleared');
  });

  it('stops with a cluster that is removed in between', async () => {
    const bench = slicedBench();
    for (let at = 0; at < 100; at += 1) bench.rules.create(bench.cluster, disk, caller);
    read(bench, 90);
    bench.tick();
    while (bench.changes.length === 0) await nextTurn();
    bench.alerts.forgetCluster('local');
    const { length } = bench.changes;
    await bench.judged;
    assert.equal(bench.changes.length, length);
    assert.deepEqual(bench.alerts.list('local'), []);
  });
});

describe('a change of a rule', () => {
  for (const [name, change] of [
    ['another threshold', { threshold: 95 }],
    ['disabled', { enabled: 0 }],
    ['deleted', undefined],
  ] as const) {
    it(`clears its alerts in several turns, before it is answered: ${name}`, async () => {
      const bench = slicedBench();
      addNodes(bench, 200);
      const { id } = bench.rules.create(bench.cluster, disk, caller);
      read(bench, 90);
      await tick(bench);
      assert.equal(bench.alerts.list('local').length, 200);
      const done =
        change === undefined
          ? bench.rules.delete('local', id, caller)
          : bench.rules.change(bench.cluster, id, change, caller);
      const { most } = await watch(bench, done);
      assert.equal(bench.changes.filter(({ kind }) => kind === 'cleared').length, 200);
      assert.ok(most <= 20, `${most} alerts cleared in one turn`);
    });
  }

  it('reads stored minutes in several turns', async () => {
    const bench = slicedBench();
    const { id } = bench.rules.create(bench.cluster, { ...disk, threshold: 95, duration: 200 }, caller);
    read(bench, 90);
    for (let minute = 0; minute < 210; minute += 1) {
      bench.tick(60);
      await bench.judged;
    }
    const { turns } = await watch(bench, bench.rules.change(bench.cluster, id, { threshold: 80 }, caller));
    assert.ok(turns >= 10, `${turns} turns`);
    await tick(bench);
    assert.equal(bench.alerts.list('local').length, 1, 'the condition has held for all of this time');
  });
});
