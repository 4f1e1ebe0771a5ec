// Metrics over time with a moved clock: what a minute becomes, what is kept how long, and what a restart leaves.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DatabaseFailure } from '../../src/foundation/sqlite/database-failure.js';
import { openDatabase } from '../../src/foundation/sqlite/open-database.js';
import { createLogger } from '../../src/foundation/telemetry/logger.js';
import type { Reading } from '../../src/ops-service/clusters/cluster.js';
import type { Point } from '../../src/ops-service/metrics/rollup-format.js';
import { rowId, type StepMinutes } from '../../src/ops-service/metrics/rollup-format.js';
import { Series } from '../../src/ops-service/metrics/series.js';
import { metricMigrations } from '../../src/ops-service/metrics/series-index.js';
import { Store, storeMigrations } from '../../src/ops-service/store/store.js';

const startS = Date.UTC(2026, 0, 1) / 1000;
const dayS = 86_400;
const node = '10.0.0.1';

const refuse = () => {
  throw new DatabaseFailure('full', 'disk full');
};

/** Series on a file in memory, and a clock that only `pass` moves. */
function makeBench(limitBytes?: number, mostSeries = 1000) {
  const now = { wallMs: startS * 1000, jumpedMs: 0 };
  const clock = { nowMs: () => now.wallMs, monotonicMs: () => now.wallMs - now.jumpedMs };
  const database = openDatabase({ path: ':memory:' });
  for (const { sql } of [...storeMigrations, ...metricMigrations]) database.exec(sql);
  const store = new Store(database, createLogger('silent'), limitBytes);
  const lines: string[] = [];
  const logger = createLogger('warn', { write: (line) => void lines.push(line) });
  const openSeries = () => new Series({ store, clock, logger, mostSeries });
  let series = openSeries();
  const { transaction } = database;
  return {
    /** Reads at every step of `everyS`, with the value that the time gives. */
    pass(seconds: number, everyS: number, readingsAt: (atS: number) => readonly Reading[]) {
      const endMs = now.wallMs + seconds * 1000;
      for (; now.wallMs < endMs; now.wallMs += everyS * 1000) {
        series.accept('local', readingsAt(now.wallMs / 1000));
        series.tick();
      }
      series.tick();
    },
    jump(days: number) {
      now.wallMs += days * dayS * 1000;
      now.jumpedMs += days * dayS * 1000;
    },
    restart(downS = 0) {
      store.flush();
      now.wallMs += downS * 1000;
      series = openSeries();
    },
    points(key: string, step: StepMinutes, part = ''): readonly Point[] {
      const found = series.list('local', key).filter((each) => each.part === part);
      const ids = found.map(({ id }) => id);
      return [...series.read(ids, step, 0, startS + 10_000 * dayS).values()].flat();
    },
    list: (key: string) => series.list('local', key),
    setDiskFull(isFull: boolean) {
      database.transaction = isFull ? refuse : transaction;
      store.record(() => {});
      store.flush();
    },
    /** The minutes still find room. */
    refuseLongerSteps() {
      const longer = database.statement('SELECT count(*) AS n FROM rollups WHERE id >= ?');
      database.transaction = (work) =>
        transaction.call(database, () => {
          const result = work();
          return longer.get([rowId(5, 0, 0)])?.['n'] === 0 ? result : refuse();
        }) as ReturnType<typeof work>;
    },
    flush: () => store.flush(),
    forgetCluster: () => series.forgetCluster('local'),
    rememberedCount: () => series.rememberedCount,
    lines: () => lines.splice(0),
    lostCount: () => store.losses.sample,
    rowCount: () =>
      Number(store.read((each) => each.statement('SELECT count(*) AS n FROM rollups').get())?.['n']),
  };
}

const loadOf = (value: number): readonly Reading[] => [{ node, key: 'os-load', value }];

