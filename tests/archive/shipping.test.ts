// Shipping to an archive, step by step: what is made of the archive is always what the database has.
import assert from 'node:assert/strict';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { findPiece } from '../../src/archive/contents/find-pieces.js';
import { pieceName } from '../../src/archive/format/names.js';
import { encodeEnd } from '../../src/archive/format/piece.js';
import { type ArchiveStore, StoreFailure } from '../../src/archive/stores/archive-store.js';
import { DirectoryStore } from '../../src/archive/stores/directory-store.js';
import { openDatabase } from '../../src/foundation/sqlite/open-database.js';
import { systemClock } from '../../src/foundation/telemetry/clock.js';
import { seededRandom } from '../seeded-random.js';
import { copiesIn, generationsIn } from './apply-archive.js';
import { type BenchOptions, ShippingBench } from './shipping-bench.js';

const open: ShippingBench[] = [];
afterEach(() => {
  for (const bench of open.splice(0)) bench.remove();
});

function makeBench(options?: BenchOptions): ShippingBench {
  const bench = new ShippingBench(options);
  open.push(bench);
  return bench;
}

describe('shipping', () => {
  it('ships commits in pieces behind a copy', async () => {
    const bench = makeBench();
    await bench.shipAll();
    for (let count = 0; count < 5; count += 1) {
      bench.write(20);
      await bench.shipAll();
      bench.expectSame();
    }
    assert.ok((bench.expectSame().last?.sequence ?? 0) >= 5);
    assert.deepEqual(bench.generations, ['the archive is new']);
    assert.equal(bench.shipper.status.databases.data.behindMs, 0);
  });

  it('does not continue a chain that another server has ended', async () => {
    const bench = makeBench();
    await bench.shipAll();
    bench.write(20);
    await bench.shipAll();
    const [generation = ''] = generationsIn(bench.archive);
    const store = new DirectoryStore(bench.archive, () => 'x');
    const chain = { generation, database: 'data' } as const;
    const { sequence } = bench.shipper.status.databases.data;
    const last = await findPiece(store, chain, sequence);
    assert.ok(last !== undefined);
    await store.write(pieceName(generation, 'data', sequence + 1), encodeEnd(last).bytes);
    bench.write(20);
    await bench.shipAll();
    assert.deepEqual(bench.generations, ['the archive is new', 'another server has taken the archive over']);
    bench.expectSame();
  });

  it('ships a transaction that is larger than an object in several pieces', async () => {
    const bench = makeBench();
    await bench.shipAll();
    bench.write(5_000, 4_000);
    await bench.shipAll();
    const { pieces } = bench.expectSame();
    assert.ok(pieces >= 5, `${pieces}`);
    bench.write(10);
    await bench.shipAll();
    bench.expectSame();
  });

  it('ships a page once that several commits have changed meanwhile', async () => {
    const bench = makeBench();
    await bench.shipAll();
    bench.write(3_000, 4_000);
    await bench.shipAll();
    const before = bench.expectSame().pieces;
    for (const letter of ['a', 'b', 'c', 'd'])
      bench.database.exec(`UPDATE t SET value = '${letter}' || substr(value, 2)`);
    await bench.shipAll();
    const { pieces } = bench.expectSame();
    // 3,000 pages of 4 KiB are in three objects.
    assert.ok(pieces - before <= 4, `${pieces - before}`);
  });

  it('counts a commit as shipped that was made while pieces were written only when it is', async () => {
    let [isWanted, committedMs] = [false, 0];
    const wrapStore = onPiece(() => {
      if (!isWanted) return;
      isWanted = false;
      committedMs = systemClock.monotonicMs();
      bench.write(1);
    });
    const bench = makeBench({ wrapStore });
    await bench.shipAll();
    bench.write(3_000, 4_000);
    isWanted = true;
    await bench.turn();
    assert.ok((bench.shipper.status.databases.data.shippedMs ?? 0) > committedMs);
    bench.expectSame();
  });

  it('counts what waits while a call to the archive does not return', async () => {
    let isAway = false;
    let [answer, noteCall] = [() => {}, () => {}];
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const called = new Promise<void>((resolve) => {
      noteCall = resolve;
    });
    const wrapStore = (store: ArchiveStore) => {
      const folders = store.folders.bind(store);
      store.folders = async (...args) => {
        if (isAway) {
          noteCall();
          await answered;
        }
        return folders(...args);
      };
      return store;
    };
    const bench = makeBench({ wrapStore });
    await bench.shipAll();
    assert.equal(bench.shipper.isHeldUp, false);
    isAway = true;
    bench.passMonotonic(2 * 60 * 60 * 1000); // old objects are looked for then
    const turn = bench.turn();
    await called;
    bench.passMonotonic(2_000);
    assert.equal(bench.shipper.isHeldUp, true);
    bench.write(20);
    bench.shipper.countWaiting();
    assert.ok(bench.shipper.status.databases.data.waitingBytes > 0);
    isAway = false;
    answer();
    await turn;
    await bench.shipAll();
    assert.deepEqual([bench.shipper.isHeldUp, bench.shipper.isWaiting], [false, false]);
    bench.expectSame();
  });

  it('counts what a generation that was given up lacks until the next one has copies', async () => {
    let [aheadMs, hasNoRoom] = [0, false];
    const wrapStore = (store: ArchiveStore) => {
      const write = store.write.bind(store);
      store.write = async (name, ...rest) => {
        if (hasNoRoom && name.includes('/copies/')) throw new StoreFailure('there is no room', true);
        return write(name, ...rest);
      };
      return store;
    };
    const bench = makeBench({ wrapStore, aheadMs: () => aheadMs });
    const behindMs = () => bench.shipper.status.databases.data.behindMs;
    await bench.shipAll();
    [aheadMs, hasNoRoom] = [5_000, true];
    bench.log.setMode('givenUp');
    while (bench.generations.length < 2) await bench.turn();
    aheadMs += 60_000;
    await bench.turn();
    assert.ok(behindMs() >= 60_000, `${behindMs()}`);
    hasNoRoom = false;
    await bench.shipAll();
    assert.equal(behindMs(), 0);
    bench.expectSame();
  });

  for (const isGivenUp of [false, true])
    it(`counts since when changes wait, across starts${isGivenUp ? ' without a chain' : ''}`, async () => {
      let [aheadMs, isAway] = [0, false];
      const wrapStore = (store: ArchiveStore): ArchiveStore => ({
        ...methodsOf(store),
        read: async (...given) => {
          if (isAway) throw new StoreFailure('the archive is away', true);
          return store.read(...given);
        },
        write: async (...given) => {
          if (isAway) throw new StoreFailure('the archive is away', true);
          return store.write(...given);
        },
      });
      const bench = makeBench({ wrapStore, aheadMs: () => aheadMs });
      const behindMs = () => bench.shipper.status.databases.data.behindMs;
      bench.write(20);
      await bench.shipAll();
      isAway = true;
      bench.write(20);
      await bench.turn();
      if (isGivenUp) bench.loseLog();
      else bench.kill();
      aheadMs += 60_000;
      bench.start();
      await bench.turn();
      assert.ok(behindMs() >= 60_000, `${behindMs()}`);
      isAway = false;
      await bench.shipAll();
      assert.equal(behindMs(), 0);
      bench.expectSame();
      assert.equal(bench.generations.length, isGivenUp ? 2 : 1);
    });

  it('looks for later commits after a piece that an earlier turn could not write', async () => {
    let isAway = false;
    const wrapStore = onPiece(() => {
      if (isAway) throw new StoreFailure('the archive is away', true);
    });
    const bench = makeBench({ wrapStore });
    await bench.shipAll();
    isAway = true;
    bench.write(20);
    await bench.turn();
    assert.ok(bench.shipper.isFailing);
    bench.write(20);
    isAway = false;
    await bench.turn();
    assert.equal(bench.shipper.isWaiting, false);
    bench.expectSame();
  });

  it('does not ship what was not committed', async () => {
    const bench = makeBench();
    await bench.shipAll();
    // The cache of the connection is smaller, so pages are in the log before the commit.
    bench.database.exec('PRAGMA cache_size = 10');
    assert.throws(() =>
      bench.database.transaction(() => {
        for (let id = 0; id < 3_000; id += 1)
          bench.database.statement('INSERT OR REPLACE INTO t VALUES (?, ?)').run([id, 'x'.repeat(2_000)]);
        throw new Error('rolled back');
      }),
    );
    await bench.shipAll();
    bench.expectSame();
    bench.write(10);
    await bench.shipAll();
    bench.expectSame();
  });

  it('finds commits that are written over a part of a transaction that was rolled back', async () => {
    const bench = makeBench();
    bench.database.exec('PRAGMA cache_size = 10');
    await bench.shipAll();
    for (let count = 0; count < 3; count += 1) {
      bench.database.exec('BEGIN');
      for (let id = 0; id < 9_000; id += 1)
        bench.database.statement('INSERT OR REPLACE INTO t VALUES (?, ?)').run([id, 'x'.repeat(1_000)]);
      await bench.turn();
      bench.database.exec('ROLLBACK');
      bench.write(3);
      await bench.shipAll();
      bench.expectSame();
    }
  });

  it('copies the file while checkpoints write to it and make it longer', async () => {
    const bench = makeBench();
    bench.write(15_000, 1_000);
    bench.database.checkpoint('PASSIVE');
    for (
      let count = 0;
      copiesIn(bench.archive, bench.shipper.status.generation ?? '', 'data').length === 0;
      count += 1
    ) {
      assert.ok(count < 30, 'the copy does not end');
      bench.write(200, 1_000);
      await bench.turn();
      bench.database.checkpoint(count % 2 === 0 ? 'PASSIVE' : 'TRUNCATE');
    }
    await bench.shipAll();
    const { copy } = bench.expectSame();
    assert.ok(copy.parts >= 3 && copy.parts < 10 && copy.sequence > copy.firstPiece, JSON.stringify(copy));
  });

  it('ships the rest of a round that ended before it was shipped', async () => {
    const bench = makeBench();
    await bench.shipAll();
    for (let count = 0; count < 5; count += 1) {
      bench.write(20);
      assert.equal(bench.database.checkpoint('PASSIVE').isWhole, true);
      assert.equal(bench.log.hasRest, true);
      bench.write(20); // in a new round
      assert.equal(bench.database.checkpoint('PASSIVE').isWhole, false, 'a second rest');
      await bench.shipAll();
      assert.equal(bench.log.hasRest, false);
      bench.expectSame();
    }
    assert.equal(bench.generations.length, 1);
  });

  it('ships the rest of a round that follows one that was shipped whole', async () => {
    const bench = makeBench();
    await bench.shipAll();
    for (const end of ['none', 'kill', 'stop', 'truncate', 'truncate and stop'] as const) {
      bench.write(20);
      await bench.shipAll();
      assert.equal(bench.database.checkpoint('PASSIVE').isWhole, true);
      bench.write(20); // in a new round, of which nothing is shipped
      const mode = end.startsWith('truncate') ? 'TRUNCATE' : 'PASSIVE';
      assert.equal(bench.database.checkpoint(mode).isWhole, true);
      assert.equal(bench.log.hasRest, true);
      if (end === 'kill') bench.kill();
      if (end.endsWith('stop')) await bench.stopWithoutStore();
      if (end === 'kill' || end.endsWith('stop')) bench.start();
      bench.write(20);
      await bench.shipAll();
      bench.expectSame();
      assert.deepEqual(bench.generations, ['the archive is new'], end);
    }
  });

  it('begins a new generation when another program moved the log', async () => {
    const bench = makeBench();
    await bench.shipAll();
    bench.write(20);
    await bench.shipAll();
    bench.write(20);
    const other = openDatabase({ path: bench.path });
    assert.equal(other.checkpoint('TRUNCATE').isWhole, true);
    await bench.shipAll();
    other.close();
    bench.expectSame();
    assert.equal(bench.generations.length, 2);
  });

  it('continues after an end at which the archive could not be reached and nothing waited', async () => {
    const bench = makeBench();
    await bench.shipAll();
    bench.write(20);
    await bench.shipAll();
    bench.database.close();
    bench.shipper.close();
    bench.start();
    bench.write(20);
    await bench.shipAll();
    bench.expectSame();
    assert.equal(bench.generations.length, 1);
  });

  it('notices that a rest is shipped although that was announced late', async () => {
    const bench = makeBench();
    await bench.shipAll();
    bench.write(20);
    bench.database.checkpoint('PASSIVE');
    bench.log.setHasRest(false);
    await bench.shipAll();
    bench.write(20);
    await bench.shipAll();
    bench.log.setHasRest(true);
    await bench.turn();
    assert.equal(bench.log.hasRest, false);
  });

  it('begins a new generation when the rest of a round is damaged', async () => {
    const bench = makeBench();
    await bench.shipAll();
    bench.write(20);
    bench.database.checkpoint('PASSIVE');
    bench.write(20);
    const rest = readFileSync(`${bench.path}-round-end`);
    rest.writeUInt8(rest.readUInt8(2_000) ^ 1, 2_000);
    writeFileSync(`${bench.path}-round-end`, rest);
    await bench.shipAll();
    bench.expectSame();
    assert.deepEqual(bench.generations.slice(1), ['the rest of a round of the log is damaged']);
  });

  it('says why the end of a round cannot be noted, and gives up at the limit of the log', async () => {
    const bench = makeBench({ mostLogBytes: 1_000_000 });
    await bench.shipAll();
    mkdirSync(`${bench.path}-round-end.new`);
    bench.write(20);
    assert.equal(bench.database.checkpoint('PASSIVE').isWhole, false);
    await bench.turn();
    assert.match(
      bench.shipper.status.problem ?? '',
      /the end of the log of data\.db cannot be noted \(EISDIR\)/,
    );
    bench.write(5_000, 400);
    assert.equal(bench.database.checkpoint('PASSIVE').isWhole, true);
    assert.equal(bench.log.mode, 'givenUp');
    rmSync(`${bench.path}-round-end.new`, { recursive: true });
    await bench.shipAll();
    assert.equal(bench.shipper.status.problem, undefined);
    bench.expectSame();
  });

  it('keeps a log that is not shipped when connections are collected after their end', async () => {
    const bench = makeBench();
    await bench.shipAll();
    bench.write(20);
    bench.database.close();
    await collectGarbage();
    assert.ok(statSync(`${bench.path}-wal`).size > 0);
    bench.start();
    await bench.shipAll();
    bench.expectSame();
    assert.equal(bench.generations.length, 1);
  });

  it('begins a new generation when the log reaches its limit', async () => {
    let isDown = false;
    const wrapStore = (store: ArchiveStore): ArchiveStore => ({
      ...methodsOf(store),
      write: async (...given) => {
        if (isDown) throw new StoreFailure('the archive is down', true);
        return store.write(...given);
      },
    });
    const bench = makeBench({ mostLogBytes: 10_000_000, wrapStore });
    await bench.shipAll();
    bench.write(20);
    isDown = true;
    for (let count = 0; bench.log.mode === 'shipping'; count += 1) {
      assert.ok(count < 1_000);
      bench.write(1_000, 500);
      await bench.turn();
      bench.database.checkpoint('PASSIVE');
    }
    assert.equal(bench.shipper.status.problem, 'the archive is down');
    assert.ok(bench.shipper.status.databases.data.waitingBytes > 0);
    bench.write(20);
    isDown = false;
    await bench.shipAll();
    assert.equal(bench.shipper.status.problem, undefined);
    assert.equal(bench.generations.length, 2);
    bench.expectSame();
  });

  it('gives one generation up, and not the next one, while a reader keeps the log', async () => {
    let refusedIn = 0; // the number of the generation
    const wrapStore = (store: ArchiveStore): ArchiveStore => ({
      ...methodsOf(store),
      write: async (...given) => {
        const [name] = given;
        if (bench.generations.length === refusedIn && name.endsWith('.piece'))
          throw new StoreFailure('no space', true);
        return store.write(...given);
      },
    });
    const bench = makeBench({ mostLogBytes: 20_000_000, wrapStore });
    await bench.shipAll();
    const reader = openDatabase({ path: bench.path, readOnly: true });
    try {
      reader.exec('BEGIN');
      reader.statement('SELECT count(*) FROM t').get();
      refusedIn = 1;
      for (let count = 0; bench.log.mode === 'shipping'; count += 1) {
        assert.ok(count < 1_000);
        bench.write(1_000, 500);
        await bench.turn();
      }
      // The next generation has to ship the whole log, which is longer than the limit, while more is written.
      refusedIn = 2;
      for (let count = 0; count < 5; count += 1) {
        await bench.turn();
        bench.write(1_000, 500);
      }
      refusedIn = 0;
      await bench.shipAll();
      assert.equal(bench.generations.length, 2);
    } finally {
      reader.close();
    }
    bench.expectSame();
  });

  it('writes an object once, also if its answer is lost', async () => {
    const lost = new Set<string>();
    const wrapStore = (store: ArchiveStore): ArchiveStore => ({
      ...methodsOf(store),
      write: async (...given) => {
        const written = await store.write(...given);
        const [name] = given;
        const isFirst = !lost.has(name);
        lost.add(name);
        if (isFirst) throw new StoreFailure('no answer', true);
        return written;
      },
    });
    const bench = makeBench({ wrapStore });
    for (let count = 0; count < 10; count += 1) {
      bench.write(20);
      await bench.turn();
      bench.write(20);
      if (count > 0) await bench.shipAll();
    }
    bench.expectSame();
    assert.equal(generationsIn(bench.archive).length, 1);
  });

  it('begins no archive where its archive was', async () => {
    const bench = makeBench();
    const away = `${bench.archive}-away`;
    await bench.shipAll();
    for (const [isEmpty, isKnown] of [
      [false, true],
      [true, true],
      [true, false],
    ] as const) {
      await bench.stop();
      renameSync(bench.archive, away);
      if (isEmpty) mkdirSync(bench.archive);
      if (!isKnown) truncateSync(`${bench.path}-wal`, 0); // the generation cannot continue
      bench.start();
      bench.write(20);
      await bench.turn();
      assert.match(
        bench.shipper.status.problem ?? '',
        /had an archive, and has none now: is its disk mounted\?/,
      );
      assert.deepEqual(existsSync(bench.archive) && readdirSync(bench.archive).length > 0, false);
      rmSync(bench.archive, { recursive: true, force: true });
      renameSync(away, bench.archive);
      await bench.shipAll();
      bench.expectSame();
    }
  });
});

describe('a later start', () => {
  it('continues behind an end, and behind a kill', async () => {
    const bench = makeBench();
    await bench.shipAll();
    for (const end of ['stop', 'kill', 'kill', 'stop', 'stop'] as const) {
      bench.write(50);
      if (end === 'stop') {
        await bench.shipAll();
        await bench.stop();
      } else {
        await bench.shipAll();
        bench.write(50);
        bench.kill();
      }
      bench.start();
      await bench.shipAll();
      bench.expectSame();
    }
    assert.deepEqual(bench.generations, ['the archive is new']);
  });

  it('continues with the piece that the killed process wrote last', async () => {
    const bench = makeBench();
    await bench.shipAll();
    bench.write(20);
    await bench.shipAll();
    const state = join(bench.path, '..', 'archive-state.json');
    copyFileSync(state, `${state}.before`);
    bench.write(20);
    await bench.shipAll();
    copyFileSync(`${state}.before`, state);
    bench.kill();
    bench.start();
    bench.write(20);
    await bench.shipAll();
    bench.expectSame();
    assert.equal(bench.generations.length, 1);
  });

  /** A process that is killed when it has written the first of the pieces of some commits. */
  const killedWithin = async (commits: number) => {
    let left = Number.POSITIVE_INFINITY;
    const wrapStore = onPiece(() => {
      left -= 1;
      if (left < 0) throw new StoreFailure('the process is killed', true);
    });
    const bench = makeBench({ wrapStore });
    await bench.shipAll();
    bench.write(3_000, 3_000);
    await bench.shipAll();
    for (let count = 0; count < commits; count += 1)
      bench.database.exec(`UPDATE t SET value = ${count} || substr(value, 2)`);
    left = 1;
    await bench.turn();
    bench.kill();
    left = Number.POSITIVE_INFINITY;
    return bench;
  };

  it('continues within commits that are shipped together', async () => {
    const bench = await killedWithin(2);
    bench.start();
    bench.write(20);
    await bench.shipAll();
    bench.expectSame();
    assert.equal(generationsIn(bench.archive).length, 1);
  });

  it('begins a new generation if the log lacks the last of the commits that are shipped together', async () => {
    const bench = await killedWithin(2);
    // The second of the two is cut: the first piece lacks pages that it would have had.
    truncateSync(`${bench.path}-wal`, statSync(`${bench.path}-wal`).size - 4120);
    bench.start();
    await bench.shipAll();
    bench.expectSame();
    assert.equal(generationsIn(bench.archive).length, 2);
  });

  it('begins a new generation in an earlier copy of the archive, also while it runs', async () => {
    const bench = makeBench();
    await bench.shipAll();
    const copy = `${bench.archive}-copy`;
    for (const isRunning of [false, true]) {
      cpSync(bench.archive, copy, { recursive: true });
      bench.write(20);
      await bench.shipAll();
      if (!isRunning) await bench.stop();
      rmSync(bench.archive, { recursive: true });
      if (isRunning) {
        bench.write(20);
        await bench.turn();
        assert.ok(bench.shipper.isFailing);
      }
      renameSync(copy, bench.archive);
      if (!isRunning) bench.start();
      bench.write(20);
      await bench.shipAll();
      bench.expectSame();
      assert.match(bench.generations.at(-1) ?? '', /^the archive lacks generations\/.*, which was shipped$/);
    }
  });

  const gaps: Readonly<Record<string, (bench: ShippingBench) => void>> = {
    'a log that lacks what was shipped': ({ path }) => truncateSync(`${path}-wal`, 32 + 4120),
    'a log that is gone': ({ path }) => truncateSync(`${path}-wal`, 0),
    'a state that is damaged': ({ path }) => truncateSync(join(path, '..', 'archive-state.json'), 100),
  };
  for (const [what, damage] of Object.entries(gaps))
    it(`begins a new generation after ${what}`, async () => {
      const bench = makeBench();
      await bench.shipAll();
      bench.write(500);
      await bench.shipAll();
      bench.kill();
      damage(bench);
      bench.start();
      await bench.shipAll();
      bench.expectSame();
      assert.equal(generationsIn(bench.archive).length, 2);
    });
});