describe('series', () => {
  it('sum up a minute, and show the one that is not over', () => {
    const bench = makeBench();
    bench.pass(90, 10, (atS) => loadOf((atS - startS) / 10));
    assert.deepEqual(bench.points('os-load', 1), [
      { atS: startS, average: 2.5, min: 0, max: 5 },
      { atS: startS + 60, average: 7, min: 6, max: 8 },
    ]);
  });

  it('roll up to longer steps, those that are not over among them', () => {
    const bench = makeBench();
    bench.pass(2 * dayS + 3 * 3600, 60, (atS) => loadOf(((atS - startS) / 60) % 10));
    const five = bench.points('os-load', 5).slice(0, 3);
    assert.deepEqual(five, [
      { atS: startS, average: 2, min: 0, max: 4 },
      { atS: startS + 300, average: 7, min: 5, max: 9 },
      { atS: startS + 600, average: 2, min: 0, max: 4 },
    ]);
    const days = bench.points('os-load', 1440);
    assert.deepEqual(
      days.map(({ atS }) => (atS - startS) / dayS),
      [0, 1, 2],
    );
    for (const { average, min, max } of days) assert.deepEqual([average, min, max], [4.5, 0, 9]);
  });

  it('keep the maximum of percentiles, the minimum of the least', () => {
    const bench = makeBench();
    const histogram = (bucket: number) => ({
      pairs: [bucket, 1],
      minMs: bucket / 1000,
      maxMs: bucket / 1000,
    });
    bench.pass(600, 10, (atS) => [
      { node, key: 'read-histogram', histogram: histogram(atS % 60 === 0 ? 20 : 4) },
    ]);
    for (const step of [1, 5] as const) {
      const pointOf = (part: string) => bench.points('read-histogram', step, part)[0];
      assert.equal(pointOf('MIN')?.min.toFixed(3), '0.004');
      for (const part of ['P50', 'P90', 'P99', 'MAX']) {
        const { average, min, max } = pointOf(part) ?? { average: 0, min: 0, max: 0 };
        assert.deepEqual(
          [average, min, max].map((value) => value.toFixed(3)),
          ['0.020', '0.020', '0.020'],
          part,
        );
      }
    }
  });

  it('have no point where nothing was read', () => {
    const bench = makeBench();
    bench.pass(60, 10, () => loadOf(1));
    bench.pass(120, 10, () => []);
    bench.pass(60, 10, () => loadOf(3));
    assert.deepEqual(
      bench.points('os-load', 1).map(({ atS }) => atS - startS),
      [0, 180],
    );
    assert.deepEqual(bench.points('os-load', 5), [{ atS: startS, average: 2, min: 1, max: 3 }]);
  });

  it('lose at most the minute under way in a restart, and roll up afterwards what was missed', () => {
    const bench = makeBench();
    bench.pass(290, 10, () => loadOf(1));
    bench.restart(3 * 3600);
    bench.pass(600, 10, () => loadOf(2));
    const minutes = bench.points('os-load', 1).map(({ atS }) => atS - startS);
    assert.deepEqual(minutes.slice(0, 5), [0, 60, 120, 180, 3 * 3600 + 240]);
    assert.deepEqual(bench.points('os-load', 5)[0], { atS: startS, average: 1, min: 1, max: 1 });
    assert.deepEqual(bench.points('os-load', 120)[0], { atS: startS, average: 1, min: 1, max: 1 });
    assert.equal(bench.list('os-load').length, 1, 'the series is the same');
  });

  it('drop what is older than its step is kept', () => {
    const bench = makeBench();
    bench.pass(20 * dayS, 300, () => loadOf(1));
    const ageDays = (step: StepMinutes) =>
      (20 * dayS - ((bench.points('os-load', step)[0]?.atS ?? 0) - startS)) / dayS;
    assert.ok(ageDays(1) <= 2 && ageDays(1) > 1.9);
    assert.ok(ageDays(5) <= 14 && ageDays(5) > 13.9);
    assert.equal(ageDays(120), 20);
    const expected = 2 * 288 + 14 * 288 + 20 * 12 + 20;
    assert.ok(Math.abs(bench.rowCount() - expected) < 10, `${bench.rowCount()} rows, expected ${expected}`);
  });

  it('share rows, key by key, however many nodes there are', () => {
    const bench = makeBench();
    const nodes = Array.from({ length: 300 }, (_, at) => `10.0.0.${at}`);
    const read = (): readonly Reading[] =>
      nodes.flatMap((each) => ['os-load', 'heap-used'].map((key) => ({ node: each, key, value: 1 })));
    bench.pass(60, 10, read);
    assert.equal(bench.rowCount(), 3, '600 series in groups of 256');
    const ids = bench.list('heap-used').map(({ id }) => id);
    assert.equal(Math.max(...ids) - Math.min(...ids), 299);
    assert.equal(bench.points('heap-used', 1).length, 300);
  });

  it('report once that there are too many, and have room again when a cluster is removed', () => {
    const bench = makeBench(undefined, 3);
    const read = (name: string) => (): readonly Reading[] =>
      ['1', '2'].map((at) => ({ node, key: 'cf-read-ops', table: `${name}.t${at}`, value: 1 }));
    bench.pass(60, 10, read('a'));
    assert.deepEqual(bench.lines(), []);
    bench.pass(120, 10, read('b'));
    assert.equal(bench.list('cf-read-ops').length, 3);
    assert.match(bench.lines().join(), /^[^\n]*too many series of metrics[^\n]*\n$/);
    for (let at = 0; at < 3; at += 1) {
      const before = bench.list('cf-read-ops').map(({ id }) => id);
      bench.forgetCluster();
      bench.restart();
      bench.pass(60, 10, read(`c${at}`));
      const ids = bench.list('cf-read-ops').map(({ id }) => id);
      assert.equal(ids.length, 2, 'what was removed takes no room');
      assert.ok(Math.min(...ids) > Math.max(...before), 'stored rollups carry the numbers before');
    }
    assert.deepEqual(bench.lines(), []);
    bench.pass(60, 10, read('d'));
    assert.equal(bench.lines().length, 1);
  });

  it('are in memory only while values come for them, and keep their numbers and their points', () => {
    const bench = makeBench();
    const read = (table: string, value: number): readonly Reading[] => [
      { node, key: 'cf-read-ops', table, value },
      { node, key: 'read-histogram', table, histogram: { pairs: [20, 1], minMs: 0.02, maxMs: 0.02 } },
    ];
    let made = 0;
    bench.pass(100 * 60, 60, () => read(`passing.t${made++}`, 1));
    assert.equal(bench.list('cf-read-ops').length, 100);
    assert.ok(bench.rememberedCount() < 100, `${bench.rememberedCount()} of 600 series are in memory`);
    const before = bench.list('cf-read-ops');
    for (const restarts of [false, true]) {
      if (restarts) bench.restart();
      bench.pass(60, 60, () => read('passing.t0', 3));
      assert.deepEqual(bench.list('cf-read-ops'), before);
    }
    assert.equal(bench.points('cf-read-ops', 1).length, 102);
    assert.equal(bench.points('read-histogram', 5, 'P99').length, 101);
  });

  it('have what a full disk kept waiting, also in longer steps, and no new series from that time', () => {
    const bench = makeBench();
    const value = (atS: number) => Math.floor((atS - startS) / 60);
    bench.pass(120, 10, (atS) => loadOf(value(atS)));
    bench.setDiskFull(true);
    bench.pass(600, 10, (atS) => [...loadOf(value(atS)), { node, key: 'heap-used', value: 1 }]);
    assert.deepEqual(bench.list('heap-used'), []);
    bench.setDiskFull(false);
    bench.pass(120, 10, (atS) => loadOf(value(atS)));
    assert.deepEqual(
      bench.points('os-load', 1).map(({ average }) => average),
      Array.from({ length: 14 }, (_, at) => at),
    );
    assert.deepEqual(bench.points('os-load', 5).slice(0, 2), [
      { atS: startS, average: 2, min: 0, max: 4 },
      { atS: startS + 300, average: 7, min: 5, max: 9 },
    ]);
  });

  it('have the longer steps that a full disk has cost, made again of what is on disk', () => {
    const bench = makeBench(1);
    bench.pass(290, 10, () => loadOf(1));
    bench.refuseLongerSteps();
    bench.pass(10, 10, () => loadOf(1));
    bench.flush();
    assert.equal(bench.lostCount(), 1);
    bench.setDiskFull(false);
    bench.pass(300, 10, () => loadOf(3));
    assert.deepEqual(bench.points('os-load', 5).slice(0, 2), [
      { atS: startS, average: 1, min: 1, max: 1 },
      { atS: startS + 300, average: 3, min: 3, max: 3 },
    ]);
  });

  it('stay when a clock is years ahead for a while', () => {
    const bench = makeBench();
    bench.pass(3 * 3600, 60, () => loadOf(1));
    bench.jump(4000);
    bench.pass(1200, 60, () => loadOf(2));
    bench.restart();
    bench.pass(1200, 60, () => loadOf(2));
    bench.jump(-4000);
    bench.pass(1200, 60, () => loadOf(3));
    for (const step of [1, 5, 120] as const)
      assert.equal(bench.points('os-load', step)[0]?.atS, startS, `steps of ${step} minutes`);
  });

  it('roll up again when a clock that was years ahead is set back, also after a restart', () => {
    for (const restarts of [false, true]) {
      const bench = makeBench();
      bench.jump(4000);
      bench.pass(1200, 60, () => loadOf(2));
      bench.jump(-4000);
      if (restarts) bench.restart();
      bench.pass(3600, 60, () => loadOf(3));
      bench.pass(3 * dayS, 300, () => []);
      const hour = bench.points('os-load', 5).filter(({ average }) => average === 3);
      assert.equal(hour.length, 12, restarts ? 'after a restart' : 'in the same process');
    }
  });

  it('are not made again when a clock that was behind at the start is set right', () => {
    const bench = makeBench();
    let load = 0;
    // A part of the minutes of which the oldest bucket was made is gone.
    bench.pass(2.1 * dayS + 120, 60, () => loadOf(load++ % 7));
    const before = bench.points('os-load', 5);
    bench.jump(-4000);
    bench.restart();
    bench.pass(300, 60, () => []);
    bench.jump(4000);
    bench.pass(300, 60, () => []);
    const after = bench.points('os-load', 5);
    assert.ok(before.length > 500);
    assert.deepEqual(after.slice(0, before.length - 1), before.slice(0, -1));
  });

  it('continue when the wall clock is set back', () => {
    const bench = makeBench();
    bench.pass(120, 10, () => loadOf(1));
    bench.restart(-3600);
    bench.pass(120, 10, () => loadOf(2));
    assert.equal(bench.points('os-load', 1).length >= 2, true);
  });
});