/** Calls a function before each piece of the rows is written. */
function onPiece(call: () => void): (store: ArchiveStore) => ArchiveStore {
  return (store) => {
    const write = store.write.bind(store);
    store.write = async (name, ...rest) => {
      if (/\/data\/.*\.piece$/.test(name)) call();
      return write(name, ...rest);
    };
    return store;
  };
}

describe('a clock that was ahead', () => {
  it('begins a new generation when it goes back, so that moments from then on can be chosen', async () => {
    let aheadMs = 24 * 60 * 60 * 1000;
    const bench = makeBench({ aheadMs: () => aheadMs });
    await bench.shipAll();
    bench.write(20);
    await bench.shipAll();
    aheadMs = 0;
    bench.write(20);
    await bench.shipAll();
    assert.match(bench.generations[1] ?? '', /^the clock of the machine was 86\d\d\d s ahead$/);
    const { last, copy } = bench.expectSame();
    assert.ok((last?.toMs ?? copy.atMs) <= Date.now());
    assert.equal(generationsIn(bench.archive).length, 2);
  });

  it('removes no more than before', async () => {
    let aheadMs = 0;
    const bench = makeBench({ aheadMs: () => aheadMs });
    await bench.shipAll();
    bench.write(20);
    await bench.shipAll();
    const first = pieceName(generationsIn(bench.archive)[0] ?? '', 'data', 1);
    aheadMs = 30 * 24 * 60 * 60 * 1000;
    for (let count = 0; count < 3; count += 1) {
      bench.write(20);
      await bench.shipAll();
      bench.passMonotonic(61 * 60 * 1000);
    }
    assert.ok(existsSync(join(bench.archive, first)));
  });
});

describe('retention', () => {
  it('removes what no moment of the last days needs', async () => {
    let aheadMs = 0;
    const bench = makeBench({ aheadMs: () => aheadMs });
    await bench.shipAll();
    for (let day = 0; day < 9; day += 1) {
      bench.write(20);
      await bench.shipAll();
      aheadMs += 24 * 60 * 60 * 1000 + 1;
      await bench.shipAll();
    }
    await bench.stop();
    bench.start();
    await bench.shipAll();
    const [generation = ''] = generationsIn(bench.archive);
    const copies = copiesIn(bench.archive, generation, 'data');
    assert.ok(copies.length >= 7 && copies.length <= 9, `${copies.length}`);
    const [first] = copies;
    assert.equal(
      existsSync(join(bench.archive, pieceName(generation, 'data', (first?.firstPiece ?? 0) - 1))),
      false,
    );
    for (let at = 0; at < copies.length; at += 1) bench.expectSame(at);
  });
});

const seeds = Number(process.env['COLONNADE_SHIPPING_SEEDS'] ?? 4);

describe('random work', () => {
  for (let seed = 1; seed <= seeds; seed += 1)
    it(`keeps the archive whole (seed ${seed})`, async () => {
      const seeded = seededRandom(seed);
      const random = () => seeded.below(1_000_000) / 1_000_000;
      const bench = makeBench({ mostLogBytes: random() < 0.3 ? 2_000_000 : 1 << 30 });
      await bench.shipAll();
      for (let step = 0; step < 60; step += 1) {
        const choice = random();
        if (choice < 0.4) bench.write(1 + Math.floor(random() * 300), 2 * Math.floor(1 + random() * 400));
        else if (choice < 0.6) await bench.turn();
        else if (choice < 0.7) bench.database.checkpoint('PASSIVE');
        else if (choice < 0.75) bench.database.checkpoint('TRUNCATE');
        else if (choice < 0.8)
          bench.database.exec('DELETE FROM t WHERE id % 3 = 0; PRAGMA incremental_vacuum');
        else if (choice < 0.85) {
          bench.kill();
          bench.start();
        } else if (choice < 0.88) {
          await bench.stop();
          bench.start();
        } else {
          await bench.shipAll();
          bench.expectSame();
        }
      }
      await bench.shipAll();
      bench.expectSame();
    });
});

/** Collects what nothing refers to, with the turns that the driver takes to release it. */
async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  assert.ok(typeof collect === 'function');
  for (let count = 0; count < 5; count += 1) {
    collect();
    await nextTurn();
  }
}

/** The methods of a store, bound to it. */
function methodsOf(store: ArchiveStore): ArchiveStore {
  return {
    title: store.title,
    hangs: false,
    list: (...given) => store.list(...given),
    folders: (...given) => store.folders(...given),
    read: (...given) => store.read(...given),
    write: (...given) => store.write(...given),
    remove: (...given) => store.remove(...given),
    close: () => store.close(),
  };
}
